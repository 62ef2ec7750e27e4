package rbac

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host/object"
)

// decode returns the Objects of a file.
func decode(t *testing.T, text string) Objects {
	t.Helper()
	list, _, err := object.Decode("f.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return Select(list)
}

// accounts are two users in a group, one who is disabled, and a service account that has the
// name of a user.
const accounts = `
kind: User
metadata: {name: anna}
---
kind: User
metadata: {name: ben}
---
kind: User
metadata: {name: left}
spec: {disabled: true}
---
kind: ServiceAccount
metadata: {name: anna}
---
kind: Group
metadata: {name: web}
spec: {members: [anna, left, ghost]}
---
kind: RbacBinding
metadata: {name: b}
spec:
`

func user(name object.Name) Subject { return Subject{object.KindUser, name} }

// TestAllows has one binding and one request per rule.
func TestAllows(t *testing.T) {
	anna, service := user("anna"), Subject{object.KindServiceAccount, "anna"}
	for _, c := range []struct {
		rule, spec string
		subject    Subject
		request    Request
		want       bool
	}{
		{"a verb that is listed", "subjects: [{user: anna}], verbs: [view]", anna, Request{Verb: "view", Kind: "Server", Name: "x"}, true},
		{"a verb that is not listed", "subjects: [{user: anna}], verbs: [view]", anna, Request{Verb: "delete", Kind: "Server", Name: "x"}, false},
		{"admin includes all verbs", "subjects: [{user: anna}], verbs: [admin]", anna, Request{Verb: "operate", Kind: "Server", Name: "x"}, true},
		{"all other verbs do not include admin", "subjects: [{user: anna}], verbs: [view, edit, create, delete, run, cache, operate]", anna, Request{Verb: "admin", Kind: "Server", Name: "x"}, false},
		{"edit includes view", "subjects: [{user: anna}], verbs: [edit]", anna, Request{Verb: "view", Kind: "Server", Name: "x"}, true},
		{"view of other objects is not included", "subjects: [{user: anna}], verbs: [edit], names: [y]", anna, Request{Verb: "view", Kind: "Server", Name: "x"}, false},
		{"view does not include edit", "subjects: [{user: anna}], verbs: [view]", anna, Request{Verb: "edit", Kind: "Server", Name: "x"}, false},
		{"edit does not include create", "subjects: [{user: anna}], verbs: [edit]", anna, Request{Verb: "create", Kind: "Server", Name: "x"}, false},
		{"create does not include view", "subjects: [{user: anna}], verbs: [create]", anna, Request{Verb: "view", Kind: "Server", Name: "x"}, false},
		{"run does not include view", "subjects: [{user: anna}], verbs: [run]", anna, Request{Verb: "view", Kind: "Server", Name: "x"}, false},
		{"an unknown verb", "subjects: [{user: anna}], verbs: [admin]", anna, Request{Verb: "Admin", Kind: "Server", Name: "x"}, false},
		{"no verb", "subjects: [{user: anna}], verbs: [admin]", anna, Request{Kind: "Server", Name: "x"}, false},
		{"an unknown kind", "subjects: [{user: anna}], verbs: [admin]", anna, Request{Verb: "view", Kind: "server", Name: "x"}, false},
		{"no kind", "subjects: [{user: anna}], verbs: [admin]", anna, Request{Verb: "view", Name: "x"}, false},
		{"another kind", "subjects: [{user: anna}], verbs: [view], kinds: [Prompt, Project]", anna, Request{Verb: "view", Kind: "Server", Name: "x"}, false},
		{"one of the kinds", "subjects: [{user: anna}], verbs: [view], kinds: [Prompt, Server]", anna, Request{Verb: "view", Kind: "Server", Name: "x"}, true},

		{"another user", "subjects: [{user: anna}], verbs: [view]", user("ben"), Request{Verb: "view", Kind: "Server", Name: "x"}, false},
		{"a member of the group", "subjects: [{group: web}], verbs: [view]", anna, Request{Verb: "view", Kind: "Server", Name: "x"}, true},
		{"a user outside of the group", "subjects: [{group: web}], verbs: [view]", user("ben"), Request{Verb: "view", Kind: "Server", Name: "x"}, false},
		{"a service account with the name of a member", "subjects: [{group: web}], verbs: [view]", service, Request{Verb: "view", Kind: "Server", Name: "x"}, false},
		{"a service account with the name of the user", "subjects: [{user: anna}], verbs: [view]", service, Request{Verb: "view", Kind: "Server", Name: "x"}, false},
		{"a user with the name of the service account", "subjects: [{serviceAccount: anna}], verbs: [view]", anna, Request{Verb: "view", Kind: "Server", Name: "x"}, false},
		{"the service account", "subjects: [{user: ben}, {serviceAccount: anna}], verbs: [view]", service, Request{Verb: "view", Kind: "Server", Name: "x"}, true},
		{"a disabled user", "subjects: [{user: left}], verbs: [admin]", user("left"), Request{Verb: "view", Kind: "Server", Name: "x"}, false},
		{"a disabled member", "subjects: [{group: web}], verbs: [admin]", user("left"), Request{Verb: "view", Kind: "Server", Name: "x"}, false},
		{"a user that does not exist", "subjects: [{user: ghost}], verbs: [admin]", user("ghost"), Request{Verb: "view", Kind: "Server", Name: "x"}, false},
		{"a member that does not exist", "subjects: [{group: web}], verbs: [admin]", user("ghost"), Request{Verb: "view", Kind: "Server", Name: "x"}, false},
		{"a group that does not exist", "subjects: [{group: ops}], verbs: [admin]", anna, Request{Verb: "view", Kind: "Server", Name: "x"}, false},
		{"a group as caller", "subjects: [{group: web}], verbs: [admin]", Subject{object.KindGroup, "web"}, Request{Verb: "view", Kind: "Server", Name: "x"}, false},
		{"no caller", "subjects: [{user: anna}], verbs: [admin]", Subject{}, Request{Verb: "view", Kind: "Server", Name: "x"}, false},

		{"a glob", "subjects: [{user: anna}], verbs: [view], names: [b, web-*]", anna, Request{Verb: "view", Kind: "Server", Name: "web-1"}, true},
		{"a glob that does not match", "subjects: [{user: anna}], verbs: [view], names: [web-?]", anna, Request{Verb: "view", Kind: "Server", Name: "web-10"}, false},
		{"a name is not a prefix", "subjects: [{user: anna}], verbs: [view], names: [web]", anna, Request{Verb: "view", Kind: "Server", Name: "web-1"}, false},
		{"a name of several", "subjects: [{user: anna}], verbs: [view], names: [a, b]", anna, Request{Verb: "view", Kind: "Server", Name: "b"}, true},

		{"a prompt of the project", "subjects: [{user: anna}], verbs: [edit], projects: [web]", anna, Request{Verb: "edit", Kind: "Prompt", Project: "web", Name: "x"}, true},
		{"a prompt of another project", "subjects: [{user: anna}], verbs: [edit], projects: [web]", anna, Request{Verb: "edit", Kind: "Prompt", Project: "home", Name: "x"}, false},
		{"a prompt request of a project that matches", "subjects: [{user: anna}], verbs: [edit], projects: [w*]", anna, Request{Verb: "edit", Kind: "PromptRequest", Project: "web", Name: "x"}, true},
		{"a prompt without its project", "subjects: [{user: anna}], verbs: [edit], projects: ['*']", anna, Request{Verb: "edit", Kind: "Prompt", Name: "web"}, false},
		{"the project itself", "subjects: [{user: anna}], verbs: [edit], projects: [web]", anna, Request{Verb: "edit", Kind: "Project", Name: "web"}, true},
		{"another project", "subjects: [{user: anna}], verbs: [edit], projects: [web]", anna, Request{Verb: "edit", Kind: "Project", Name: "home"}, false},
		{"another project, as if it were in the project", "subjects: [{user: anna}], verbs: [run], projects: [web]", anna, Request{Verb: "run", Kind: "Project", Project: "web", Name: "home"}, false},
		{"names and projects must both match", "subjects: [{user: anna}], verbs: [edit], projects: [web], names: [rules]", anna, Request{Verb: "edit", Kind: "Project", Name: "web"}, false},
		{"a server, with a binding for all projects", "subjects: [{user: anna}], verbs: [edit], projects: ['*']", anna, Request{Verb: "edit", Kind: "Server", Name: "x"}, false},
		{"a server, as if it were in the project", "subjects: [{user: anna}], verbs: [edit], projects: [web]", anna, Request{Verb: "edit", Kind: "Server", Project: "web", Name: "x"}, false},
		{"a user, as if it were in the project", "subjects: [{user: anna}], verbs: [admin], projects: [web]", anna, Request{Verb: "edit", Kind: "User", Project: "web", Name: "ben"}, false},
		{"a server that is run in the project", "subjects: [{user: anna}], verbs: [run], projects: [web]", anna, Request{Verb: "run", Kind: "Server", Project: "web", Name: "x"}, true},
		{"a server that is run in another project", "subjects: [{user: anna}], verbs: [run], projects: [web]", anna, Request{Verb: "run", Kind: "Server", Project: "home", Name: "x"}, false},
		{"a server that is run in no project", "subjects: [{user: anna}], verbs: [run], projects: ['*']", anna, Request{Verb: "run", Kind: "Server", Name: "x"}, false},
		{"a server that is run in no project, without projects", "subjects: [{user: anna}], verbs: [run]", anna, Request{Verb: "run", Kind: "Server", Name: "x"}, true},
		{"a proxymodel whose results are cached in the project", "subjects: [{user: anna}], verbs: [cache], projects: [web]", anna, Request{Verb: "cache", Kind: "ProxyModel", Project: "web", Name: "x"}, true},
	} {
		t.Run(c.rule, func(t *testing.T) {
			p := Compile(decode(t, accounts+"  {"+c.spec+"}\n"))
			if got := p.Allows(c.subject, c.request); got != c.want {
				t.Errorf("Allows(%+v, %+v) = %v", c.subject, c.request, got)
			}
			if got := p.Explain(c.subject, c.request); slices.Equal(got, []string{"b"}) != c.want || len(got) > 1 {
				t.Errorf("Explain(%+v, %+v) = %q", c.subject, c.request, got)
			}
		})
	}
}

// A binding that a user has directly and by two groups is explained once.
func TestExplainNamesBindingsOnce(t *testing.T) {
	p := Compile(decode(t, `
kind: User
metadata: {name: anna}
---
kind: Group
metadata: {name: web}
spec: {members: [anna]}
---
kind: Group
metadata: {name: all}
spec: {members: [anna]}
---
kind: RbacBinding
metadata: {name: z}
spec: {subjects: [{user: anna}, {group: web}, {group: all}], verbs: [view], projects: [home, web]}
---
kind: RbacBinding
metadata: {name: a}
spec: {subjects: [{group: web}], verbs: [edit], kinds: [Prompt], names: [rules]}
---
kind: RbacBinding
metadata: {name: other}
spec: {subjects: [{group: web}], verbs: [edit], kinds: [Server]}
`))
	r := Request{Verb: object.VerbView, Kind: object.KindPrompt, Project: "web", Name: "rules"}
	if got := p.Explain(user("anna"), r); !slices.Equal(got, []string{"a", "z"}) {
		t.Errorf("Explain = %q, want a and z", got)
	}
}

// A Policy does not change with the Objects that it was compiled from.
func TestPolicyIsImmutable(t *testing.T) {
	o := decode(t, accounts+"  {subjects: [{group: web}], verbs: [view], kinds: [Prompt], names: ['a*'], projects: [web]}\n")
	p := Compile(o)
	spec := o.Bindings["b"]
	spec.Names[0], spec.Projects[0], spec.Verbs[0], spec.Kinds[0] = "*", "home", object.VerbAdmin, object.KindUser
	o.Groups["web"].Members[0].Name = "ben"
	clear(o.Users)
	r := Request{Verb: object.VerbView, Kind: object.KindPrompt, Project: "web", Name: "ab"}
	if !p.Allows(user("anna"), r) || p.Allows(user("ben"), r) {
		t.Error("the policy has changed with its objects")
	}
	if r.Project = "home"; p.Allows(user("anna"), r) {
		t.Error("the policy has changed with the projects of its binding")
	}
}

// Globs and names that are longer than those of objects are compared like others.
func TestLongGlobs(t *testing.T) {
	long := strings.Repeat("a", 70)
	o := decode(t, accounts+"  {subjects: [{user: anna}], verbs: [view]}\n")
	spec := o.Bindings["b"]
	spec.Projects = []string{long + "*"}
	o.Bindings["b"] = spec
	p := Compile(o)
	for project, want := range map[string]bool{long: true, long + "b": true, long[1:]: false, long[1:] + "b": false} {
		if got := p.Allows(user("anna"), Request{Verb: object.VerbView, Kind: object.KindProject, Name: object.Name(project)}); got != want {
			t.Errorf("a project of %d bytes: %v, want %v", len(project), got, want)
		}
	}
}

// The example of the documentation allows what its text says.
func TestDocumentedExample(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/rbac.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(page), "```yaml\n")
	example, rest, ok := strings.Cut(example, "```\n")
	if !ok {
		t.Fatal("docs/rbac.md has no example")
	}
	p := Compile(decode(t, example))
	rows := 0
	for line := range strings.Lines(rest) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 4 || !strings.Contains(cells[1], "`") {
			continue
		}
		rows++
		word := func(i int) []string { return strings.Fields(strings.ReplaceAll(cells[i], "`", "")) }
		kind, ok := object.ParseKind(word(1)[1])
		caller, isUser := object.ParseKind(word(0)[0])
		if !ok || !isUser {
			t.Errorf("row %q has an unknown kind", line)
			continue
		}
		r := Request{Verb: object.Verb(word(1)[0]), Kind: kind}
		project, name, inProject := strings.Cut(word(1)[2], "/")
		if r.Name = object.Name(project); inProject {
			r.Project, r.Name = object.Name(project), object.Name(name)
		}
		got := strings.Join(p.Explain(Subject{caller, object.Name(word(0)[1])}, r), " ")
		if want := strings.Join(word(2), " "); got != want && !(got == "" && want == "-") {
			t.Errorf("%s: allowed by %q, the page says %q", strings.TrimSpace(line), got, want)
		}
	}
	if rows < 6 {
		t.Errorf("%d rows found in the page, want more", rows)
	}
}

// benchmarkCases have 10,000 bindings each.
var benchmarkCases = []struct {
	name  string
	build func(i int) object.RbacBindingSpec
}{
	// Every group edits the prompts of its project.
	{"groups", func(i int) object.RbacBindingSpec {
		return object.RbacBindingSpec{Subjects: subjects(object.KindGroup, i%1000), Verbs: []object.Verb{object.VerbEdit}, Kinds: []object.Kind{object.KindPrompt}, Projects: []string{fmt.Sprintf("p%d*", i)}}
	}},
	// One group has a binding for every project.
	{"one-group-names", func(i int) object.RbacBindingSpec {
		return object.RbacBindingSpec{Subjects: subjects(object.KindGroup, 0), Verbs: []object.Verb{object.VerbEdit}, Projects: []string{fmt.Sprintf("p%d", i)}}
	}},
	// The same with globs.
	{"one-group-globs", func(i int) object.RbacBindingSpec {
		return object.RbacBindingSpec{Subjects: subjects(object.KindGroup, 0), Verbs: []object.Verb{object.VerbEdit}, Projects: []string{fmt.Sprintf("p%d*", i)}}
	}},
	// The worst case: globs that begin with a wildcard are all compared.
	{"one-group-suffixes", func(i int) object.RbacBindingSpec {
		return object.RbacBindingSpec{Subjects: subjects(object.KindGroup, 0), Verbs: []object.Verb{object.VerbEdit}, Projects: []string{fmt.Sprintf("*p%d", i)}}
	}},
}

func subjects(kind object.Kind, i int) []object.RbacSubject {
	return []object.RbacSubject{{Kind: kind, Ref: object.Ref{Name: object.Name(fmt.Sprintf("g%d", i))}}}
}

func benchmarkObjects(build func(i int) object.RbacBindingSpec) Objects {
	o := Select(nil)
	for i := range 10_000 {
		o.Bindings[object.Name(fmt.Sprintf("b%d", i))] = build(i)
		o.Users[object.Name(fmt.Sprintf("u%d", i))] = object.UserSpec{}
	}
	for i := range 1000 {
		members := []object.Ref{{Name: "u0"}}
		if i%200 != 0 { // u0 is in five groups only
			members = nil
		}
		for k := range 50 {
			members = append(members, object.Ref{Name: object.Name(fmt.Sprintf("u%d", (i*50+k)%10_000+1))})
		}
		o.Groups[object.Name(fmt.Sprintf("g%d", i))] = object.GroupSpec{Members: members}
	}
	return o
}

// BenchmarkAllows decides with 10,000 bindings, 10,000 users and 1,000 groups. The request is
// denied, so that all bindings of the caller are looked at.
func BenchmarkAllows(b *testing.B) {
	for _, c := range benchmarkCases {
		b.Run(c.name, func(b *testing.B) {
			p := Compile(benchmarkObjects(c.build))
			r := Request{Verb: object.VerbEdit, Kind: object.KindPrompt, Project: "q9999", Name: "rules"}
			if allowed := (Request{Verb: object.VerbEdit, Kind: object.KindPrompt, Project: "p200", Name: "rules"}); !p.Allows(user("u0"), allowed) {
				b.Fatalf("%+v is denied", allowed)
			}
			b.ReportAllocs()
			for b.Loop() {
				if p.Allows(user("u0"), r) {
					b.Fatal("allowed")
				}
			}
		})
	}
}

// BenchmarkCompile builds the Policy that a change of any binding requires.
func BenchmarkCompile(b *testing.B) {
	o := benchmarkObjects(benchmarkCases[0].build)
	for b.Loop() {
		Compile(o)
	}
}
