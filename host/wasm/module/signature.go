package module

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
)

// Value types that a guest may use.
const (
	TypeI32       = 0x7f
	TypeI64       = 0x7e
	typeF32       = 0x7d
	typeF64       = 0x7c
	typeV128      = 0x7b
	typeFuncref   = 0x70
	typeExternref = 0x6f
)

const functionForm = 0x60 // begins a type that is a function

var typeNames = map[byte]string{
	TypeI32: "i32", TypeI64: "i64", typeF32: "f32", typeF64: "f64",
	typeV128: "v128", typeFuncref: "funcref", typeExternref: "externref",
}

// Signature is the type of a function. Its values are bytes of the binary format.
type Signature struct{ Params, Results []byte }

// NewSignature converts a signature of the ABI's tables.
func NewSignature(params, results []abi.ValType) Signature {
	convert := func(types []abi.ValType) []byte {
		out := make([]byte, len(types))
		for i, t := range types {
			out[i] = byte(t)
		}
		return out
	}
	return Signature{convert(params), convert(results)}
}

// parseSignature reads parameters, a colon and results: i is i32, I is i64.
func parseSignature(text string) Signature {
	params, results, _ := strings.Cut(text, ":")
	parse := func(types string) []byte {
		out := make([]byte, len(types))
		for i := range types {
			out[i] = TypeI32
			if types[i] == 'I' {
				out[i] = TypeI64
			}
		}
		return out
	}
	return Signature{parse(params), parse(results)}
}

func parseSignatures(texts map[string]string) map[string]Signature {
	all := make(map[string]Signature, len(texts))
	for name, text := range texts {
		all[name] = parseSignature(text)
	}
	return all
}

// Equal reports whether two signatures are the same.
func (s Signature) Equal(o Signature) bool {
	return bytes.Equal(s.Params, o.Params) && bytes.Equal(s.Results, o.Results)
}

// String formats a signature: "(i32, i32) -> i32".
func (s Signature) String() string {
	results := joinTypes(s.Results)
	if len(s.Results) != 1 {
		results = "(" + results + ")"
	}
	return fmt.Sprintf("(%s) -> %s", joinTypes(s.Params), results)
}

func joinTypes(types []byte) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = typeNames[t]
	}
	return strings.Join(names, ", ")
}

// DecodeTypes reads the content of a type section.
func DecodeTypes(r *Reader) []Signature {
	n := r.CountAtMost("types", 3, maxTypes)
	types := make([]Signature, 0, n)
	for range n {
		if form := r.Byte(); form != functionForm {
			r.fail("type form 0x%02x is not one this host runs", form)
			return types
		}
		t := Signature{Params: r.valueTypes("params")}
		t.Results = r.valueTypes("results")
		types = append(types, t)
	}
	return types
}

func (r *Reader) valueTypes(name string) []byte {
	n := r.Count(name, 1)
	if n > maxParams {
		r.fail("%d %s, limit %d", n, name, maxParams)
		return nil
	}
	start := r.at
	for range n {
		r.skipValueType()
	}
	if r.err != nil {
		return nil
	}
	return r.b[start:r.at]
}

func (r *Reader) skipValueType() {
	if t := r.Byte(); typeNames[t] == "" {
		r.fail("value type 0x%02x is not one this host runs", t)
	}
}
