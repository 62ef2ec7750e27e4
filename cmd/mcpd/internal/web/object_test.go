package web_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/databasetest"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/mcpdtest"
)

// Pages of any size contain every object that the caller may view once, in order.
func TestListPages(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s := mcpdtest.Start(t, address)
		s.Apply(t, team)
		var many strings.Builder
		var all, even []string
		for i := range 40 {
			project := fmt.Sprintf("q%d", i%3)
			fmt.Fprintf(&many, "---\nkind: Prompt\nmetadata: {name: n%02d, project: %s}\nspec: {content: x}\n", i, project)
			all = append(all, fmt.Sprintf("%s/n%02d", project, i))
			if i%3 != 1 {
				even = append(even, fmt.Sprintf("%s/n%02d", project, i))
			}
		}
		many.WriteString("---\nkind: RbacBinding\nmetadata: {name: some}\nspec: {subjects: [{user: nobody}], verbs: [view], kinds: [Prompt], projects: [q0, q2]}\n")
		s.Apply(t, many.String())
		all = append(all, "p/a")
		slices.Sort(all)
		slices.Sort(even)
		for caller, want := range map[string][]string{"admin": all, "nobody": even, "stranger": nil} {
			token := s.Token(t, caller)
			for _, limit := range []int{1, 7, 13, 14, 27, 28, 40, 41, 500} {
				var got []string
				for next := fmt.Sprintf("/api/v1/prompts?limit=%d", limit); next != ""; {
					answer := s.Do(t, token, "GET", next, "")
					var page []api.Object
					answer.Decode(t, &page)
					if len(page) > limit || answer.Header.Get(api.HeaderVersion) != version(s) {
						t.Fatalf("a page has %d objects, version %s", len(page), answer.Header.Get(api.HeaderVersion))
					}
					for _, o := range page {
						got = append(got, o.Project+"/"+o.Name)
					}
					next, _, _ = strings.Cut(strings.TrimPrefix(answer.Header.Get("Link"), "<"), ">")
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s, pages of %d: %v, want %v", caller, limit, got, want)
				}
			}
		}
		var one []api.Object
		s.Do(t, s.Token(t, "admin"), "GET", "/api/v1/prompts?project=q1&limit=3", "").Decode(t, &one)
		if len(one) != 3 || one[0].Name != "n01" || one[2].Name != "n07" {
			t.Errorf("of one project: %+v", one)
		}
	})
}

func TestConditionalRequests(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s := mcpdtest.Start(t, address)
		s.Apply(t, team)
		token := s.Token(t, "editor")
		const path = "/api/v1/prompts/a?project=p"
		first := s.Do(t, token, "GET", path, "")
		tag := first.Header.Get("ETag")
		if got := s.Do(t, token, "GET", path, "", "If-None-Match", tag); got.Status != 304 || got.Body != "" {
			t.Errorf("unchanged: %+v", got)
		}
		index := s.Do(t, token, "GET", "/api/v1/projects/p/prompt-index", "").Header.Get("ETag")
		if got := s.Do(t, token, "GET", "/api/v1/projects/p/prompt-index", "", "If-None-Match", index); got.Status != 304 {
			t.Errorf("an unchanged index: %+v", got)
		}
		s.Apply(t, promptYAML("a", "changed"))
		if got := s.Do(t, token, "GET", path, "", "If-None-Match", tag); got.Status != 200 || got.Header.Get("ETag") == tag {
			t.Errorf("changed: %+v", got)
		}
		if got := s.Do(t, token, "GET", "/api/v1/projects/p/prompt-index", "", "If-None-Match", index); got.Status != 200 {
			t.Errorf("a changed index: %+v", got)
		}
		got := s.Do(t, token, "DELETE", path, "", "If-Match", tag)
		if got.Status != http.StatusPreconditionFailed || !strings.Contains(got.Body, `prompt \"p/a\" was changed by user root since it was read`) || strings.Contains(got.Body, `\n`) {
			t.Errorf("delete of a changed object: %+v", got)
		}
		if got := s.Do(t, token, "DELETE", path, "", "If-Match", "*"); got.Status != 200 {
			t.Errorf("delete of any version: %+v", got)
		}
		for base, want := range map[string]int{"1": 409, "x": 409} {
			body := mcpdtest.ApplyBody(promptYAML("a", "2"), func(r *api.ApplyRequest) { r.Base = base })
			if got := s.Do(t, token, "POST", "/api/v1/apply", body); got.Status != want || !strings.Contains(got.Body, "was deleted since it was read") {
				t.Errorf("base %s: %+v", base, got)
			}
		}
	})
}

// A text is applied wholly or not at all, and its errors have positions.
func TestApplyAllOrNothing(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s := mcpdtest.Start(t, address)
		s.Apply(t, team)
		token := s.Token(t, "editor")
		before := version(s)
		good := promptYAML("new", "x") + "---\n"
		for name, tt := range map[string]struct {
			yaml   string
			status int
			want   []string
		}{
			"an unknown field":       {good + "kind: Prompt\nmetadata: {name: b, project: p}\nspec: {contents: x}\n", 422, []string{`"at":"test.yaml:7:8"`, "contents"}},
			"two errors":             {good + "kind: Prompt\nmetadata: {name: B, project: p}\nspec: {priority: 11, content: x}\n", 422, []string{`test.yaml:6:18`, `test.yaml:7:18`, "mistakes"}},
			"no YAML":                {good + "kind: [", 422, []string{"E_INVALID"}},
			"a kind of files":        {good + "kind: ProxyModel\nmetadata: {name: m}\nspec: {stages: []}\n", 422, []string{"is not stored on the team server", "test.yaml:5:1"}},
			"no right":               {good + "kind: User\nmetadata: {name: u}\n", 403, []string{"may not create user"}},
			"no right for the last":  {good + "kind: Project\nmetadata: {name: z}\nspec: {}\n---\nkind: Group\nmetadata: {name: z}\n", 403, nil},
			"a placeholder":          {good + "kind: Server\nmetadata: {name: n}\nspec: {url: 'http://x/', headers: {A: '***'}}\n", 422, []string{"placeholder for a stored value", "test.yaml:7:"}},
			"a credential elsewhere": {good + "kind: Server\nmetadata: {name: s}\nspec: {url: 'http://evil.example/', headers: {Authorization: '***'}}\n", 422, []string{"the url is changed", "test.yaml:7:"}},
			"twice the same":         {good + good + promptYAML("b", "x"), 422, []string{"is in this file twice"}},
		} {
			got := s.Do(t, token, "POST", "/api/v1/apply", mcpdtest.ApplyBody(tt.yaml))
			if got.Status != tt.status || strings.Contains(got.Body, "canary") {
				t.Errorf("%s: %+v, want %d", name, got, tt.status)
			}
			for _, want := range tt.want {
				if !strings.Contains(got.Body, want) {
					t.Errorf("%s: no %s in %s", name, want, got.Body)
				}
			}
		}
		var dry []api.Applied
		s.Do(t, token, "POST", "/api/v1/apply", mcpdtest.ApplyBody(good+promptYAML("a", "y"), mcpdtest.DryRun)).Decode(t, &dry)
		if len(dry) != 2 || dry[0].Action != "created" || dry[1].Action != "configured" {
			t.Errorf("dry run: %+v", dry)
		}
		if version(s) != before {
			t.Errorf("version %s, want %s: something was written", version(s), before)
		}
		entries := s.Do(t, s.Token(t, "admin"), "GET", "/api/v1/audit?limit=1000", "")
		if strings.Contains(entries.Body, `"name":"new"`) || strings.Contains(entries.Body, "canary") {
			t.Errorf("the audit log has what was not written: %s", entries.Body)
		}
		var applied []api.Applied
		warn := "kind: Project\nmetadata: {name: old}\nspec: {proxyMode: filtered}\n"
		s.Do(t, token, "POST", "/api/v1/apply", mcpdtest.ApplyBody(good+warn)).Decode(t, &applied)
		if len(applied) != 2 || applied[0].Warning != nil || len(applied[1].Warning) != 1 || !strings.Contains(applied[1].Warning[0], "(test.yaml:7:") {
			t.Errorf("warnings: %+v", applied)
		}
		s.Do(t, token, "POST", "/api/v1/apply", mcpdtest.ApplyBody(good+warn)).Decode(t, &applied)
		if applied[0].Action != "unchanged" || applied[1].Action != "unchanged" {
			t.Errorf("again: %+v", applied)
		}
		var empty []api.Applied
		if s.Do(t, token, "POST", "/api/v1/apply", mcpdtest.ApplyBody("")).Decode(t, &empty); len(empty) != 0 {
			t.Errorf("an empty text: %+v", empty)
		}
	})
}

// What a project contains is deleted with it only by callers who may delete it.
func TestDeleteOfAProject(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s := mcpdtest.Start(t, address)
		s.Apply(t, team)
		s.Apply(t, "kind: RbacBinding\nmetadata: {name: d}\nspec: {subjects: [{user: nobody}], verbs: [delete], kinds: [Project]}\n")
		nobody, editor := s.Token(t, "nobody"), s.Token(t, "editor")
		got := s.Do(t, nobody, "DELETE", "/api/v1/projects/p", "")
		if got.Status != 409 || !strings.Contains(got.Body, "has prompts: 2;") { // which nobody may not view
			t.Errorf("with prompts: %+v", got)
		}
		if got := s.Do(t, nobody, "DELETE", "/api/v1/projects/p?force=true", ""); got.Status != 403 || !strings.Contains(got.Body, "may not delete all prompts of project") {
			t.Errorf("by force, without the right to delete prompts: %+v", got)
		}
		if got := s.Do(t, editor, "GET", "/api/v1/prompts/a?project=p", ""); got.Status != 200 {
			t.Errorf("the prompt is gone: %+v", got)
		}
		if got := s.Do(t, editor, "DELETE", "/api/v1/projects/p?force=true", ""); got.Status != 200 {
			t.Errorf("by force: %+v", got)
		}
		for _, path := range []string{"/api/v1/projects/p", "/api/v1/prompts/a?project=p", "/api/v1/promptrequests/r?project=p"} {
			if got := s.Do(t, editor, "GET", path, ""); got.Status != 404 {
				t.Errorf("%s: %+v", path, got)
			}
		}
	})
}
