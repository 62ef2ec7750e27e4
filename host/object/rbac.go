package object

import (
	"slices"

	"github.com/mcpctl/mcpctl/host/strictyaml"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

// Verb is what a subject may do with an Object.
type Verb string

// The Verbs.
const (
	VerbView    Verb = "view"
	VerbEdit    Verb = "edit"
	VerbCreate  Verb = "create"
	VerbDelete  Verb = "delete"
	VerbRun     Verb = "run"     // call the tools of a Server, have content transformed by a ProxyModel
	VerbCache   Verb = "cache"   // store results of a ProxyModel for others
	VerbOperate Verb = "operate" // restart and stop what runs
	VerbAdmin   Verb = "admin"   // all of the above, and what only administrators may do
)

// Verbs returns all Verbs.
func Verbs() []Verb {
	return []Verb{VerbView, VerbEdit, VerbCreate, VerbDelete, VerbRun, VerbCache, VerbOperate, VerbAdmin}
}

func verbNames() []string {
	var names []string
	for _, v := range Verbs() {
		names = append(names, string(v))
	}
	return names
}

// RbacBinding allows subjects to do something with Objects of a team server. What no
// binding allows is denied.
type RbacBinding struct {
	header
	Spec RbacBindingSpec
}

// RbacBindingSpec is the configuration of an RbacBinding. An Object must match Kinds, Names
// and Projects.
type RbacBindingSpec struct {
	Subjects []RbacSubject
	Verbs    []Verb
	Kinds    []Kind   // nil: all
	Names    []string // globs with * and ?; nil: all
	Projects []string // globs with * and ?; nil: all, and Objects that belong to no project
}

// RbacSubject is a User, a Group or a ServiceAccount.
type RbacSubject struct {
	Kind Kind
	Ref
}

// subjectFields are the fields of a subject, exactly one of which is set.
var subjectFields = []struct {
	name string
	kind Kind
}{
	{"user", KindUser},
	{"group", KindGroup},
	{"serviceAccount", KindServiceAccount},
}

// oneSubjectField describes a valid subject in errors.
const oneSubjectField = "want exactly one of user, group and serviceAccount"

func readRbacBinding(m *strictyaml.Mapping, h header) *RbacBinding {
	b := &RbacBinding{header: h}
	b.Spec.Subjects = readSubjects(m)
	if _, ok := m.Need("verbs"); ok {
		b.Spec.Verbs = readWords(m, "verbs", Verbs())
	}
	b.Spec.Kinds = readWords(m, "kinds", AllKinds())
	b.Spec.Names = readGlobs(m, "names")
	b.Spec.Projects = readGlobs(m, "projects")
	m.Done()
	return b
}

func readSubjects(m *strictyaml.Mapping) []RbacSubject {
	if _, ok := m.Need("subjects"); !ok {
		return nil
	}
	var out []RbacSubject
	for i, item := range readFilledList(m, "subjects") {
		path := strictyaml.ItemPath("subjects", i)
		s, ok := readSubject(m, item, path)
		if !ok {
			continue
		}
		if slices.ContainsFunc(out, func(o RbacSubject) bool { return o.Kind == s.Kind && o.Name == s.Name }) {
			m.Fail(item.At, path, "%q is written twice", s.Name)
			continue
		}
		out = append(out, s)
	}
	return out
}

func readSubject(m *strictyaml.Mapping, v strictyaml.Value, path string) (s RbacSubject, ok bool) {
	if v.Type != strictyaml.Map {
		m.Fail(v.At, path, "is %s, want {user: NAME}, {group: NAME} or {serviceAccount: NAME}", v.Type.WithArticle())
		return s, false
	}
	one := m.Mapping(v, path)
	for _, field := range subjectFields {
		name, isSet := one.Get(field.name)
		switch {
		case isSet && s.Kind != "":
			one.Fail(name.At, one.Path(field.name), "is set together with another subject, "+oneSubjectField)
		case isSet:
			s = RbacSubject{field.kind, Ref{ReadName(one, name, field.name), name.At}}
		}
	}
	if s.Kind == "" && !slices.ContainsFunc(v.Fields, isNoSubject) { // otherwise Done reports that field
		one.Fail(v.At, path, "has no name, "+oneSubjectField)
	}
	one.Done()
	return s, s.Name != ""
}

// isNoSubject reports whether a field of a subject is unknown.
func isNoSubject(f strictyaml.Field) bool {
	for _, known := range subjectFields {
		if f.Name == known.name {
			return false
		}
	}
	return true
}

// readFilledList reads a list that is absent or has items. An empty list and a null are
// errors: users who empty or comment out the items do not mean all Objects.
func readFilledList(m *strictyaml.Mapping, field string) []strictyaml.Value {
	m.Register(field)
	v, ok := m.Value().Lookup(field)
	if !ok || !m.HasType(v, field, strictyaml.List) {
		return nil
	}
	if len(v.Items) == 0 {
		m.Fail(v.At, field, "is empty, want a list with at least one item")
	}
	return v.Items
}

// readUnique reads a list of strings without duplicates. check reports invalid strings.
func readUnique[T ~string](m *strictyaml.Mapping, field string, check func(v strictyaml.Value, path string) bool) []T {
	var out []T
	for i, item := range readFilledList(m, field) {
		path := strictyaml.ItemPath(field, i)
		if !m.HasType(item, path, strictyaml.String) || !check(item, path) {
			continue
		}
		if slices.Contains(out, T(item.Text)) {
			m.Fail(item.At, path, "%q is written twice", item.Text)
			continue
		}
		out = append(out, T(item.Text))
	}
	return out
}

// readWords reads a list of words.
func readWords[T ~string](m *strictyaml.Mapping, field string, words []T) []T {
	var known []string
	for _, w := range words {
		known = append(known, string(w))
	}
	return readUnique[T](m, field, func(v strictyaml.Value, path string) bool {
		if slices.Contains(known, v.Text) {
			return true
		}
		hint := suggest.DidYouMean(v.Text, known)
		if hint == "" {
			hint = ", want " + strictyaml.OrList(known)
		}
		m.Fail(v.At, path, "%q is unknown%s", strictyaml.Clip(v.Text, 40), hint)
		return false
	})
}

// readGlobs reads a list of globs for Names.
func readGlobs(m *strictyaml.Mapping, field string) []string {
	return readUnique[string](m, field, func(v strictyaml.Value, path string) bool {
		why := globFault(v.Text)
		if why != "" {
			m.Fail(v.At, path, "%q %s", strictyaml.Clip(v.Text, 80), why)
		}
		return why == ""
	})
}

func (s RbacBindingSpec) fields() strictyaml.Builder {
	subjects := strictyaml.Value{Type: strictyaml.List}
	for _, subject := range s.Subjects {
		for _, field := range subjectFields {
			if field.kind == subject.Kind {
				one := strictyaml.Builder{}.Add(field.name, strictyaml.NewText(string(subject.Name)))
				subjects.Items = append(subjects.Items, one.Value())
			}
		}
	}
	b := strictyaml.Builder{}.Add("subjects", subjects).Add("verbs", newWords(s.Verbs))
	return b.AddIf(len(s.Kinds) > 0, "kinds", newWords(s.Kinds)).
		AddIf(len(s.Names) > 0, "names", strictyaml.NewTexts(s.Names)).
		AddIf(len(s.Projects) > 0, "projects", strictyaml.NewTexts(s.Projects))
}

func newWords[T ~string](words []T) strictyaml.Value {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = string(w)
	}
	return strictyaml.NewTexts(texts)
}
