package object

import (
	"slices"
	"strconv"
	"strings"
)

// reader takes typed values out of one document and collects every mistake.
type reader struct {
	src    *Source
	object string // who the mistakes belong to, once the name is known
	errs   *Errors
	warns  Errors
}

func (r *reader) fail(at Position, path, format string, args ...any) *FieldError {
	if r.errs.Full() {
		return &FieldError{} // not told; the caller may add to it
	}
	e := r.src.Errorf(at, r.object, path, format, args...)
	r.errs.add(e)
	return e
}

func (r *reader) warn(at Position, path, format string, args ...any) {
	r.warns = append(r.warns, r.src.Errorf(at, r.object, path, format, args...))
}

// fields is one mapping being read: each key asked for is known, the others are
// mistakes when done is called.
type fields struct {
	*reader
	v     Value
	path  string // with a trailing dot, or empty
	known []string
	lacks []lack
}

// lack is a field that should be there; whether to say so is seen at the end,
// for it may be there misspelt.
type lack struct{ name, message string }

// mapping starts reading v; what is no mapping is a mistake and reads as empty.
func (r *reader) mapping(v Value, path string) *fields {
	if v.Type != Map && v.Type != Null {
		r.fail(v.At, path, "is a %s, want a mapping", v.Type)
		v = Value{Type: Map, At: v.At}
	}
	if path != "" {
		path += "."
	}
	return &fields{reader: r, v: v, path: path}
}

// get returns the value of a key; null counts as absent.
func (f *fields) get(name string) (Value, bool) {
	if !slices.Contains(f.known, name) {
		f.known = append(f.known, name)
	}
	v, ok := f.v.Lookup(name)
	return v, ok && v.Type != Null
}

// need is get for a key that must be there.
func (f *fields) need(name string) (Value, bool) {
	v, ok := f.get(name)
	if !ok {
		f.missing(name, "is missing")
	}
	return v, ok
}

func (f *fields) missing(name, message string) { f.lacks = append(f.lacks, lack{name, message}) }

// done reports the keys nobody asked for.
func (f *fields) done() { f.doneBut(nil) }

// doneBut is done where some keys are known to belong elsewhere.
func (f *fields) doneBut(elsewhere map[string]string) {
	meant := make(map[string]bool)
	for _, got := range f.v.Fields {
		if slices.Contains(f.known, got.Name) {
			continue
		}
		path := f.path + clip(got.Name, 80)
		if where, ok := elsewhere[got.Name]; ok {
			f.fail(got.At, path, "belongs below %s", where)
			continue
		}
		if before, ok := f.brokenByComma(got); ok {
			e := f.fail(got.At, path, "is not a field here")
			e.Cause = "inside {...} a comma ends a value: put all of " + before + " in quotes"
			continue
		}
		meant[Nearest(got.Name, f.known)] = true
		hint := didYouMean(got.Name, f.known)
		if hint == "" {
			hint = ", known: " + strings.Join(f.known, ", ")
		}
		e := f.fail(got.At, path, "is not a field here%s", hint)
		if e.Snippet != "" && f.mayHoldSecret(got.Name) { // of mistakes that are not told there is none
			e.Snippet = f.src.keySnippet(got.At)
		}
	}
	for _, l := range f.lacks {
		if !meant[l.name] {
			f.fail(f.v.At, f.path+l.name, "%s", l.message)
		}
	}
}

// mayHoldSecret reports whether a key that is not known may be meant for one whose
// value is a credential: in a Server any that is not like another field.
func (f *fields) mayHoldSecret(key string) bool {
	near := Nearest(key, f.known)
	return strings.HasPrefix(f.object, "server ") && f.path != "metadata." && (near == "" || slices.Contains(secretBlocks, near))
}

// typed checks the type of a value that is there.
func (f *fields) typed(v Value, name string, want ValueType) bool {
	if v.Type == want {
		return true
	}
	e := f.fail(v.At, f.path+name, "is %s, want %s", article(v.Type), article(want))
	if want == String && (v.Type == Number || v.Type == Bool) {
		e.Cause = `put it in quotes: "` + v.Text + `"`
	}
	return false
}

func article(t ValueType) string {
	if t == Null {
		return "empty"
	}
	return "a " + t.String()
}

func (f *fields) str(name string) (string, Position) {
	v, ok := f.get(name)
	if !ok || !f.typed(v, name, String) {
		return "", v.At
	}
	return v.Text, v.At
}

func (f *fields) boolean(name string, absent bool) bool {
	v, ok := f.get(name)
	if !ok || !f.typed(v, name, Bool) {
		return absent
	}
	return v.Text == "true"
}

// word reads a string that must be one of a few.
func (f *fields) word(name, absent string, words ...string) string {
	v, ok := f.get(name)
	if !ok || !f.typed(v, name, String) {
		return absent
	}
	if !slices.Contains(words, v.Text) {
		f.fail(v.At, f.path+name, "is %q, want %s%s", clip(v.Text, 40), orList(words), didYouMean(v.Text, words))
		return absent
	}
	return v.Text
}

// orList joins words: "direct or proxy".
func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

func (f *fields) integer(name string, absent, least, most int) int {
	v, ok := f.get(name)
	if !ok {
		return absent
	}
	n, ok := v.Int()
	if !ok || n < least || n > most {
		f.fail(v.At, f.path+name, "is %s, want a whole number from %d to %d", v, least, most)
		return absent
	}
	return n
}

// name reads a Name and says where it stands.
func (f *fields) name(name string, absent Name) (Name, Position) {
	v, ok := f.get(name)
	if !ok {
		return absent, f.v.At
	}
	return f.asName(v, name), v.At
}

func (f *fields) asName(v Value, name string) Name {
	if !f.typed(v, name, String) {
		return ""
	}
	if why := nameFault(v.Text); why != "" {
		f.fail(v.At, f.path+name, "%q %s", clip(v.Text, 80), why)
		return ""
	}
	return Name(v.Text)
}

// list returns the items of a list; a value that is none is a mistake.
func (f *fields) list(name string) []Value {
	v, ok := f.get(name)
	if !ok || !f.typed(v, name, List) {
		return nil
	}
	return v.Items
}

func (f *fields) strs(name string) []string {
	var out []string
	for i, item := range f.list(name) {
		if f.typed(item, at(name, i), String) {
			out = append(out, item.Text)
		}
	}
	return out
}

// at is the path of one item: servers[2].
func at(name string, i int) string { return name + "[" + strconv.Itoa(i) + "]" }
