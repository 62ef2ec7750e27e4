// Package jsonplace says to which values offsets of JSON text belong.
package jsonplace

import (
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/scan/json"
)

const (
	maxDepth = 512 // places that are deeper have no path
	maxKey   = 128 // bytes of a key in a path
)

// frame is an open bracket.
type frame struct {
	object           bool
	wantKey          bool
	keyStart, keyEnd int // of the member that is read
	element          int // position of the element that is read
}

// Of gives the path of each offset, as package fieldpath reads it; offsets ascend. The
// text is JSON. An offset of a key has its member's path, the path of what is outside or
// too deep is empty. It takes time as the last offset.
func Of(text []byte, offsets []int) []string {
	paths := make([]string, len(offsets))
	var stack []frame
	next := 0
	for p := json.Space(text, 0); p < len(text) && next < len(offsets) && len(stack) < maxDepth; p = json.Space(text, p) {
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
			end, _ = json.String(text, p)
			if top >= 0 && stack[top].wantKey {
				stack[top].keyStart, stack[top].keyEnd, stack[top].wantKey = p, end, false
			}
		default:
			for end < len(text) && !delimiter(text[end]) {
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

func delimiter(c byte) bool {
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

// Key is the path of a member of the value at a path.
func Key(path, key string) string { return string(appendKey([]byte(path), key)) }

func appendKey(path []byte, key string) []byte {
	if !plain(key) {
		path = append(path, '[')
		path = strconv.AppendQuote(path, key)
		return append(path, ']')
	}
	if len(path) > 0 {
		path = append(path, '.')
	}
	return append(path, key...)
}

// plain reports whether a key stands in a path as it is.
func plain(key string) bool {
	for i := range len(key) {
		if c := key[i]; c <= ' ' || c == '.' || c == '[' || c == '"' || c == 0x7f {
			return false
		}
	}
	return key != "" && key != "*" && key[0] != '$'
}
