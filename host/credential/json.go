package credential

import (
	"bytes"
	"encoding/json"
	"strings"
)

// MaskText replaces the credentials in a text.
func MaskText(text string) string {
	var b strings.Builder
	end := 0
	for _, r := range FindText(text) {
		b.WriteString(text[end:r[0]])
		b.WriteString(Mask)
		end = r[1]
	}
	return b.String() + text[end:]
}

// MaskJSON replaces the credentials in the texts of a JSON value: what its member's name or
// its form shows to be one. A value without credentials is returned unchanged. clean, if not
// nil, removes further secrets from each text, also from the names of members.
//
// Errors: raw is not JSON.
func MaskJSON(raw []byte, clean func(string) string) (masked []byte, changed bool, err error) {
	m := masker{in: json.NewDecoder(bytes.NewReader(raw)), clean: clean}
	m.in.UseNumber()
	if err := m.value(""); err != nil {
		return nil, false, err
	}
	if m.changed {
		return m.out.Bytes(), true, nil
	}
	return raw, false, nil
}

// masker copies a JSON value, in the order of its members.
type masker struct {
	in      *json.Decoder
	clean   func(string) string
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
		clean := m.cleaned(MaskText(t))
		if len(FindNamed(name, t)) > 0 && IsName(name) {
			clean = Mask
		}
		m.changed = m.changed || clean != t
		return m.write(clean)
	case json.Number:
		if IsName(name) {
			m.changed = true
			return m.write(Mask)
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
			clean := m.cleaned(key)
			m.changed = m.changed || clean != key
			if err := m.write(clean); err != nil {
				return err
			}
			m.out.WriteByte(':')
			child = key
		}
		if IsName(name) {
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

func (m *masker) cleaned(text string) string {
	if m.clean == nil {
		return text
	}
	return m.clean(text)
}

// write writes a token without escapes for < > and &, which JSON does not require.
func (m *masker) write(v any) error {
	e := json.NewEncoder(&m.out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	m.out.Truncate(m.out.Len() - len("\n"))
	return nil
}
