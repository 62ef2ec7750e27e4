package web_test

import (
	"slices"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/databasetest"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/mcpdtest"
)

// An apply warns of references to objects that do not exist, unless the caller may not know
// whether they do.
func TestApplyWarns(t *testing.T) {
	const stored = team + `---
kind: RbacBinding
metadata: {name: early}
spec: {subjects: [{user: new}, {serviceAccount: other}], verbs: [view]}
---
kind: Group
metadata: {name: early}
spec: {members: [new]}
`
	const (
		group = "kind: Group\nmetadata: {name: g}\nspec: {members: "
		bind  = "kind: RbacBinding\nmetadata: {name: b}\nspec: {verbs: [view], subjects: "
		to    = "kind: RbacBinding\nmetadata: {name: b}\nspec: {subjects: [{user: viewer}], "
		never = "a binding with projects matches projects, their prompts and proposals, servers by run, and proxymodels by run and cache"
		user  = "kind: User\nmetadata: {name: new}\n"
	)
	tests := []struct {
		name, caller, yaml string
		want               []string
	}{
		{"prompt of a project", "admin", "kind: Prompt\nmetadata: {name: x, project: p}\nspec: {content: x}\n", nil},
		{"prompt of no project", "admin", "kind: Prompt\nmetadata: {name: x, project: q}\nspec: {content: x}\n", []string{`prompt "q/x": not found: project "q"`}},
		{"proposal of no project", "admin", "kind: PromptRequest\nmetadata: {name: x, project: q}\nspec: {content: x}\n", []string{`promptrequest "q/x": not found: project "q"`}},
		{"system prompt", "admin", "kind: Prompt\nmetadata: {name: session-greeting, project: mcpctl-system}\nspec: {content: x}\n", nil},
		{"project of the same apply", "admin", "kind: Prompt\nmetadata: {name: x, project: q}\nspec: {content: x}\n---\nkind: Project\nmetadata: {name: q}\nspec: {}\n", nil},
		{"link", "admin", "kind: Prompt\nmetadata: {name: l, project: p}\nspec: {linkTarget: 'p/s:file:///x'}\n", nil},
		{"link to nothing", "admin", "kind: Prompt\nmetadata: {name: l, project: p}\nspec: {linkTarget: 'q/t:file:///x'}\n", []string{`prompt "p/l": not found: project "q", server "t"`}},
		{"server of a project", "admin", "kind: Project\nmetadata: {name: p}\nspec: {servers: [s, t]}\n", []string{`project "p": not found: server "t"`}},
		{"members", "admin", group + "[viewer, a, b, c, d, e, f]}\n", []string{`group "g": not found: user "a", user "b", user "c", user "d", user "e" and 1 more`}},
		{"subjects", "admin", bind + "[{user: viewer}, {user: sa-robot}, {group: editor}, {serviceAccount: sa-robot}]}\n", []string{`rbacbinding "b": not found: user "sa-robot", group "editor"`}},
		{"projects of a binding", "admin", to + "verbs: [run], projects: [p, q, 'x*', mcpctl-system]}\n", []string{`rbacbinding "b": not found: project "q"`}},
		{"kinds without a project", "admin", to + "verbs: [edit, cache], kinds: [Prompt, Server, User], projects: [p]}\n", []string{`rbacbinding "b" allows nothing of Server, User: ` + never}},
		{"kinds that are used in a project", "admin", to + "verbs: [view, run], kinds: [Server, ProxyModel, Project], projects: [p]}\n", nil},
		{"all verbs in a project", "admin", to + "verbs: [admin], kinds: [Server, Group], projects: ['*']}\n", []string{`rbacbinding "b" allows nothing of Group: ` + never}},
		{"kinds without projects", "admin", to + "verbs: [edit], kinds: [Server, User]}\n", nil},
		{"names", "admin", to + "verbs: [run], kinds: [Server, Project], names: [s, p, t, 'x*', a]}\n", []string{`rbacbinding "b": no object has the name t, a`}},
		{"names of prompts", "admin", to + "verbs: [view], kinds: [Prompt, Server], names: [a, s, t], projects: [p, p2]}\n", []string{`rbacbinding "b": not found: project "p2"`, `rbacbinding "b" allows nothing of Server: ` + never, `rbacbinding "b": no object has the name s, t`}},
		{"names of prompts of any project", "admin", to + "verbs: [view], kinds: [Prompt, Server], names: [t]}\n", nil},
		{"names of any kind", "admin", to + "verbs: [view], names: [t]}\n", nil},
		{"names of proxymodels", "admin", to + "verbs: [cache], kinds: [ProxyModel], names: [t]}\n", nil},
		{"names of the same apply", "admin", to + "verbs: [view], kinds: [Project], names: [q]}\n---\nkind: Project\nmetadata: {name: q}\nspec: {}\n", nil},
		{"user that is named already", "admin", user, []string{`user "new" is new, and has rights by group "early", rbacbinding "early"`}},
		{"user that exists", "admin", "kind: User\nmetadata: {name: viewer}\nspec: {email: a@example.org}\n", nil},
		{"user with the group of the same apply", "admin", user + "---\nkind: Group\nmetadata: {name: early}\nspec: {members: [new]}\n---\nkind: RbacBinding\nmetadata: {name: early}\nspec: {subjects: [{user: new}], verbs: [view]}\n", nil},
		{"project that the caller may view", "editor", "kind: Prompt\nmetadata: {name: x, project: q}\nspec: {content: x}\n", []string{`prompt "q/x": not found: project "q"`}},
		{"project and server that the caller may not view", "stranger", "kind: Prompt\nmetadata: {name: l, project: other}\nspec: {linkTarget: 'q/t:file:///x'}\n", nil},
	}
	databasetest.Each(t, func(t *testing.T, address string) {
		s := mcpdtest.Start(t, address)
		s.Apply(t, stored)
		for _, tt := range tests {
			var applied []api.Applied
			s.Do(t, s.Token(t, tt.caller), "POST", "/api/v1/apply", mcpdtest.ApplyBody(tt.yaml, mcpdtest.DryRun)).Decode(t, &applied)
			var got []string
			for _, a := range applied {
				got = append(got, a.Warning...)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
			}
		}
		var applied []api.Applied
		s.Do(t, s.Token(t, "admin"), "POST", "/api/v1/apply", mcpdtest.ApplyBody(group+"[none]}\n")).Decode(t, &applied)
		if len(applied) != 1 || applied[0].Action != "created" || !slices.Equal(applied[0].Warning, []string{`group "g": not found: user "none"`}) {
			t.Errorf("a group that is stored: %+v", applied)
		}
	})
}
