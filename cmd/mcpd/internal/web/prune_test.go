package web_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/databasetest"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/mcpdtest"
)

// An apply with prune deletes the other prompts of its projects that the caller sees, in one
// transaction.
func TestApplyPrunes(t *testing.T) {
	const (
		objects = `
kind: User
metadata: {name: admin}
---
kind: User
metadata: {name: part}
---
kind: User
metadata: {name: writer}
---
kind: RbacBinding
metadata: {name: admins}
spec: {subjects: [{user: admin}], verbs: [admin]}
---
kind: RbacBinding
metadata: {name: parts}
spec: {subjects: [{user: part}], verbs: [view, edit, create, delete], kinds: [Prompt], names: ["a*"], projects: [web]}
---
kind: RbacBinding
metadata: {name: writers}
spec: {subjects: [{user: writer}], verbs: [view, edit, create], projects: [web]}
---
kind: Project
metadata: {name: web}
spec: {servers: []}
---
kind: Prompt
metadata: {name: a1, project: web}
spec: {content: x}
---
kind: Prompt
metadata: {name: a2, project: web}
spec: {content: x}
---
kind: Prompt
metadata: {name: b1, project: web}
spec: {content: x}
---
kind: PromptRequest
metadata: {name: b2, project: web}
spec: {content: x}
---
kind: Prompt
metadata: {name: a2, project: home}
spec: {content: x}
`
		a1, a3 = "kind: Prompt\nmetadata: {name: a1, project: web}\nspec: {content: x}\n", "kind: Prompt\nmetadata: {name: a3, project: web}\nspec: {content: x}\n"
		web    = "kind: Project\nmetadata: {name: web}\nspec: {servers: []}\n"
	)
	prune := func(projects ...string) func(*api.ApplyRequest) {
		return func(req *api.ApplyRequest) { req.Prune = projects }
	}
	more := func(yaml string) func(*api.ApplyRequest) {
		return func(req *api.ApplyRequest) {
			req.More = append(req.More, api.ApplyFile{File: "more.yaml", YAML: yaml})
		}
	}
	databasetest.Each(t, func(t *testing.T, address string) {
		s := mcpdtest.Start(t, address)
		s.Apply(t, objects)
		prompts := func() (names []string) {
			var list []api.Object
			s.Do(t, s.Token(t, "admin"), "GET", "/api/v1/prompts", "").Decode(t, &list)
			for _, o := range list {
				names = append(names, o.Project+"/"+o.Name)
			}
			return names
		}
		all := prompts()
		type step struct {
			name, caller, body string
			status             int
			want               string   // in the answer
			left               []string // prompts; nil: all
		}
		for _, tt := range []step{
			{"dry run", "admin", mcpdtest.ApplyBody(a1, prune("web"), mcpdtest.DryRun), 200, "a1 unchanged, a2 deleted, b1 deleted", nil},
			{"without the right", "writer", mcpdtest.ApplyBody(a3, prune("web")), 403, "writer may not delete prompt", nil},
			{"invalid object of another file", "admin", mcpdtest.ApplyBody(a3, prune("web"), more("kind: Prompt\n")), 422, "more.yaml", nil},
			{"object twice", "admin", mcpdtest.ApplyBody(a1, prune("web"), more(a1)), 409, "is also in test.yaml", nil},
			{"nothing of the project", "admin", mcpdtest.ApplyBody(a1, prune("web", "home")), 422, `no file has the project \"home\"`, nil},
			{"wrong name of a project", "admin", mcpdtest.ApplyBody(a1, prune("*")), 422, `no file has the project \"*\"`, nil},
			{"what the caller sees", "part", mcpdtest.ApplyBody(a1, prune("web"), more(a3)), 200, "a1 unchanged, a3 created, a2 deleted", []string{"home/a2", "web/a1", "web/a3", "web/b1"}},
			{"a project without prompts", "admin", mcpdtest.ApplyBody(web, prune("web")), 200, "web unchanged, a1 deleted, a3 deleted, b1 deleted", []string{"home/a2"}},
		} {
			answer := s.Do(t, s.Token(t, tt.caller), "POST", "/api/v1/apply", tt.body)
			got := answer.Body
			if answer.Status == 200 {
				var applied []api.Applied
				answer.Decode(t, &applied)
				var texts []string
				for _, a := range applied {
					texts = append(texts, a.Name+" "+a.Action)
				}
				got = strings.Join(texts, ", ")
			}
			if answer.Status != tt.status || !strings.Contains(got, tt.want) {
				t.Errorf("%s: status %d, %s, want %d, %s", tt.name, answer.Status, got, tt.status, tt.want)
			}
			want := tt.left
			if want == nil {
				want = all
			}
			if now := prompts(); !slices.Equal(now, want) {
				t.Errorf("%s: prompts are %v, want %v", tt.name, now, want)
			}
		}
	})
}
