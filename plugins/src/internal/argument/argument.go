// Package argument reads the arguments of a tool that a controller answers, and describes
// invalid ones to a model.
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

// maxText is the limit of a string in bytes, which is enough for a pattern.
const maxText = 4096

// maxTexts is the limit of strings in a list.
const maxTexts = 256

// Reader reads the members of an object. A missing member or null is the default. Models
// write "3" for 3 and put an object into a string, so a string that contains JSON of the
// expected kind is accepted, and an empty string of another kind counts as missing.
// Problem returns the first error; values read after it are not meaningful.
type Reader struct {
	b       stage.Buf
	at      string
	problem string
}

// Read returns a Reader for the object at a JSON pointer in b. A missing object has no
// members.
func Read(b stage.Buf, pointer string) *Reader { return &Reader{b: b, at: pointer} }

// Problem returns the first error, or "".
func (r *Reader) Problem() string { return r.problem }

// Fail records an error unless there is one already.
func (r *Reader) Fail(message string) {
	if r.problem == "" {
		r.problem = message
	}
}

// RejectOthers records an error if the object has a name other than names.
func (r *Reader) RejectOthers(names ...string) {
	name := r.FirstUnknown(names...)
	if name == "" {
		return
	}
	message := "there is no argument " + Quote(name)
	if near := nearname.Of(name, names, 1); len(near) > 0 {
		message += ", did you mean " + near[0] + "?"
	} else {
		message += ", there are " + strings.Join(names, ", ")
	}
	r.Fail(message)
}

// FirstUnknown returns the first name other than names, or "". Names that begin with _ are
// meant for other programs and ignored.
func (r *Reader) FirstUnknown(names ...string) string {
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

// Quote returns the start of a text in quotes.
func Quote(text string) string { return strconv.Quote(caption.Of([]byte(text), 80)) }

// Has reports whether there is a value other than null.
func (r *Reader) Has(name string) bool {
	kind, err := r.b.JSON().Kind(r.pointer(name))
	return err == nil && kind != stage.KindNull
}

func (r *Reader) pointer(name string) string { return r.at + stage.Pointer(name) }

// value is the position of a value, in the arguments or in a string of them.
type value struct {
	b  stage.Buf
	at string
}

func (v value) json() stage.JSON { return v.b.JSON() }

// find returns the value of a name if it has the expected kind.
func (r *Reader) find(name string, want stage.Kind, how string) (value, bool) {
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
	r.Fail(name + " is " + withArticle(kind) + ", want " + how)
	return v, false
}

// withArticle returns a kind with its article.
func withArticle(k stage.Kind) string {
	switch k {
	case stage.KindArray, stage.KindObject:
		return "an " + k.String()
	}
	return "a " + k.String()
}

// Text returns a string of up to 4,096 bytes.
func (r *Reader) Text(name, def string) string {
	v, ok := r.find(name, stage.KindString, "a string")
	if !ok {
		return def
	}
	return r.text(name, v)
}

func (r *Reader) text(name string, v value) string {
	b, err := v.json().Get(v.at)
	if err != nil {
		r.Fail(name + ": " + err.Error())
		return ""
	}
	defer b.Free()
	if n := b.Len(); n > maxText {
		r.Fail(name + " has " + strconv.Itoa(n) + " bytes, at most " + strconv.Itoa(maxText))
		return ""
	}
	return strings.Clone(b.String())
}

// Word returns one of several strings.
func (r *Reader) Word(name, def string, words ...string) string {
	word := r.Text(name, def)
	if word == "" {
		return def
	}
	if word == def || slices.Contains(words, word) {
		return word
	}
	message := name + " " + Quote(word) + " unknown, want "
	if def != "" {
		message += "one of "
	}
	r.Fail(message + strings.Join(words, ", "))
	return def
}

// Int returns an integer from least to most.
func (r *Reader) Int(name string, def, least, most int) int {
	v, ok := r.find(name, stage.KindNumber, "a number")
	if !ok {
		return def
	}
	n, err := v.json().Int(v.at)
	if f, _ := v.json().Float(v.at); err != nil && f == float64(int64(f)) {
		n, err = int64(f), nil // 1e3, 10.0
	}
	if err != nil || n < int64(least) || n > int64(most) {
		r.Fail(name + " is " + v.literal() + ", want a whole number from " + strconv.Itoa(least) + " to " + strconv.Itoa(most))
		return def
	}
	return int(n)
}

// Number returns a number from least to most.
func (r *Reader) Number(name string, def, least, most float64) float64 {
	v, ok := r.find(name, stage.KindNumber, "a number")
	if !ok {
		return def
	}
	f, err := v.json().Float(v.at)
	if err != nil || f < least || f > most {
		form := func(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
		r.Fail(name + " is " + v.literal() + ", want a number from " + form(least) + " to " + form(most))
		return def
	}
	return f
}

// literal returns the start of the JSON text of a value.
func (v value) literal() string {
	b, err := v.json().Get(v.at)
	if err != nil {
		return "wrong"
	}
	defer b.Free()
	text := make([]byte, min(b.Len(), 40))
	_, _ = b.ReadAt(text, 0)
	return string(text)
}

// Bool returns a boolean.
func (r *Reader) Bool(name string, def bool) bool {
	v, ok := r.find(name, stage.KindBool, "true or false")
	if !ok {
		return def
	}
	n, _ := v.json().Int(v.at)
	return n != 0
}

// Texts returns a list of strings; a single string is a list of one.
func (r *Reader) Texts(name string) []string {
	v := value{r.b, r.pointer(name)}
	if kind, _ := v.json().Kind(v.at); kind == stage.KindString {
		held, err := v.json().Get(v.at)
		if err != nil || !isTextList(held) {
			return []string{r.text(name, v)}
		}
		v = value{held, ""}
	} else if _, ok := r.find(name, stage.KindArray, "a list of strings"); !ok {
		return nil
	}
	n, _ := v.json().Len(v.at)
	if n > maxTexts {
		r.Fail(name + " has " + strconv.Itoa(n) + " entries, at most " + strconv.Itoa(maxTexts))
		return nil
	}
	var list []string
	for i := range n {
		at := v.at + "/" + strconv.Itoa(i)
		if kind, _ := v.json().Kind(at); kind != stage.KindString {
			r.Fail(name + " holds " + withArticle(kind) + ", want a list of strings")
			return nil
		}
		list = append(list, r.text(name, value{v.b, at}))
	}
	return list
}

// isTextList reports whether b is a JSON list of strings. A text such as [0] may be meant literally.
func isTextList(b stage.Buf) bool {
	if kind, err := b.JSON().Kind(""); err != nil || kind != stage.KindArray {
		return false
	}
	kind, err := b.JSON().Kind("/0")
	return err == nil && kind == stage.KindString
}

// Object returns the span of an object in b.
func (r *Reader) Object(name string) (b stage.Buf, at stage.Span, ok bool) {
	v, ok := r.find(name, stage.KindObject, "an object")
	if !ok {
		return stage.Buf{}, stage.Span{}, false
	}
	at, _, err := v.json().Span(v.at)
	return v.b, at, err == nil
}
