package compress

import (
	"bytes"
	"slices"
)

// state writes a fact of the head of a page, unless it was written.
func (r *reader) state(name string, value []byte) {
	value = bytes.TrimSpace(value)
	if len(value) == 0 || slices.Contains(r.stated, string(value)) {
		return
	}
	if len(r.stated) < maxStated {
		r.stated = append(r.stated, string(value))
	}
	r.line(name+": ", value)
}

// maxStated bounds the facts that are compared.
const maxStated = 64

// headNames are the names of facts in the head, after a prefix such as og: or article:.
var headNames = []string{"description", "author", "creator", "publisher", "keywords", "date", "published_time", "modified_time", "refresh"}

// readHead reads a tag of the head.
func (r *reader) readHead() {
	switch r.Name {
	case "base":
		r.state("base", r.Attribute("href"))
	case "link":
		if rel := string(bytes.ToLower(r.Attribute("rel"))); rel == "canonical" || rel == "license" || rel == "next" || rel == "prev" {
			r.state(rel, r.Attribute("href"))
		}
	case "meta":
		var name []byte
		for _, key := range []string{"name", "property", "itemprop", "http-equiv"} {
			if name = r.Attribute(key); name != nil {
				break
			}
		}
		name = bytes.ToLower(name[bytes.LastIndexAny(name, ":.")+1:])
		if slices.Contains(headNames, string(name)) {
			r.state(string(name), r.Attribute("content"))
		}
	}
}

// startForm reads a form or one of its fields. Fields that a reader does not see are left out.
func (r *reader) startForm() {
	switch r.Name {
	case "form":
		r.separate(blankLine)
		if action := r.Attribute("action"); len(action) > 0 {
			method := r.Attribute("method")
			if method == nil {
				method = []byte("get")
			}
			r.line("form: ", append(append(slices.Clone(method), ' '), action...))
		}
	case "input":
		r.readInput()
	case "select":
		r.openCell()
		r.separate(blank)
		r.endSelect()
		r.write("[" + nameOf(r.Attribute("name"), ": "))
		r.options = 0
	case "option":
		r.endOption()
		if r.options > 0 {
			r.write(";")
			r.separate(blank)
		}
		r.chosen = r.Attribute("selected") != nil
		r.options++
	}
}

func (r *reader) endOption() {
	if r.chosen {
		r.write(" (selected)")
		r.chosen = false
	}
}

func (r *reader) endSelect() {
	r.endOption()
	if r.options >= 0 {
		r.write("]")
	}
	r.options = -1
}

func (r *reader) readInput() {
	value, name := r.Attribute("value"), nameOf(r.Attribute("name"), "")
	if value == nil {
		value = r.Attribute("placeholder")
	}
	mark := ""
	switch string(bytes.ToLower(r.Attribute("type"))) {
	case "hidden":
		return
	case "submit", "button", "reset", "image":
		name = ""
	case "checkbox", "radio":
		if mark = "[ ] "; r.Attribute("checked") != nil {
			mark = "[x] "
		}
	}
	if name != "" && len(value) > 0 {
		name += ": "
	}
	r.openCell()
	r.separate(blank)
	r.write(mark + "[" + name)
	r.words(value)
	r.write("]")
	r.separate(blank)
}

// nameOf returns the name of a field with an end, empty if it has none.
func nameOf(name []byte, end string) string {
	if len(name) == 0 {
		return ""
	}
	return string(name) + end
}
