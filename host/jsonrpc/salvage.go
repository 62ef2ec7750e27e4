package jsonrpc

import (
	"bytes"
	"regexp"

	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// The first and last bytes of a frame that cannot be decoded are kept to find its id. The
// id is before params and result, or, as the TypeScript SDK writes it, at the end.
const (
	headBytes = 4 << 10
	tailBytes = 2 << 10
)

// idAtEnd matches the last members of a message that ends with its id. A result cannot
// contain a match: in a string the quotes would be escaped, and after a nested object
// another brace would follow.
var idAtEnd = regexp.MustCompile(
	`,\s*"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`)

// recoverID returns the id of an invalid frame, or the zero ID.
func recoverID(frame []byte) ID {
	id, _ := salvage(frame[:min(len(frame), headBytes)], frame[max(0, len(frame)-tailBytes):])
	return id
}

// salvage extracts the id and method from the first and last bytes of a frame. It skips
// text before the first brace, such as the field name of an event.
func salvage(head, tail []byte) (id ID, method string) {
	head = head[max(0, bytes.IndexByte(head, '{')):]
	_, _ = jsonspan.ScanMembers(head, 0, func(key []byte, at int) (int, error) {
		end, err := jsonspan.ValueEnd(head, at)
		if err != nil || end == len(head) { // cut off: a number could continue
			return 0, errCut
		}
		switch {
		case jsonspan.KeyIs(key, "id"):
			id, _ = ParseID(head[at:end])
		case jsonspan.KeyIs(key, "method"):
			text, _ := jsonspan.Unquote(head[at:end])
			method = string(text)
		}
		return end, nil
	})
	if id.IsZero() {
		if m := idAtEnd.FindSubmatch(tail); m != nil {
			id, _ = ParseID(m[1])
		}
	}
	return id, method
}

var errCut = Errorf(CodeParse, "cut off")
