package module

import (
	"strings"

	"github.com/mcpctl/mcpctl/host/wasm/binary"
)

// parseSignature reads parameters, a colon and results: i is i32, I is i64.
func parseSignature(text string) binary.Signature {
	params, results, _ := strings.Cut(text, ":")
	parse := func(types string) []byte {
		out := make([]byte, len(types))
		for i := range types {
			out[i] = binary.TypeI32
			if types[i] == 'I' {
				out[i] = binary.TypeI64
			}
		}
		return out
	}
	return binary.Signature{Params: parse(params), Results: parse(results)}
}

func parseSignatures(texts map[string]string) map[string]binary.Signature {
	all := make(map[string]binary.Signature, len(texts))
	for name, text := range texts {
		all[name] = parseSignature(text)
	}
	return all
}
