// Package argument reads the arguments of a tool that a controller answers, and says
// in words what is wrong with them: who reads that is a model.
package argument

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/nearname"
	"github.com/mcpctl/mcpctl/plugins/src/scan/json"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// maxText is how long a string may be, in bytes: patterns are not longer.
const maxText = 4096

// maxTexts is how many strings a list may have.
const maxTexts = 256

// Reader reads the members of an object; a missing one and null are the default. Models
// write "3" for 3 and put an object into a string: what holds the JSON that is wanted
// is taken for it, and an empty string where none is wanted for a missing one. The first
// thing that is wrong is in Problem, what is read afterwards does not count.
type Reader struct {
	b       stage.Buf
	at      string
	problem string
}

// Read reads the object that a pointer of b leads to. One that is not there has no
// members.
func Read(b stage.Buf, pointer string) *Reader { return &Reader{b: b, at: pointer} }

// Problem is what is wrong, empty if nothing is.
func (r *Reader) Problem() string { return r.problem }

// Wrong notes something that is wrong.
func (r *Reader) Wrong(what string) {
	if r.problem == "" {
		r.problem = what
	}
}

// Only notes names that are none of those given.
func (r *Reader) Only(names ...string) {
	name := r.Unknown(names...)
	if name == "" {
		return
	}
	what := "there is no argument " + Quoted(name)
	if near := nearname.Of(name, names, 1); len(near) > 0 {
		what += ", did you mean " + near[0] + "?"
	} else {
		what += ", there are " + strings.Join(names, ", ")
	}
	r.Wrong(what)
}

// Unknown is the first name that is none of those given; with a _ in front they are
// meant for somebody else.
func (r *Reader) Unknown(names ...string) string {
	for _, child := range r.b.JSON().Each(r.at) {
		key := make([]byte, min(child.Key.Len(), maxText))
		_, _ = r.b.ReadAt(key, int64(child.Key.Start))
		name := string(json.Unquote(nil, key, maxText))
		if strings.HasPrefix(name, "_") || slices.Contains(names, name) {
			continue
		}
		return name
	}
	return ""
}

// Quoted is the start of a text in quotes.
func Quoted(text string) string { return strconv.Quote(caption.Of([]byte(text), 80)) }

// Has reports whether there is a value other than null.
func (r *Reader) Has(name string) bool {
	kind, err := r.b.JSON().Kind(r.pointer(name))
	return err == nil && kind != stage.KindNull
}

func (r *Reader) pointer(name string) string { return r.at + stage.Pointer(name) }

// value is where a value stands: in the arguments, or alone in a string of them.
type value struct {
	b  stage.Buf
	at string
}

func (v value) json() stage.JSON { return v.b.JSON() }

// value finds the value of a name, which must be of a kind.
func (r *Reader) value(name string, want stage.Kind, how string) (value, bool) {
	v := value{r.b, r.pointer(name)}
	kind, err := v.json().Kind(v.at)
	switch {
	case err != nil || kind == stage.KindNull:
		return v, false
	case kind == want:
		return v, true
	}
	if kind == stage.KindString {
		held, err := v.json().Get(v.at)
		if err == nil && held.Len() == 0 {
			return v, false
		}
		if k, failed := held.JSON().Kind(""); err == nil && failed == nil && k == want {
			return value{held, ""}, true
		}
	}
	r.Wrong(name + " is " + a(kind) + ", want " + how)
	return v, false
}

// a is a kind with its article.
func a(k stage.Kind) string {
	switch k {
	case stage.KindArray, stage.KindObject:
		return "an " + k.String()
	}
	return "a " + k.String()
}

// Text is a string of up to 4,096 bytes.
func (r *Reader) Text(name, def string) string {
	v, ok := r.value(name, stage.KindString, "a string")
	if !ok {
		return def
	}
	return r.text(name, v)
}

func (r *Reader) text(name string, v value) string {
	b, err := v.json().Get(v.at)
	if err != nil {
		r.Wrong(name + ": " + err.Error())
		return ""
	}
	defer b.Free()
	if n := b.Len(); n > maxText {
		r.Wrong(name + " has " + strconv.Itoa(n) + " bytes, at most " + strconv.Itoa(maxText))
		return ""
	}
	return strings.Clone(b.String())
}

// Word is one of several strings.
func (r *Reader) Word(name, def string, words ...string) string {
	word := r.Text(name, def)
	if word == "" {
		return def
	}
	if word == def || slices.Contains(words, word) {
		return word
	}
	what := name + " " + Quoted(word) + " unknown, want "
	if def != "" {
		what += "one of "
	}
	r.Wrong(what + strings.Join(words, ", "))
	return def
}

// Int is an integer from least to most.
func (r *Reader) Int(name string, def, least, most int) int {
	v, ok := r.value(name, stage.KindNumber, "a number")
	if !ok {
		return def
	}
	n, err := v.json().Int(v.at)
	if f, _ := v.json().Float(v.at); err != nil && f == float64(int64(f)) {
		n, err = int64(f), nil // 1e3, 10.0
	}
	if err != nil || n < int64(least) || n > int64(most) {
		r.Wrong(name + " is " + v.exact() + ", want a whole number from " + strconv.Itoa(least) + " to " + strconv.Itoa(most))
		return def
	}
	return int(n)
}

// Number is a number from least to most.
func (r *Reader) Number(name string, def, least, most float64) float64 {
	v, ok := r.value(name, stage.KindNumber, "a number")
	if !ok {
		return def
	}
	f, err := v.json().Float(v.at)
	if err != nil || f < least || f > most {
		form := func(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
		r.Wrong(name + " is " + v.exact() + ", want a number from " + form(least) + " to " + form(most))
		return def
	}
	return f
}

// exact is the start of a value as it was written.
func (v value) exact() string {
	b, err := v.json().Get(v.at)
	if err != nil {
		return "wrong"
	}
	defer b.Free()
	text := make([]byte, min(b.Len(), 40))
	_, _ = b.ReadAt(text, 0)
	return string(text)
}

// Bool is true or false.
func (r *Reader) Bool(name string, def bool) bool {
	v, ok := r.value(name, stage.KindBool, "true or false")
	if !ok {
		return def
	}
	n, _ := v.json().Int(v.at)
	return n != 0
}

// Texts is a list of strings; a single string is a list of one.
func (r *Reader) Texts(name string) []string {
	v := value{r.b, r.pointer(name)}
	if kind, _ := v.json().Kind(v.at); kind == stage.KindString {
		held, err := v.json().Get(v.at)
		if err != nil || !listsTexts(held) {
			return []string{r.text(name, v)}
		}
		v = value{held, ""}
	} else if _, ok := r.value(name, stage.KindArray, "a list of strings"); !ok {
		return nil
	}
	n, _ := v.json().Len(v.at)
	if n > maxTexts {
		r.Wrong(name + " has " + strconv.Itoa(n) + " entries, at most " + strconv.Itoa(maxTexts))
		return nil
	}
	var list []string
	for i := range n {
		at := v.at + "/" + strconv.Itoa(i)
		if kind, _ := v.json().Kind(at); kind != stage.KindString {
			r.Wrong(name + " holds " + a(kind) + ", want a list of strings")
			return nil
		}
		list = append(list, r.text(name, value{v.b, at}))
	}
	return list
}

// listsTexts reports whether b is a list of strings in JSON; [0] may be meant as it is.
func listsTexts(b stage.Buf) bool {
	if kind, err := b.JSON().Kind(""); err != nil || kind != stage.KindArray {
		return false
	}
	kind, err := b.JSON().Kind("/0")
	return err == nil && kind == stage.KindString
}

// Object is where an object stands, in b.
func (r *Reader) Object(name string) (b stage.Buf, at stage.Span, ok bool) {
	v, ok := r.value(name, stage.KindObject, "an object")
	if !ok {
		return stage.Buf{}, stage.Span{}, false
	}
	at, _, err := v.json().Span(v.at)
	return v.b, at, err == nil
}
