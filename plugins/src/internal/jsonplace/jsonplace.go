// Package jsonplace finds the paths of the values at offsets of JSON text.
package jsonplace

import (
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/scan/json"
)

const (
	maxDepth = 512 // deeper values have no path
	maxKey   = 128 // bytes of a key in a path
)

// frame is an open bracket.
type frame struct {
	object           bool
	wantKey          bool
	keyStart, keyEnd int // of the current member
	element          int // position of the current element
}

// Of returns the path of each offset of a JSON text, in the syntax of package fieldpath. The
// offsets must ascend. The offset of a key has the path of its member. The path is empty for
// an offset outside the value or too deep. The time is linear in the last offset.
func Of(text []byte, offsets []int) []string {
	paths := make([]string, len(offsets))
	var stack []frame
	next := 0
	for p := json.SkipSpace(text, 0); p < len(text) && next < len(offsets) && len(stack) < maxDepth; p = json.SkipSpace(text, p) {
		end := p + 1
		top := len(stack) - 1
		opens := false
		switch c := text[p]; c {
		case '{', '[':
			opens = true
		case '}', ']':
			if top >= 0 {
				stack = stack[:top]
			}
		case ',':
			if top >= 0 {
				stack[top].element++
				stack[top].wantKey = stack[top].object
			}
		case ':':
		case '"':
			end, _ = json.ScanString(text, p)
			if top >= 0 && stack[top].wantKey {
				stack[top].keyStart, stack[top].keyEnd, stack[top].wantKey = p, end, false
			}
		default:
			for end < len(text) && !isDelimiter(text[end]) {
				end++
			}
		}
		end = max(end, p+1)
		for ; next < len(offsets) && offsets[next] < end; next++ {
			paths[next] = path(text, stack)
		}
		if opens {
			stack = append(stack, frame{object: text[p] == '{', wantKey: text[p] == '{'})
		}
		p = end
	}
	return paths
}

func isDelimiter(c byte) bool {
	return c == ',' || c == ']' || c == '}' || c <= ' '
}

func path(text []byte, stack []frame) string {
	var out []byte
	for _, f := range stack {
		switch {
		case !f.object:
			out = append(out, '[')
			out = strconv.AppendInt(out, int64(f.element), 10)
			out = append(out, ']')
		case f.keyEnd > 0:
			out = appendKey(out, string(json.Unquote(nil, text[f.keyStart:f.keyEnd], maxKey)))
		}
	}
	return string(out)
}

// Key returns the path of a member of the value at a path.
func Key(path, key string) string { return string(appendKey([]byte(path), key)) }

func appendKey(path []byte, key string) []byte {
	if !isPlain(key) {
		path = append(path, '[')
		path = strconv.AppendQuote(path, key)
		return append(path, ']')
	}
	if len(path) > 0 {
		path = append(path, '.')
	}
	return append(path, key...)
}

// isPlain reports whether a key needs no quotes in a path.
func isPlain(key string) bool {
	for i := range len(key) {
		if c := key[i]; c <= ' ' || c == '.' || c == '[' || c == '"' || c == 0x7f {
			return false
		}
	}
	return key != "" && key != "*" && key[0] != '$'
}
