package result

import (
	"bytes"
	"encoding/json"

	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// valueSet is a set of JSON values, without white space and with minimal escapes.
type valueSet map[string]struct{}

// valuesOf returns structuredContent and the values in it, down to two levels: servers
// repeat one of its members as a text block, or each element of a list.
func valuesOf(structured []byte) valueSet {
	values := make(valueSet)
	if raw, ok := normalize(structured); ok {
		values.add(raw, string(raw), 0, len(raw), 2)
	}
	return values
}

// add adds the value at raw[start:end] and, for levels > 0, its children. text is raw
// as a string, whose memory all values share.
func (v valueSet) add(raw []byte, text string, start, end, levels int) {
	v[text[start:end]] = struct{}{}
	if levels > 0 {
		jsonspan.Children(raw, start, func(m jsonspan.Member) bool {
			v.add(raw, text, m.Start, m.End, levels-1)
			return true
		})
	}
}

// has reports whether text is blank, one of the strings, or one of the values as JSON.
// Values are compared by spelling: 1 differs from 1.0, and the order of keys matters.
func (v valueSet) has(text []byte) bool {
	if len(bytes.TrimSpace(text)) == 0 {
		return true
	}
	if _, ok := v[string(jsonspan.AppendQuote(nil, text))]; ok {
		return true
	}
	raw, ok := normalize(text)
	if ok {
		_, ok = v[string(raw)]
	}
	return ok
}

// normalize returns a JSON text without white space and with minimal escapes. ok is
// false if text is no JSON.
func normalize(text []byte) (raw []byte, ok bool) {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return nil, false
	}
	return jsonspan.MinimizeEscapes(b.Bytes()), true
}
