package object

import (
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// frontMatter is the line before and after the YAML of a Prompt file.
const frontMatter = "---"

// DecodePrompt reads a Prompt or a PromptRequest from the text of its .md file: YAML
// between two --- lines, followed by the content. Without front matter, the whole text
// is the content. Kind and metadata may be left out, because the path of the file
// contains them. Fields of spec may be at the top level. Errors show the name file.
//
// It returns strictyaml.Errors with all errors of the file.
func DecodePrompt(file string, key Key, data []byte) (Object, error) {
	var errs strictyaml.Errors
	src := strictyaml.NewSource(file, string(data))
	fail := func(at strictyaml.Position, format string, args ...any) (Object, error) {
		return nil, strictyaml.Errors{src.Errorf(at, key.String(), "", format, args...)}
	}
	if len(data) > strictyaml.MaxFileBytes {
		return fail(strictyaml.Position{}, "file is larger than the limit of %d bytes", strictyaml.MaxFileBytes)
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	if why, at := strictyaml.CheckText(text, false); why != "" {
		return fail(at, "%s", why)
	}
	front, body, closed := cutFrontMatter(text)
	if why, at := strictyaml.CheckText(front, true); why != "" {
		return fail(strictyaml.Position{Line: at.Line + 1, Column: at.Column}, "%s", why)
	}
	if !closed {
		return fail(strictyaml.Position{Line: 1, Column: 1}, "front matter has no closing --- line")
	}
	r := strictyaml.NewReader(src, &errs)
	r.SetObject(key.String())
	root, ok := strictyaml.ParseAt(src, front, 2, &errs)
	if len(errs) > 0 {
		return nil, errs
	}
	if !ok {
		root = strictyaml.Value{Type: strictyaml.Map, At: strictyaml.Position{Line: 1, Column: 1}}
	}
	o := readPromptFile(r, root, header{key: key, src: src, at: root.At}, body)
	errs.Sort()
	if err := errs.Err(); err != nil {
		return nil, err
	}
	return o, nil
}

// cutFrontMatter splits a file. front is empty if the file has no front matter.
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

func readPromptFile(r *strictyaml.Reader, root strictyaml.Value, h header, body string) Object {
	top := r.Mapping(root, "")
	if v, ok := top.Get("kind"); ok && v.Text != string(h.key.Kind) {
		r.Fail(v.At, "kind", "is %s, want %s in this directory", v, h.key.Kind)
	}
	if v, ok := top.Get("metadata"); ok {
		m := r.Mapping(v, "metadata")
		checkName(m, "name", h.key.Name)
		checkName(m, "project", h.key.Project)
		m.Done()
	}
	spec, ok := top.Get("spec")
	if ok && spec.Type != strictyaml.Map {
		r.Fail(spec.At, "spec", "is %s, want a mapping", spec.Type.WithArticle())
	}
	spec = addTopFields(top, spec)
	if v, ok := spec.Lookup("content"); ok {
		r.Fail(v.At, "content", "is in the front matter, but the content of an .md file is the text after it")
	}
	_, isLink := spec.Lookup("linkTarget")
	if !isLink || strings.TrimSpace(body) != "" {
		content := strictyaml.Value{Type: strictyaml.String, Text: body, At: root.At}
		spec = strictyaml.Value{Type: strictyaml.Map, At: spec.At, Fields: append(slices.Clip(spec.Fields),
			strictyaml.Field{Name: "content", At: spec.At, Value: content})}
	}
	o := readSpec(r, h, spec)
	top.DoneWithMisplaced(misplacedFields(h.key.Kind))
	return o
}

// topFields are the fields of spec that may be at the top level of front matter, as in
// the files of other tools.
var topFields = []string{"priority", "summary", "chapters", "linkTarget"}

// addTopFields returns spec with the fields that are at the top level of the front matter.
func addTopFields(top *strictyaml.Mapping, spec strictyaml.Value) strictyaml.Value {
	all := slices.Clip(spec.Fields)
	for _, field := range top.Value().Fields {
		if !slices.Contains(topFields, field.Name) {
			continue
		}
		top.Register(field.Name)
		if _, dup := spec.Lookup(field.Name); dup {
			top.Fail(field.At, field.Name, "is at the top level and in spec, want one of the two")
			continue
		}
		all = append(all, field)
	}
	if len(all) == len(spec.Fields) {
		return spec
	}
	if spec.Type != strictyaml.Map {
		spec.At = top.Value().At
	}
	return strictyaml.Value{Type: strictyaml.Map, At: spec.At, Fields: all}
}

// checkName adds an error if a field of metadata differs from the path of the file.
func checkName(m *strictyaml.Mapping, field string, want Name) {
	if v, ok := m.Get(field); ok && v.Text != string(want) {
		m.Fail(v.At, m.Path(field), "is %s, but the path of the file has %q", v, want)
	}
}

// EncodePrompt returns a Prompt or a PromptRequest as the text of its .md file.
func EncodePrompt(o Object) []byte {
	v := toValue(o, unmasked)
	body := ""
	for i, f := range v.Fields {
		if f.Name != "spec" {
			continue
		}
		spec := strictyaml.Builder{}
		for _, field := range f.Value.Fields {
			if field.Name == "content" {
				body = field.Value.Text
				continue
			}
			spec = spec.Add(field.Name, field.Value)
		}
		v.Fields[i].Value = spec.Value()
	}
	out := strictyaml.AppendYAML([]byte(frontMatter+"\n"), v)
	return append(append(out, frontMatter+"\n"...), body...)
}
