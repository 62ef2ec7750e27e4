package proxy

import (
	"bytes"
	"encoding/json"

	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// jsonValues are JSON values without white space and with minimal escapes.
type jsonValues map[string]struct{}

// valuesOf returns structuredContent and the values in it, down to two levels. Servers
// repeat a member of it as a text block, or each element of a list in a member.
func valuesOf(structured []byte) jsonValues {
	values := make(jsonValues)
	if raw, ok := compacted(structured); ok {
		values.add(raw, string(raw), 0, len(raw), 2)
	}
	return values
}

// add adds the value at raw[start:end]. text is raw: all values share its memory.
func (v jsonValues) add(raw []byte, text string, start, end, levels int) {
	v[text[start:end]] = struct{}{}
	if levels > 0 {
		jsonspan.Children(raw, start, func(m jsonspan.Member) bool {
			v.add(raw, text, m.Start, m.End, levels-1)
			return true
		})
	}
}

// hold reports whether the text is blank, one of the values in JSON, or one of the
// strings. Nothing is compared by meaning: 1 is not 1.0, and the order of keys counts.
func (v jsonValues) hold(text []byte) bool {
	if len(bytes.TrimSpace(text)) == 0 {
		return true
	}
	if _, ok := v[string(jsonspan.AppendQuote(nil, text))]; ok {
		return true
	}
	raw, ok := compacted(text)
	if ok {
		_, ok = v[string(raw)]
	}
	return ok
}

// compacted returns a JSON text without white space and with minimal escapes; ok is
// false if it is no JSON.
func compacted(text []byte) (raw []byte, ok bool) {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return nil, false
	}
	return jsonspan.MinimizeEscapes(b.Bytes()), true
}
