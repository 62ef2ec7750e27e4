package wasm

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
)

var typeNames = map[byte]string{
	typeI32: "i32", typeI64: "i64", typeF32: "f32", typeF64: "f64",
	typeV128: "v128", typeFuncref: "funcref", typeExternref: "externref",
}

// sigOf makes a signature of what the tables of the ABI say.
func sigOf(params, results []abi.ValType) funcType {
	conv := func(ts []abi.ValType) []byte {
		out := make([]byte, len(ts))
		for i, t := range ts {
			out[i] = byte(t)
		}
		return out
	}
	return funcType{conv(params), conv(results)}
}

func (t funcType) equal(o funcType) bool {
	return bytes.Equal(t.params, o.params) && bytes.Equal(t.results, o.results)
}

// String spells a signature as in "(i32, i32) -> i32".
func (t funcType) String() string {
	results := types(t.results)
	if len(t.results) != 1 {
		results = "(" + results + ")"
	}
	return fmt.Sprintf("(%s) -> %s", types(t.params), results)
}

func types(ts []byte) string {
	names := make([]string, len(ts))
	for i, t := range ts {
		names[i] = typeNames[t]
	}
	return strings.Join(names, ", ")
}
