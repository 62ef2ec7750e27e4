package compress

import (
	"math"

	"github.com/mcpctl/mcpctl/plugins/src/scan/json"
)

// removeWhiteSpace returns JSON on one line, without white space between tokens. b must be
// valid JSON.
func removeWhiteSpace(b []byte) []byte {
	return append(appendCompact(make([]byte, 0, len(b)), b), '\n')
}

// appendCompact appends a JSON value without white space between tokens. b must be valid JSON.
func appendCompact(out, b []byte) []byte {
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case ' ', '\t', '\r', '\n':
		case '"':
			end := i + 1
			for b[end] != '"' {
				if b[end] == '\\' {
					end++
				}
				end++
			}
			out = append(out, b[i:end+1]...)
			i = end
		default:
			out = append(out, b[i])
		}
	}
	return out
}

// compactValue returns a JSON value without white space. Text that is no JSON is unchanged.
func compactValue(b []byte) []byte {
	s := json.New(b, json.Options{Top: math.MaxInt, Nodes: math.MaxInt})
	if end, ok := s.Scan(0); !ok || json.SkipSpace(b, end) < len(b) {
		return b
	}
	return appendCompact(make([]byte, 0, len(b)), b)
}
