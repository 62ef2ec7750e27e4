package pin

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
)

// maxDepth is the nesting of a definition that is brought into canonical form. A deeper one
// is compared byte by byte.
const maxDepth = 100

// Definition is the definition of a tool in canonical form: without white space, and with the
// members of every object sorted by name. It contains all members, because clients show more
// than the description to the model, for example titles and texts in _meta.
type Definition struct {
	Name   string
	Text   string
	SHA256 string // of Text, hexadecimal
}

// NewDefinition returns the definition of a tool as its server sent it.
func NewDefinition(name string, raw []byte) Definition {
	text, err := canonical(raw)
	if err != nil {
		text = raw
	}
	return Definition{name, string(text), sum(string(text))}
}

func sum(text string) string {
	s := sha256.Sum256([]byte(text))
	return hex.EncodeToString(s[:])
}

func canonical(raw []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	w := &writer{decoder: d}
	if err := w.value(0); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one value")
	}
	return w.out.Bytes(), nil
}

// writer writes the next value of a decoder.
type writer struct {
	decoder *json.Decoder
	out     bytes.Buffer
}

func (w *writer) value(depth int) error {
	token, err := w.decoder.Token()
	if err != nil {
		return err
	}
	if depth > maxDepth {
		return errors.New("nested too deeply")
	}
	switch token {
	case json.Delim('{'):
		return w.object(depth)
	case json.Delim('['):
		return w.array(depth)
	}
	return w.scalar(token)
}

func (w *writer) scalar(token json.Token) error {
	e := json.NewEncoder(&w.out)
	e.SetEscapeHTML(false)
	err := e.Encode(token)
	w.out.Truncate(w.out.Len() - 1) // the newline of Encode
	return err
}

func (w *writer) array(depth int) error {
	w.out.WriteByte('[')
	for first := true; w.decoder.More(); first = false {
		if !first {
			w.out.WriteByte(',')
		}
		if err := w.value(depth + 1); err != nil {
			return err
		}
	}
	w.out.WriteByte(']')
	_, err := w.decoder.Token()
	return err
}

// object writes an object. Members of the same name stay in their order, because clients
// differ in which one they use.
func (w *writer) object(depth int) error {
	type member struct{ name, text string }
	var members []member
	for w.decoder.More() {
		name, err := w.decoder.Token()
		if err != nil {
			return err
		}
		one := writer{decoder: w.decoder}
		if err := one.value(depth + 1); err != nil {
			return err
		}
		members = append(members, member{name.(string), one.out.String()})
	}
	if _, err := w.decoder.Token(); err != nil {
		return err
	}
	slices.SortStableFunc(members, func(a, b member) int { return strings.Compare(a.name, b.name) })
	w.out.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			w.out.WriteByte(',')
		}
		if err := w.scalar(m.name); err != nil {
			return err
		}
		w.out.WriteByte(':')
		w.out.WriteString(m.text)
	}
	w.out.WriteByte('}')
	return nil
}
