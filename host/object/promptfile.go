package object

import (
	"slices"
	"strings"
)

// frontMatter is the line before and after the YAML of a Prompt file.
const frontMatter = "---"

// decodePromptFile reads prompts/<project>/<name>.md: YAML between two --- lines
// and the content below, byte for byte. Without front matter all is content;
// kind and metadata may be left out, for the path says them. Fields of spec may be at
// the top.
func decodePromptFile(file string, data []byte, key Key) (Object, Errors) {
	var errs Errors
	src := newSource(file, string(data))
	if len(data) > maxFileBytes {
		return nil, Errors{src.Errorf(Position{}, key.String(), "", "file is larger than the limit of %d bytes", maxFileBytes)}
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	if why, at := textFault(text, false); why != "" {
		return nil, Errors{src.Errorf(at, key.String(), "", "%s", why)}
	}
	front, body, closed := cutFrontMatter(text)
	if why, at := textFault(front, true); why != "" {
		return nil, Errors{src.Errorf(Position{at.Line + 1, at.Column}, key.String(), "", "%s", why)}
	}
	if !closed {
		return nil, Errors{src.Errorf(Position{1, 1}, key.String(), "", "front matter has no closing --- line")}
	}
	r := &reader{src: src, errs: &errs, object: key.String()}
	root := Value{Type: Map, At: Position{1, 1}}
	if front != "" {
		b := treeBuilder{src: src, errs: &errs, firstLine: 2}
		if d := (document{front, 2}); !d.empty() {
			root, _ = b.parse(front)
		}
	}
	if len(errs) > 0 {
		return nil, errs
	}
	o := r.frontMatter(root, header{key: key, src: src, at: root.At}, body)
	errs.Sort()
	return o, errs
}

// cutFrontMatter splits a file; front is empty if it has none.
func cutFrontMatter(text string) (front, body string, closed bool) {
	first, rest, more := strings.Cut(text, "\n")
	if strings.TrimRight(first, " \t\r") != frontMatter || !more {
		return "", text, true
	}
	for at := 0; at < len(rest); {
		line, after := rest[at:], len(rest)
		if end := strings.IndexByte(line, '\n'); end >= 0 {
			line, after = line[:end], at+end+1
		}
		if strings.TrimRight(line, " \t\r") == frontMatter {
			return rest[:at], rest[after:], true
		}
		at = after
	}
	return "", "", false
}

func (r *reader) frontMatter(root Value, h header, body string) Object {
	top := r.mapping(root, "")
	if v, ok := top.get("kind"); ok && v.Text != string(h.key.Kind) {
		r.fail(v.At, "kind", "is %s, want %s in this folder", v, h.key.Kind)
	}
	if v, ok := top.get("metadata"); ok {
		f := r.mapping(v, "metadata")
		f.mustBe("name", h.key.Name)
		f.mustBe("project", h.key.Project)
		f.done()
	}
	spec, ok := top.get("spec")
	if ok && spec.Type != Map {
		r.fail(spec.At, "spec", "is %s, want a mapping", article(spec.Type))
	}
	spec = r.hoisted(top, spec)
	if v, ok := spec.Lookup("content"); ok {
		r.fail(v.At, "content", "stands in the front matter, in an .md file it is what follows it")
	}
	_, isLink := spec.Lookup("linkTarget")
	if !isLink || strings.TrimSpace(body) != "" {
		spec = Value{Type: Map, At: spec.At, Fields: append(spec.Fields[:len(spec.Fields):len(spec.Fields)],
			Field{Name: "content", At: spec.At, Value: Value{Type: String, Text: body, At: root.At}})}
	}
	o := r.spec(h, spec)
	top.doneBut(misplaced(h.key.Kind))
	return o
}

// flatFields are the fields of spec that may be at the top of front matter, as in the
// front matter of other tools.
var flatFields = []string{"priority", "summary", "chapters", "linkTarget"}

// hoisted returns spec with the fields that are at the top of the front matter.
func (r *reader) hoisted(top *fields, spec Value) Value {
	all := spec.Fields[:len(spec.Fields):len(spec.Fields)]
	for _, field := range top.v.Fields {
		if !slices.Contains(flatFields, field.Name) {
			continue
		}
		top.get(field.Name)
		if _, twice := spec.Lookup(field.Name); twice {
			r.fail(field.At, field.Name, "is at the top and in spec, want one of the two")
			continue
		}
		all = append(all, field)
	}
	if len(all) == len(spec.Fields) {
		return spec
	}
	if spec.Type != Map {
		spec.At = top.v.At
	}
	return Value{Type: Map, At: spec.At, Fields: all}
}

// mustBe checks a field of metadata that repeats what the path says.
func (f *fields) mustBe(name string, want Name) {
	if v, ok := f.get(name); ok && v.Text != string(want) {
		f.fail(v.At, f.path+name, "is %s, the file's path says %q", v, want)
	}
}

// encodePromptFile is the opposite of decodePromptFile.
func encodePromptFile(o Object) []byte {
	v := toValue(o, asWritten)
	body := ""
	for i, f := range v.Fields {
		if f.Name != "spec" {
			continue
		}
		spec := pairs{}
		for _, field := range f.Value.Fields {
			if field.Name == "content" {
				body = field.Value.Text
				continue
			}
			spec = spec.add(field.Name, field.Value)
		}
		v.Fields[i].Value = spec.value()
	}
	out := appendYAML([]byte(frontMatter+"\n"), v)
	return append(append(out, frontMatter+"\n"...), body...)
}

// DecodePrompt reads a Prompt or a PromptRequest from the text of its .md file.
// file is the name that errors show.
//
// Errors: Errors with every mistake; then there is no Object.
func DecodePrompt(file string, key Key, text []byte) (Object, error) {
	o, errs := decodePromptFile(file, text, key)
	if err := errs.Err(); err != nil {
		return nil, err
	}
	return o, nil
}

// EncodePrompt prints a Prompt or a PromptRequest as its .md file.
func EncodePrompt(o Object) []byte { return encodePromptFile(o) }
