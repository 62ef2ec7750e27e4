package result

import (
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
)

// minWrapped is the size of a string from which it is unwrapped. No stage indexes a
// shorter one.
const minWrapped = 1024

// maxWrapperKey limits the key of a wrapped text.
const maxWrapperKey = 32

// findWrapped returns the string that a structuredContent consists of: servers of
// files answer {"content": "the text"}, others {"result": "the text"}. The client loses
// nothing if it reads the text instead. wrapped.End is 0 if there is another member, or
// the string is short or no valid text.
func findWrapped(raw []byte, structured jsonspan.Member) (wrapped jsonspan.Member, key string) {
	members := 0
	jsonedit.Members(raw[structured.Start:structured.End], func(name []byte, m jsonspan.Member) bool {
		members++
		key = string(name)
		wrapped = jsonspan.Member{Start: structured.Start + m.Start, End: structured.Start + m.End}
		return members == 1
	})
	if members != 1 || wrapped.End-wrapped.Start < minWrapped || jsonspan.KindAt(raw, wrapped.Start) != jsonspan.String || !isWrapperKey(key) {
		return jsonspan.Member{}, ""
	}
	if text, err := jsonspan.Unquote(raw[wrapped.Start:wrapped.End]); err != nil || !utf8.Valid(text) {
		return jsonspan.Member{}, ""
	}
	return wrapped, key[1 : len(key)-1]
}

// isWrapperKey reports whether a key, with its quotes, is a name. Filters do not read
// the key of a wrapped text, so a key that could hold a secret is not accepted.
func isWrapperKey(key string) bool {
	if len(key) > maxWrapperKey {
		return false
	}
	for _, c := range []byte(key[1 : len(key)-1]) {
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return len(key) > len(`""`)
}
