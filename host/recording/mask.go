package recording

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/mcpctl/mcpctl/host/credential"
)

// maskText replaces the credentials in a text.
func maskText(text string) string {
	var b strings.Builder
	end := 0
	for _, r := range credential.FindText(text) {
		b.WriteString(text[end:r[0]])
		b.WriteString(credential.Mask)
		end = r[1]
	}
	return b.String() + text[end:]
}

// maskJSON replaces the credentials in the texts of a JSON value: what its member's name
// or its form shows to be one. A value without credentials is returned unchanged.
func maskJSON(raw []byte) (masked json.RawMessage, changed bool) {
	if len(raw) == 0 {
		return nil, false
	}
	m := masker{in: json.NewDecoder(bytes.NewReader(raw))}
	m.in.UseNumber()
	if err := m.value(""); err != nil { // the proxy accepts no such arguments
		return json.RawMessage(`"` + credential.Mask + `"`), true
	}
	if m.changed {
		return m.out.Bytes(), true
	}
	return raw, false
}

// masker copies a JSON value, in the order of its members.
type masker struct {
	in      *json.Decoder
	out     bytes.Buffer
	changed bool
}

// value copies a value. name is the name of the member that contains the value, directly or
// in a list. If it is the name of a credential, every value inside is masked.
func (m *masker) value(name string) error {
	t, err := m.in.Token()
	if err != nil {
		return err
	}
	switch t := t.(type) {
	case json.Delim:
		return m.container(t, name)
	case string:
		clean := maskText(t)
		if len(credential.FindNamed(name, t)) > 0 && credential.IsName(name) {
			clean = credential.Mask
		}
		m.changed = m.changed || clean != t
		return m.write(clean)
	case json.Number:
		if credential.IsName(name) {
			m.changed = true
			return m.write(credential.Mask)
		}
	}
	return m.write(t)
}

func (m *masker) container(open json.Delim, name string) error {
	m.out.WriteString(open.String())
	for first := true; m.in.More(); first = false {
		if !first {
			m.out.WriteByte(',')
		}
		child := name
		if open == '{' {
			t, err := m.in.Token()
			if err != nil {
				return err
			}
			key, _ := t.(string)
			if err := m.write(key); err != nil {
				return err
			}
			m.out.WriteByte(':')
			child = key
		}
		if credential.IsName(name) {
			child = name
		}
		if err := m.value(child); err != nil {
			return err
		}
	}
	closing, err := m.in.Token()
	if err != nil {
		return err
	}
	m.out.WriteString(closing.(json.Delim).String())
	return nil
}

func (m *masker) write(v any) error {
	b, err := marshal(v)
	m.out.Write(b)
	return err
}
