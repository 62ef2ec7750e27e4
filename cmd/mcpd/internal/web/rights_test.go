package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/audit"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/databasetest"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/mcpdtest"
	"github.com/mcpctl/mcpctl/host/object"
)

// Who may edit a project and run its servers must not get the servers of others by adding
// them to it.
func TestServersAddedToAProject(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s := mcpdtest.Start(t, address)
		s.Apply(t, team+`---
kind: RbacBinding
metadata: {name: more}
spec: {subjects: [{user: nobody}], verbs: [edit, run], projects: [p]}
---
kind: RbacBinding
metadata: {name: all}
spec: {subjects: [{user: stranger}], verbs: [edit, run]}
`)
		project := func(servers string) string {
			return mcpdtest.ApplyBody("kind: Project\nmetadata: {name: p}\nspec: {gated: false, servers: " + servers + "}\n")
		}
		for _, tt := range []struct {
			caller, servers string
			status          int
		}{
			{"nobody", "[s]", 200}, // it uses this one already
			{"nobody", "[s, unused]", 422},
			{"nobody", "[s, none]", 422},   // whether a server exists is not told
			{"editor", "[s, unused]", 200}, // it may edit servers
			{"stranger", "[s, unused]", 200},
			{"nobody", "[unused]", 200},
		} {
			got := s.Do(t, s.Token(t, tt.caller), "POST", "/api/v1/apply", project(tt.servers))
			if got.Status != tt.status || tt.status == 422 && !strings.Contains(got.Body, "servers[1]") {
				t.Errorf("%s %s: %+v", tt.caller, tt.servers, got)
			}
		}
	})
}

// An API token cannot create one that is valid longer.
func TestTokensOfTokens(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s := mcpdtest.Start(t, address)
		s.Apply(t, team)
		if err := s.Access.SetPassword(t.Context(), "viewer", nil, goodPassword); err != nil {
			t.Fatal(err)
		}
		var in api.LoggedIn
		login(t, s, "viewer", goodPassword).Decode(t, &in)
		var first, second api.Token
		s.Do(t, string(in.Token), "POST", "/api/v1/tokens", `{"name":"a","ttl":"1h"}`).Decode(t, &first)
		s.Do(t, string(first.Token), "POST", "/api/v1/tokens", `{"name":"b","ttl":"720h"}`).Decode(t, &second)
		if second.Expires.After(first.Expires.Add(time.Second)) {
			t.Errorf("a token until %v has created one until %v", first.Expires, second.Expires)
		}
	})
}

// A stream of a server ends soon after its caller has lost the right to run it.
func TestStreamsEndWithTheRight(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s := mcpdtest.Start(t, address)
		s.Apply(t, team)
		ended := make(chan struct{})
		u := record(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.WriteHeader(http.StatusOK)
			_ = http.NewResponseController(w).Flush() // the client may be gone
			<-r.Context().Done()
			close(ended)
		}))
		s.Apply(t, serverYAML("s", u.URL))
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/api/v1/servers/s/mcp?project=p", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+s.Token(t, "sa-robot"))
		r.Header.Set("Accept", "text/event-stream")
		stream, err := http.DefaultClient.Do(r)
		if err != nil || stream.StatusCode != http.StatusOK {
			t.Fatalf("%v, %v", stream, err)
		}
		defer stream.Body.Close()
		s.Delete(t, object.Key{Kind: object.KindRbacBinding, Name: "robots"})
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			t.Error("the stream is open")
		}
	})
}

// The rules of a caller are those of its own bindings and of its groups. They show no other
// subject.
func TestRulesOfTheCaller(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s := mcpdtest.Start(t, address)
		s.Apply(t, team+`---
kind: RbacBinding
metadata: {name: both}
spec: {subjects: [{user: editor}, {group: editors}, {user: canary-77}], verbs: [run], kinds: [Server], names: [s, "s-*"], projects: [p, "p*"]}
`)
		for _, tt := range []struct{ caller, query, want string }{
			{"nobody", "", `[]`},
			{"editor", "", `[{"binding":"both","verbs":["run"],"kinds":["Server"],"names":["s","s-*"],"projects":["p","p*"]},` +
				`{"binding":"edits","verbs":["view","edit","create","delete"],"kinds":["Project","Prompt","PromptRequest","Server"]}]`},
			{"editor", "?project=other", `[{"binding":"edits","verbs":["view","edit","create","delete"],"kinds":["Project","Prompt","PromptRequest","Server"]}]`},
			{"admin", "?project=p", `[{"binding":"admins","verbs":["admin"]}]`},
			{"stranger", "?project=p", `[]`},
			{"stranger", "?project=other", `[{"binding":"strangers","verbs":["view","edit","create","delete","run"],"projects":["other"]}]`},
			{"sa-robot", "?project=p", `[{"binding":"robots","verbs":["run"],"kinds":["Server"],"projects":["p"]}]`},
		} {
			got := s.Do(t, s.Token(t, tt.caller), "GET", "/api/v1/auth/rules"+tt.query, "")
			if got.Status != http.StatusOK || strings.TrimSpace(got.Body) != tt.want {
				t.Errorf("%s%s: %d %s\nwant %s", tt.caller, tt.query, got.Status, got.Body, tt.want)
			}
		}
		if got := s.Do(t, s.Token(t, "admin"), "GET", "/api/v1/auth/rules?project=..", ""); got.Status != http.StatusBadRequest {
			t.Errorf("an invalid project: %+v", got)
		}
		// A disabled user has no rules, and no valid token either.
		token := s.Token(t, "disabled")
		s.Apply(t, disable)
		if got := s.Do(t, token, "GET", "/api/v1/auth/rules", ""); got.Status != http.StatusUnauthorized {
			t.Errorf("a disabled user: %+v", got)
		}
	})
}

// No administrator can give up its own rights, so that a server always has one.
func TestAdministratorsStay(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s := mcpdtest.Start(t, address)
		s.Apply(t, team+`---
kind: User
metadata: {name: second}
---
kind: RbacBinding
metadata: {name: second}
spec: {subjects: [{user: second}], verbs: [admin]}
`)
		admin, second := s.Token(t, "admin"), s.Token(t, "second")
		apply := func(token, yaml string) int {
			return s.Do(t, token, "POST", "/api/v1/apply", mcpdtest.ApplyBody(yaml)).Status
		}
		for name, status := range map[string]int{
			"delete the user":    s.Do(t, second, "DELETE", "/api/v1/users/second", "").Status,
			"delete the binding": s.Do(t, second, "DELETE", "/api/v1/rbacbindings/second", "").Status,
			"disable the user":   apply(second, "kind: User\nmetadata: {name: second}\nspec: {disabled: true}\n"),
			"change the verbs":   apply(second, "kind: RbacBinding\nmetadata: {name: second}\nspec: {subjects: [{user: second}], verbs: [edit]}\n"),
			"change the subject": apply(second, "kind: RbacBinding\nmetadata: {name: second}\nspec: {subjects: [{user: admin}], verbs: [admin]}\n"),
		} {
			if status != 409 {
				t.Errorf("%s: %d, want 409", name, status)
			}
		}
		if status := apply(second, "kind: RbacBinding\nmetadata: {name: second}\nspec: {subjects: [{user: second}, {user: nobody}], verbs: [admin]}\n"); status != 200 {
			t.Errorf("add another administrator: %d", status)
		}
		if got := s.Do(t, admin, "DELETE", "/api/v1/users/second", ""); got.Status != 200 {
			t.Errorf("delete another administrator: %+v", got)
		}
	})
}

// An entry about a denied request names the object of its path, so that it is found by it.
func TestDeniedRequestsNameTheirObject(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s := mcpdtest.Start(t, address)
		s.Apply(t, team)
		token := s.Token(t, "viewer")
		for path, want := range map[string]audit.Entry{
			"/api/v1/prompts/a?project=p":       {Kind: "Prompt", Project: "p", Name: "a"},
			"/api/v1/projects/p":                {Kind: "Project", Name: "p"},
			"/api/v1/servers/s/mcp?project=p":   {Kind: "Server", Project: "p", Name: "s"},
			"/api/v1/servers/s/mcp?project=../": {Kind: "Server", Name: "s"},
		} {
			s.Do(t, token, "DELETE", path, "")
			waitForAudit(t, s, func(e audit.Entry) bool {
				return e.Decision == audit.Denied && e.Kind == want.Kind && e.Project == want.Project && e.Name == want.Name
			})
		}
	})
}
