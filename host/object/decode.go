package object

import "slices"

// Decode reads all documents of a YAML or JSON file. file is the name that
// errors show.
//
// Warnings are about what is accepted but should be written otherwise.
//
// Errors: Errors with every mistake of the file; then there are no Objects.
// Limits: 1 MiB, 1,000 documents, 8,000 values in each, 64 levels.
func Decode(file string, data []byte) (objects []Object, warnings Errors, err error) {
	var errs Errors
	src := newSource(file, string(data))
	seen := make(map[Key]int)
	for _, doc := range parseFile(src, data, &errs) {
		r := &reader{src: src, errs: &errs}
		o := r.document(doc)
		warnings = append(warnings, r.warns...)
		if o == nil {
			continue
		}
		if first, dup := seen[o.Key()]; dup {
			r.fail(Position{doc.line, 1}, "", "is in this file twice, first in line %d", first)
		}
		seen[o.Key()] = doc.line
		objects = append(objects, o)
	}
	if len(errs) > 0 {
		errs.Sort()
		return nil, warnings, errs
	}
	return objects, warnings, nil
}

// document reads one Object; nil if not even its Kind is known.
func (r *reader) document(doc parsed) Object {
	if doc.root.Type != Map {
		r.fail(doc.root.At, "", "document is %s, want kind, metadata and spec", article(doc.root.Type))
		return nil
	}
	top := r.mapping(doc.root, "")
	kind, ok := top.kind()
	if !ok {
		return nil
	}
	h := header{src: r.src, at: doc.root.At, text: &doc.text}
	h.key.Kind = kind
	r.metadata(top, &h)
	spec, ok := top.get("spec")
	if !ok {
		spec = Value{Type: Map, At: doc.root.At}
	}
	o := r.spec(h, spec)
	top.doneBut(misplaced(kind))
	return o
}

// kind reads the Kind; without one the rest of a document has no meaning.
func (f *fields) kind() (Kind, bool) {
	v, ok := f.get("kind")
	if !ok {
		f.fail(f.v.At, "kind", "is missing, want %s", orList(kindNames()))
	}
	if !ok || !f.typed(v, "kind", String) {
		return "", false
	}
	names := kindNames()
	if slices.Contains(names, v.Text) {
		return Kind(v.Text), true
	}
	hint := didYouMean(v.Text, names)
	if k, ok := ParseKind(v.Text); ok {
		hint = `, did you mean "` + string(k) + `"?`
	}
	if hint == "" {
		hint = ", want " + orList(names)
	}
	f.fail(v.At, "kind", "%q is not known%s", clip(v.Text, 40), hint)
	return "", false
}

func kindNames() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, string(k.kind))
	}
	return names
}

func (r *reader) metadata(top *fields, h *header) {
	v, ok := top.need("metadata")
	if !ok {
		return
	}
	f := r.mapping(v, "metadata")
	if name, ok := f.need("name"); ok {
		h.key.Name = f.asName(name, "name")
	}
	if h.key.Kind.Scoped() {
		if project, ok := f.need("project"); ok {
			h.key.Project = f.asName(project, "project")
		}
	}
	if h.key.Name != "" {
		r.object = h.key.String()
	}
	f.done()
}

func (r *reader) spec(h header, v Value) Object {
	switch h.key.Kind {
	case KindServer:
		return r.server(h, v)
	case KindProject:
		return r.project(h, v)
	case KindProxyModel:
		return r.proxyModel(h, v)
	case KindPrompt:
		return r.prompt(h, v)
	}
	return r.promptRequest(h, v)
}

// specFields are the fields of each spec, for the hint to somebody who wrote
// one of them a level too high.
var specFields = map[Kind][]string{
	KindServer:        {"command", "cwd", "env", "passEnv", "url", "headers", "timeout", "shared", "toolCacheTTL"},
	KindProject:       {"proxyMode", "servers", "gated", "proxyModel", "proxyModelOverrides", "toolNames", "llmProvider"},
	KindProxyModel:    {"controller", "controllerConfig", "stages", "appliesTo", "cacheable"},
	KindPrompt:        {"priority", "summary", "chapters", "linkTarget", "content"},
	KindPromptRequest: {"priority", "content"},
}

// misplaced says where the fields belong that people write a level too high.
func misplaced(kind Kind) map[string]string {
	out := map[string]string{"name": "metadata", "project": "metadata"}
	for _, name := range specFields[kind] {
		out[name] = "spec"
	}
	return out
}
