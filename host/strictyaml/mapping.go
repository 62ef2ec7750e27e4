package strictyaml

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/suggest"
)

// Reader reads typed values from the documents of one source and collects all
// errors and warnings.
type Reader struct {
	src         *Source
	object      string // the object that the errors belong to, once its name is known
	errs        *Errors
	warnings    Errors
	maskUnknown bool
}

// NewReader returns a Reader that adds its errors to errs.
func NewReader(src *Source, errs *Errors) *Reader { return &Reader{src: src, errs: errs} }

// SetObject sets the object that further errors belong to: `server "files"`.
func (r *Reader) SetObject(object string) { r.object = object }

// MaskUnknown masks the value of each unknown field in error texts from now on,
// because it may be a credential.
func (r *Reader) MaskUnknown() { r.maskUnknown = true }

// Warnings returns the warnings so far.
func (r *Reader) Warnings() Errors { return r.warnings }

// Source returns the source that is read.
func (r *Reader) Source() *Source { return r.src }

// Fail adds an error and returns it, so that the caller can add a cause or a hint.
func (r *Reader) Fail(at Position, path, format string, args ...any) *FieldError {
	if r.errs.Full() {
		return &FieldError{} // not reported, but the caller may write to it
	}
	e := r.src.Errorf(at, r.object, path, format, args...)
	r.errs.Add(e)
	return e
}

// Warn adds a warning.
func (r *Reader) Warn(at Position, path, format string, args ...any) {
	r.warnings = append(r.warnings, r.src.Errorf(at, r.object, path, format, args...))
}

// Mapping starts reading v, whose path is "" for a whole document or spec. A value
// that is not a mapping is an error and reads as an empty mapping.
func (r *Reader) Mapping(v Value, path string) *Mapping {
	if v.Type != Map && v.Type != Null {
		r.Fail(v.At, path, "is a %s, want a mapping", v.Type)
		v = Value{Type: Map, At: v.At}
	}
	if path != "" {
		path += "."
	}
	return &Mapping{Reader: r, v: v, path: path}
}

// Mapping is a mapping that is being read. Its methods register the keys they are
// called with; Done reports all other keys as unknown.
type Mapping struct {
	*Reader
	v       Value
	path    string // with a trailing dot, or empty
	known   []string
	missing []missingField
}

// missingField is a required field that is absent. It is reported by Done, because
// an unknown key may turn out to be a misspelling of it.
type missingField struct{ name, message string }

// Value returns the mapping.
func (m *Mapping) Value() Value { return m.v }

// Path returns the path of a field, as errors show it.
func (m *Mapping) Path(name string) string { return m.path + name }

// Register makes a key known without reading it.
func (m *Mapping) Register(name string) {
	if !slices.Contains(m.known, name) {
		m.known = append(m.known, name)
	}
}

// Get returns the value of a key. Null counts as absent.
func (m *Mapping) Get(name string) (Value, bool) {
	m.Register(name)
	v, ok := m.v.Lookup(name)
	return v, ok && v.Type != Null
}

// Need is Get for a required key.
func (m *Mapping) Need(name string) (Value, bool) {
	v, ok := m.Get(name)
	if !ok {
		m.Missing(name, "is missing")
	}
	return v, ok
}

// Missing makes Done report a required field as absent.
func (m *Mapping) Missing(name, message string) {
	m.missing = append(m.missing, missingField{name, message})
}

// Done reports unknown keys and missing fields.
func (m *Mapping) Done() { m.DoneWithMisplaced(nil) }

// DoneWithMisplaced is Done with the unknown keys that belong elsewhere: it maps
// each to its parent.
func (m *Mapping) DoneWithMisplaced(parents map[string]string) {
	misspelt := make(map[string]bool)
	for _, got := range m.v.Fields {
		if slices.Contains(m.known, got.Name) {
			continue
		}
		path := m.path + Clip(got.Name, 80)
		if parent, ok := parents[got.Name]; ok {
			m.Fail(got.At, path, "belongs below %s", parent)
			continue
		}
		if before, ok := m.splitByComma(got); ok {
			e := m.Fail(got.At, path, "is not a field here")
			e.Cause = "inside {...} a comma ends a value: put all of " + before + " in quotes"
			continue
		}
		misspelt[suggest.Nearest(got.Name, m.known)] = true
		hint := suggest.DidYouMean(got.Name, m.known)
		if hint == "" {
			hint = ", known: " + strings.Join(m.known, ", ")
		}
		e := m.Fail(got.At, path, "is not a field here%s", hint)
		if e.Snippet != "" && m.mayHoldCredential(got.Name) { // dropped errors have no snippet
			e.Snippet = m.src.keySnippet(got.At)
		}
	}
	for _, f := range m.missing {
		if !misspelt[f.name] {
			m.Fail(m.v.At, m.path+f.name, "%s", f.message)
		}
	}
}

// mayHoldCredential reports whether the value of an unknown key may be a credential.
func (m *Mapping) mayHoldCredential(key string) bool {
	near := suggest.Nearest(key, m.known)
	return m.maskUnknown && (near == "" || slices.Contains(credentialKeys, near))
}

// splitByComma reports whether an unknown key is the rest of the value before it,
// which was split by a comma inside {...}: {help: pumps, and their oil}. It returns
// the key of that value.
func (m *Mapping) splitByComma(got Field) (before string, ok bool) {
	if got.Value.Type != Null && !strings.Contains(got.Name, " ") || !m.src.isAfterComma(got.At) {
		return "", false
	}
	for _, other := range m.v.Fields {
		if other.Name == got.Name {
			return before, before != ""
		}
		if other.Value.Type == String { // a key without a value is itself such a rest
			before = other.Name
		}
	}
	return "", false
}

// HasType reports whether v has the expected type, and adds an error if not.
func (m *Mapping) HasType(v Value, name string, want ValueType) bool {
	if v.Type == want {
		return true
	}
	e := m.Fail(v.At, m.path+name, "is %s, want %s", v.Type.WithArticle(), want.WithArticle())
	if want == String && (v.Type == Number || v.Type == Bool) {
		e.Cause = `put it in quotes: "` + v.Text + `"`
	}
	return false
}

// Text returns a string and its position, "" if it is absent or invalid.
func (m *Mapping) Text(name string) (string, Position) {
	v, ok := m.Get(name)
	if !ok || !m.HasType(v, name, String) {
		return "", v.At
	}
	return v.Text, v.At
}

// Bool returns a bool, or absent if it is absent or invalid.
func (m *Mapping) Bool(name string, absent bool) bool {
	v, ok := m.Get(name)
	if !ok || !m.HasType(v, name, Bool) {
		return absent
	}
	return v.Text == "true"
}

// Word returns a string that must be one of words, or absent if it is absent or invalid.
func (m *Mapping) Word(name, absent string, words ...string) string {
	v, ok := m.Get(name)
	if !ok || !m.HasType(v, name, String) {
		return absent
	}
	if !slices.Contains(words, v.Text) {
		m.Fail(v.At, m.path+name, "is %q, want %s%s", Clip(v.Text, 40), OrList(words), suggest.DidYouMean(v.Text, words))
		return absent
	}
	return v.Text
}

// OrList joins words: "direct or proxy", "a, b or c".
func OrList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// Int returns an integer from least to most, or absent if it is absent or invalid.
func (m *Mapping) Int(name string, absent, least, most int) int {
	v, ok := m.Get(name)
	if !ok {
		return absent
	}
	n, ok := v.Int()
	if !ok || n < least || n > most {
		m.Fail(v.At, m.path+name, "is %s, want a whole number from %d to %d", v, least, most)
		return absent
	}
	return n
}

// Float returns a number, or nil if it is absent or invalid.
func (m *Mapping) Float(name string) *float64 {
	v, ok := m.Get(name)
	if !ok || !m.HasType(v, name, Number) {
		return nil
	}
	n, err := strconv.ParseFloat(v.Text, 64)
	if err != nil {
		m.Fail(v.At, m.path+name, "is too large")
		return nil
	}
	return &n
}

// List returns the items of a list, or nil if it is absent or invalid.
func (m *Mapping) List(name string) []Value {
	v, ok := m.Get(name)
	if !ok || !m.HasType(v, name, List) {
		return nil
	}
	return v.Items
}

// Texts returns the strings of a list. Items of other types are errors.
func (m *Mapping) Texts(name string) []string {
	var out []string
	for i, item := range m.List(name) {
		if m.HasType(item, ItemPath(name, i), String) {
			out = append(out, item.Text)
		}
	}
	return out
}

// ItemPath returns the path of one item of a list: servers[2].
func ItemPath(name string, i int) string { return name + "[" + strconv.Itoa(i) + "]" }
