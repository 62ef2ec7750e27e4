package compare

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/studio/screen"
)

// JSON returns the values that were removed, added or changed, each with its path. ok is
// false if one of the texts is not a JSON object or array.
func JSON(before, after string) (rows []screen.Row, ok bool) {
	a, okA := decode(before)
	b, okB := decode(after)
	if !okA || !okB {
		return nil, false
	}
	var w walker
	w.values("", a, b)
	if len(w.rows) == 0 {
		return note("the same values, written differently"), true
	}
	return w.rows, true
}

func decode(s string) (v any, ok bool) {
	if s = strings.TrimSpace(s); s == "" || s[0] != '{' && s[0] != '[' {
		return nil, false
	}
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil, false
	}
	_, err := d.Token()
	return v, err == io.EOF
}

type walker struct{ rows []screen.Row }

func (w *walker) values(path string, a, b any) {
	switch a := a.(type) {
	case map[string]any:
		if b, ok := b.(map[string]any); ok {
			w.objects(path, a, b)
			return
		}
	case []any:
		if b, ok := b.([]any); ok {
			w.arrays(path, a, b)
			return
		}
	}
	before, after := encode(a), encode(b)
	if before == after {
		return
	}
	minus, plus := changedLine(line(path, before), line(path, after))
	w.rows = append(w.rows, minus, plus)
}

func (w *walker) objects(path string, a, b map[string]any) {
	names := slices.Sorted(maps.Keys(a))
	for name := range b {
		if _, ok := a[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		va, inA := a[name]
		vb, inB := b[name]
		w.member(join(path, name), va, vb, inA, inB)
	}
}

// arrays compares items from both ends, so that an item that was added or removed does not
// change the index of all others.
func (w *walker) arrays(path string, a, b []any) {
	start := 0
	for start < min(len(a), len(b)) && encode(a[start]) == encode(b[start]) {
		start++
	}
	end := 0
	for end < min(len(a), len(b))-start && encode(a[len(a)-1-end]) == encode(b[len(b)-1-end]) {
		end++
	}
	a, b = a[start:len(a)-end], b[start:len(b)-end]
	for i := range max(len(a), len(b)) {
		var va, vb any
		inA, inB := i < len(a), i < len(b)
		if inA {
			va = a[i]
		}
		if inB {
			vb = b[i]
		}
		w.member(fmt.Sprintf("%s[%d]", path, start+i), va, vb, inA, inB)
	}
}

func (w *walker) member(path string, a, b any, inA, inB bool) {
	switch {
	case !inB:
		w.rows = append(w.rows, screen.Row{Text: "- " + shorten(line(path, encode(a))), Style: screen.Red})
	case !inA:
		w.rows = append(w.rows, screen.Row{Text: "+ " + shorten(line(path, encode(b))), Style: screen.Green})
	default:
		w.values(path, a, b)
	}
}

func line(path, value string) string {
	if path == "" {
		path = "."
	}
	return screen.Clean(path + ": " + value)
}

// encode returns a value as compact JSON with sorted names.
func encode(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil { // only for values that were not decoded from JSON
		return err.Error()
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func join(path, name string) string {
	if strings.ContainsAny(name, `."[] `) || name == "" {
		name = encode(name)
	}
	if path == "" {
		return name
	}
	return path + "." + name
}
