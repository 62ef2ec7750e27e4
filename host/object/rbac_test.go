package object

import (
	"slices"
	"strings"
	"testing"
)

// TestInvalidTeamObjects has one short document of a team server per error, with a part of
// its text.
func TestInvalidTeamObjects(t *testing.T) {
	user := func(spec string) string { return "kind: User\nmetadata: {name: anna}\nspec:\n" + spec }
	binding := func(spec string) string { return "kind: RbacBinding\nmetadata: {name: b}\nspec:\n" + spec }
	view := func(spec string) string { return binding("  subjects: [{user: a}]\n  verbs: [view]\n" + spec) }
	for _, c := range []struct{ rule, in, want string }{
		{"email without @", user("  email: anna"), `email "anna" is not an address such as anna@example.org`},
		{"email with a blank", user("  email: Anna <anna@example.org>"), "is not an address"},
		{"email with two @", user("  email: a@b@c"), "is not an address"},
		{"email that looks like another", user("  email: \u0430nna@example.org"), "is not an address"},
		{"email that is too long", user("  email: a@" + strings.Repeat("b", 253)), "is not an address"},
		{"disabled as text", user("  disabled: 'yes'"), "disabled is a string, want a bool"},
		{"user in a project", "kind: User\nmetadata: {name: a, project: p}", "metadata.project is not a field here"},
		{"name of a user that is an address", "kind: User\nmetadata: {name: anna@example.org}", `metadata.name "anna@example.org" contains '@'`},
		{"member twice", "kind: Group\nmetadata: {name: g}\nspec: {members: [a, a]}", `members[1] "a" is written twice`},
		{"member that is a mapping", "kind: Group\nmetadata: {name: g}\nspec: {members: [{user: a}]}", "members[0] is a mapping, want a string"},
		{"binding without spec", "kind: RbacBinding\nmetadata: {name: b}", "subjects is missing"},
		{"binding without verbs", binding("  subjects: [{user: a}]"), "verbs is missing"},
		{"no subjects", binding("  subjects: []\n  verbs: [view]"), "subjects is empty, want a list with at least one item"},
		{"subject as string", binding("  subjects: [anna]\n  verbs: [view]"), "subjects[0] is a string, want {user: NAME}, {group: NAME} or {serviceAccount: NAME}"},
		{"subject without a name", binding("  subjects: [{}]\n  verbs: [view]"), "subjects[0] has no name, want exactly one of user, group and serviceAccount"},
		{"subject whose name is null", binding("  subjects: [{user: null}]\n  verbs: [view]"), "subjects[0] has no name"},
		{"subject with two names", binding("  subjects: [{user: a, group: b}]\n  verbs: [view]"), "subjects[0].group is set together with another subject, want exactly one"},
		{"subject of an unknown type", binding("  subjects: [{serviceaccount: a}]\n  verbs: [view]"), `subjects[0].serviceaccount is not a field here, did you mean "serviceAccount"?`},
		{"subject twice", binding("  subjects: [{user: a}, {group: a}, {user: a}]\n  verbs: [view]"), `subjects[2] "a" is written twice`},
		{"wildcard in a subject", binding("  subjects: [{user: '*'}]\n  verbs: [view]"), `subjects[0].user "*" starts with '*'`},
		{"no verbs", binding("  subjects: [{user: a}]\n  verbs: []"), "verbs is empty"},
		{"unknown verb", binding("  subjects: [{user: a}]\n  verbs: [edti]"), `verbs[0] "edti" is unknown, did you mean "edit"?`},
		{"verb as wildcard", binding("  subjects: [{user: a}]\n  verbs: ['*']"), `verbs[0] "*" is unknown, want view, edit, create, delete, run, cache, operate or admin`},
		{"verb twice", binding("  subjects: [{user: a}]\n  verbs: [view, view]"), `verbs[1] "view" is written twice`},
		{"unknown kind in a binding", view("  kinds: [prompt]"), `kinds[0] "prompt" is unknown, did you mean "Prompt"?`},
		{"list of kinds without items", view("  kinds: []"), "kinds is empty, want a list with at least one item"},
		{"list of names whose items are commented out", view("  names:\n  # - web-*"), "names is empty, want a list"},
		{"list of projects whose items are commented out", view("  projects:\n  # - web"), "projects is empty, want a list"},
		{"project as string", view("  projects: web"), "projects is a string, want a list"},
		{"glob with a class", view("  names: ['web-[ab]']"), `names[0] "web-[ab]" contains '[', which no name contains; wildcards are * and ?`},
		{"glob with a capital", view("  projects: [Web]"), `projects[0] "Web" contains 'W'`},
		{"empty glob", view("  names: ['']"), `names[0] "" is empty`},
		{"glob that is too long", view("  names: ['" + strings.Repeat("*a", 32) + "']"), "has 64 bytes, limit 63"},
		{"glob twice", view("  names: [a, a]"), `names[1] "a" is written twice`},
		{"kind of the team server misspelt", "kind: RbacBindng", `did you mean "RbacBinding"?`},
		{"short name as kind", "kind: sa", `did you mean "ServiceAccount"?`},
	} {
		t.Run(c.rule, func(t *testing.T) {
			_, _, err := Decode("f.yaml", []byte(c.in))
			if err == nil {
				t.Fatal("accepted")
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("got:\n%v\nwant it to contain: %s", err, c.want)
			}
		})
	}
}

// Users may write a password or a token into an account, which has no such field. Errors do
// not show it.
func TestPasswordsOfAccountsAreNotShown(t *testing.T) {
	for _, in := range []string{
		"kind: User\nmetadata: {name: anna}\nspec:\n  password: hunter2\n",
		"kind: User\nmetadata: {name: anna}\nspec: {email: a@b, passwort: hunter2}\n",
		"kind: User\nmetadata: {name: anna}\nspec:\n  initial: hunter2\n",
		"kind: ServiceAccount\nmetadata: {name: ci}\nspec:\n  token: hunter2\n",
		"kind: ServiceAccount\nmetadata: {name: ci}\nspec:\n  key: hunter2\n",
	} {
		_, _, err := Decode("f.yaml", []byte(in))
		if err == nil || !strings.Contains(err.Error(), "is not a field here") || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s\nerror: %v", in, err)
		}
	}
}

// The Kinds of a team server have no files, and no words in common with those of files.
func TestTeamKindsHaveNoFiles(t *testing.T) {
	for _, kind := range TeamKinds() {
		key := Key{Kind: kind, Name: "config"}
		if kind.Dir() != "" || key.FileName(".yaml") != "" || kind.IsScoped() {
			t.Errorf("%s has the directory %q and the file %q", kind, kind.Dir(), key.FileName(".yaml"))
		}
		if err := key.Check(); err != nil {
			t.Errorf("%s: %v", key, err)
		}
		if slices.Contains(Kinds(), kind) {
			t.Errorf("%s is a Kind of files too", kind)
		}
	}
	words := make(map[string]bool)
	for _, row := range slices.Concat(kinds, teamKinds) {
		for _, w := range []string{row.short, strings.ToLower(string(row.kind))} {
			if words[w] {
				t.Errorf("%q is the word of two Kinds", w)
			}
			words[w] = true
		}
	}
	if len(AllKinds()) != len(kinds)+len(teamKinds) {
		t.Errorf("AllKinds: %v", AllKinds())
	}
}

// A User in the file of a Server is reported as what it is.
func TestTeamObjectInFile(t *testing.T) {
	_, err := DecodeFile("servers/anna.yaml", Key{Kind: KindServer, Name: "anna"}, []byte("kind: User\nmetadata: {name: anna}\n"))
	if err == nil || !strings.Contains(err.Error(), `user "anna" belongs to a team server`) || !strings.Contains(err.Error(), "run mcpctl login URL") {
		t.Errorf("error: %v", err)
	}
}

// Absent lists of a binding mean all, and are not printed.
func TestBindingWithoutLists(t *testing.T) {
	b := decodeOne[*RbacBinding](t, "kind: RbacBinding\nmetadata: {name: root}\nspec: {subjects: [{user: anna, group: null}], verbs: [admin]}")
	if b.Spec.Kinds != nil || b.Spec.Names != nil || b.Spec.Projects != nil {
		t.Errorf("lists: %+v, want none", b.Spec)
	}
	want := "kind: RbacBinding\nmetadata:\n  name: root\nspec:\n  subjects:\n    - user: anna\n  verbs: [admin]\n"
	if got := string(EncodeYAML(b)); got != want {
		t.Errorf("printed as\n%s\nwant\n%s", got, want)
	}
	if at := b.Spec.Subjects[0].At; at.Line != 3 || at.Column != 26 {
		t.Errorf("position of the subject: %+v", at)
	}
}
