package binary

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
	TypeV128      = 0x7b
	TypeFuncref   = 0x70
	TypeExternref = 0x6f
)

const FunctionForm = 0x60 // begins a type that is a function

var typeNames = map[byte]string{
	TypeI32: "i32", TypeI64: "i64", typeF32: "f32", typeF64: "f64",
	TypeV128: "v128", TypeFuncref: "funcref", TypeExternref: "externref",
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
		if form := r.Byte(); form != FunctionForm {
			r.Fail("type form 0x%02x is not one this host runs", form)
			return types
		}
		t := Signature{Params: r.valueTypes("params", maxParams)}
		t.Results = r.valueTypes("results", maxResults)
		types = append(types, t)
	}
	return types
}

func (r *Reader) valueTypes(name string, limit int) []byte {
	n := r.Count(name, 1)
	if n > limit {
		r.Fail("%d %s, limit %d", n, name, limit)
		return nil
	}
	start := r.at
	for range n {
		r.ValueType()
	}
	if r.err != nil {
		return nil
	}
	return r.b[start:r.at]
}

// ValueType reads a value type and returns it.
func (r *Reader) ValueType() byte {
	t := r.Byte()
	if typeNames[t] == "" {
		r.Fail("value type 0x%02x is not one this host runs", t)
	}
	return t
}
