// Package argument reads the arguments of a tool that a controller answers, and says
// in words what is wrong with them: who reads that is a model.
package argument

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/jsonscan"
	"github.com/mcpctl/mcpctl/plugins/src/internal/nearname"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// maxText is how long a string may be, in bytes: patterns are not longer.
const maxText = 4096

// maxTexts is how many strings a list may have.
const maxTexts = 256

// Reader reads the members of an object; a missing one and null are the default. The
// first thing that is wrong is in Problem, what is read afterwards does not count.
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

// Only notes names that are none of those given; with a _ in front they are meant for
// somebody else.
func (r *Reader) Only(names ...string) {
	for _, child := range r.b.JSON().Each(r.at) {
		key := make([]byte, min(child.Key.Len(), maxText))
		_, _ = r.b.ReadAt(key, int64(child.Key.Start))
		name := string(jsonscan.Unquote(nil, key, maxText))
		if strings.HasPrefix(name, "_") || slices.Contains(names, name) {
			continue
		}
		what := "there is no argument " + Quoted(name)
		if near := nearname.Of(name, names, 1); len(near) > 0 {
			what += ", did you mean " + near[0] + "?"
		} else {
			what += ", there are " + strings.Join(names, ", ")
		}
		r.Wrong(what)
		return
	}
}

// Quoted is the start of a text in quotes.
func Quoted(text string) string { return strconv.Quote(caption.Of([]byte(text), 80)) }

// Has reports whether there is a value other than null.
func (r *Reader) Has(name string) bool {
	kind, err := r.b.JSON().Kind(r.pointer(name))
	return err == nil && kind != stage.KindNull
}

func (r *Reader) pointer(name string) string { return r.at + stage.Pointer(name) }

// is reports whether there is a value, which must be of a kind.
func (r *Reader) is(name string, want stage.Kind, how string) bool {
	kind, err := r.b.JSON().Kind(r.pointer(name))
	if err != nil || kind == stage.KindNull {
		return false
	}
	if kind != want {
		r.Wrong(name + " is " + a(kind) + ", want " + how)
		return false
	}
	return true
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
	if !r.is(name, stage.KindString, "a string") {
		return def
	}
	return r.text(name, r.pointer(name))
}

func (r *Reader) text(name, pointer string) string {
	b, err := r.b.JSON().Get(pointer)
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
	if !r.is(name, stage.KindNumber, "a number") {
		return def
	}
	v, err := r.b.JSON().Int(r.pointer(name))
	if f, _ := r.b.JSON().Float(r.pointer(name)); err != nil && f == float64(int64(f)) {
		v, err = int64(f), nil // 1e3, 10.0
	}
	if err != nil || v < int64(least) || v > int64(most) {
		r.Wrong(name + " is " + r.exact(name) + ", want a whole number from " + strconv.Itoa(least) + " to " + strconv.Itoa(most))
		return def
	}
	return int(v)
}

// Number is a number from least to most.
func (r *Reader) Number(name string, def, least, most float64) float64 {
	if !r.is(name, stage.KindNumber, "a number") {
		return def
	}
	v, err := r.b.JSON().Float(r.pointer(name))
	if err != nil || v < least || v > most {
		form := func(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
		r.Wrong(name + " is " + r.exact(name) + ", want a number from " + form(least) + " to " + form(most))
		return def
	}
	return v
}

// exact is the start of a value as it was written.
func (r *Reader) exact(name string) string {
	b, err := r.b.JSON().Get(r.pointer(name))
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
	if !r.is(name, stage.KindBool, "true or false") {
		return def
	}
	v, _ := r.b.JSON().Int(r.pointer(name))
	return v != 0
}

// Texts is a list of strings; a single string is a list of one.
func (r *Reader) Texts(name string) []string {
	if kind, _ := r.b.JSON().Kind(r.pointer(name)); kind == stage.KindString {
		return []string{r.Text(name, "")}
	}
	if !r.is(name, stage.KindArray, "a list of strings") {
		return nil
	}
	n, _ := r.b.JSON().Len(r.pointer(name))
	if n > maxTexts {
		r.Wrong(name + " has " + strconv.Itoa(n) + " entries, at most " + strconv.Itoa(maxTexts))
		return nil
	}
	var list []string
	for i := range n {
		at := r.pointer(name) + "/" + strconv.Itoa(i)
		if kind, _ := r.b.JSON().Kind(at); kind != stage.KindString {
			r.Wrong(name + " holds " + a(kind) + ", want a list of strings")
			return nil
		}
		list = append(list, r.text(name, at))
	}
	return list
}

// Object is where an object stands.
func (r *Reader) Object(name string) (at stage.Span, ok bool) {
	if !r.is(name, stage.KindObject, "an object") {
		return stage.Span{}, false
	}
	at, _, err := r.b.JSON().Span(r.pointer(name))
	return at, err == nil
}
