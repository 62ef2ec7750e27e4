package web_test

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/access"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/databasetest"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/mcpdtest"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/web"
	"github.com/mcpctl/mcpctl/host/object"
)

func TestMain(m *testing.M) { databasetest.Main(m) }

// team is the team of the tests of rules: project "p" with a server and a prompt, project
// "other" with nothing, and a caller of each sort.
const team = `
kind: Server
metadata: {name: s}
spec: {url: "http://127.0.0.1:1/", headers: {Authorization: Bearer canary-5d1f}}
---
kind: Server
metadata: {name: unused}
spec: {url: "http://127.0.0.1:1/"}
---
kind: Project
metadata: {name: p}
spec: {servers: [s]}
---
kind: Project
metadata: {name: other}
spec: {}
---
kind: Prompt
metadata: {name: a, project: p}
spec: {content: text}
---
kind: PromptRequest
metadata: {name: r, project: p}
spec: {content: text}
---
kind: User
metadata: {name: admin}
---
kind: User
metadata: {name: disabled}
---
kind: User
metadata: {name: nobody}
---
kind: User
metadata: {name: stranger}
---
kind: User
metadata: {name: viewer}
---
kind: User
metadata: {name: editor}
---
kind: Group
metadata: {name: editors}
spec: {members: [editor]}
---
kind: ServiceAccount
metadata: {name: sa-robot}
---
kind: RbacBinding
metadata: {name: admins}
spec: {subjects: [{user: admin}, {user: disabled}], verbs: [admin]}
---
kind: RbacBinding
metadata: {name: strangers}
spec: {subjects: [{user: stranger}], verbs: [view, edit, create, delete, run], projects: [other]}
---
kind: RbacBinding
metadata: {name: views}
spec: {subjects: [{user: viewer}], verbs: [view], kinds: [Project, Prompt, PromptRequest, Server]}
---
kind: RbacBinding
metadata: {name: edits}
spec: {subjects: [{group: editors}], verbs: [view, edit, create, delete], kinds: [Project, Prompt, PromptRequest, Server]}
---
kind: RbacBinding
metadata: {name: robots}
spec: {subjects: [{serviceAccount: sa-robot}], verbs: [run], kinds: [Server], projects: [p]}
`

const disable = "kind: User\nmetadata: {name: disabled}\nspec: {disabled: true}\n"

// strangersWithoutToken are the callers that are answered 401 by each route that is not
// public.
var strangersWithoutToken = []string{"no token", "malformed", "unknown", "expired", "revoked", "disabled"}

// callers are the callers with a valid token, in the order of the columns of expectations.
var callers = []string{"nobody", "stranger", "viewer", "editor", "admin", "sa-robot"}

// tokensOf returns the token of each caller.
func tokensOf(t *testing.T, s *mcpdtest.Server) map[string]string {
	t.Helper()
	tokens := map[string]string{"no token": "", "malformed": "mcpd_x", "disabled": s.Token(t, "disabled")}
	for _, name := range callers {
		tokens[name] = s.Token(t, name)
	}
	s.Apply(t, disable)
	unknown, caller, err := s.Access.Issue(t.Context(), access.Grant{Kind: object.KindUser, Name: "admin", Life: time.Hour, By: "test"})
	if err != nil {
		t.Fatal(err)
	}
	tokens["unknown"] = unknown.Reveal() // from here on: its row is removed at once
	if err := s.Access.Revoke(t.Context(), caller.ID(), func(access.Caller) error { return nil }); err != nil {
		t.Fatal(err)
	}
	expired, _, err := s.Access.Issue(t.Context(), access.Grant{Kind: object.KindUser, Name: "admin", Life: -time.Second, By: "test"})
	if err != nil {
		t.Fatal(err)
	}
	tokens["expired"] = expired.Reveal()
	revoked := s.Token(t, "admin")
	if got := s.Do(t, revoked, "POST", "/api/v1/auth/logout", ""); got.Status != http.StatusOK {
		t.Fatalf("logout: %+v", got)
	}
	tokens["revoked"] = revoked
	return tokens
}

// expectation is one request for a route and its status for each of the callers.
type expectation struct {
	path, body string
	status     string // a number for each of callers, or one for all of them
}

var (
	dryPrompt = mcpdtest.ApplyBody("kind: Prompt\nmetadata: {name: a, project: p}\nspec: {content: new}\n", mcpdtest.DryRun)
	canView   = `{"verb":"view","kind":"prompt","name":"a","project":"p"}`
)

// expectations has an entry for each route. A new route needs one.
var expectations = map[string]expectation{
	//                                                               nobody stranger viewer editor admin robot
	"GET /openapi.json":        {"/openapi.json", "", "200"},
	"GET /healthz":             {"/healthz", "", "200"},
	"GET /readyz":              {"/readyz", "", "200"},
	"POST /api/v1/auth/login":  {"/api/v1/auth/login", `{"user":1}`, "400"}, // TestLogin has the others,
	"GET /metrics":             {"/metrics", "", "403 403 403 403 200 403"},
	"GET /api/v1/status":       {"/api/v1/status", "", "200"},
	"POST /api/v1/auth/logout": {"", "", ""}, // TestLogout: it ends the token
	"GET /api/v1/auth/whoami":  {"/api/v1/auth/whoami", "", "200"},
	"POST /api/v1/auth/can-i":  {"/api/v1/auth/can-i", canView, "200"},
	"GET /api/v1/auth/rules":   {"/api/v1/auth/rules", "", "200"}, // TestRulesOfTheCaller has the content
	// The password is too short for all, so that nothing changes: 422 means that the caller
	// would have been allowed to set it.
	"POST /api/v1/auth/password":                  {"/api/v1/auth/password", `{"user":"viewer","old":"x","new":"short"}`, "403 403 422 403 422 403"},
	"GET /api/v1/tokens":                          {"/api/v1/tokens", "", "200"},
	"POST /api/v1/tokens":                         {"/api/v1/tokens", `{"name":"x","serviceAccount":"sa-robot"}`, "403 403 403 403 200 403"},
	"DELETE /api/v1/tokens/{id}":                  {"/api/v1/tokens/none", "", "404"},
	"GET /api/v1/snapshot":                        {"/api/v1/snapshot", "", "200"},
	"GET /api/v1/watch":                           {"/api/v1/watch?since=x", "", "400"}, // TestWatch has the streams
	"POST /api/v1/apply":                          {"/api/v1/apply", dryPrompt, "403 403 403 200 200 403"},
	"GET /api/v1/projects/{name}/prompts/visible": {"/api/v1/projects/p/prompts/visible", "", "404 404 200 200 200 404"},
	"GET /api/v1/projects/{name}/prompt-index":    {"/api/v1/projects/p/prompt-index", "", "404 404 200 200 200 404"},
	"GET /api/v1/{kinds}":                         {"/api/v1/prompts", "", "200"}, // TestVerbsOnKinds has the content
	"GET /api/v1/{kinds}/{name}":                  {"/api/v1/prompts/a?project=p", "", "404 404 200 200 200 404"},
	"DELETE /api/v1/{kinds}/{name}":               {"/api/v1/prompts/none?project=p", "", "403 403 403 404 404 403"},
	"POST /api/v1/promptrequests/{name}/approve":  {"/api/v1/promptrequests/r/approve?project=p&dryRun=true", "", "404 404 403 200 200 404"},
	// 502: the caller may call the server, which does not answer.
	"POST /api/v1/servers/{name}/mcp":                {"/api/v1/servers/s/mcp?project=p", `{"method":"ping"}`, "404 404 403 403 502 502"},
	"GET /api/v1/servers/{name}/mcp":                 {"/api/v1/servers/s/mcp?project=p", "", "404 404 403 403 502 502"},
	"DELETE /api/v1/servers/{name}/mcp":              {"/api/v1/servers/s/mcp?project=p", "", "404 404 403 403 502 502"},
	"GET /api/v1/audit":                              {"/api/v1/audit", "", "403 403 403 403 200 403"},
	"POST /api/v1/auth/device":                       {"/api/v1/auth/device", "", "404"},
	"POST /api/v1/auth/device/poll":                  {"/api/v1/auth/device/poll", `{"handle":"x"}`, "404"},
	"GET /api/v1/identities":                         {"/api/v1/identities", "", "403 403 403 403 200 403"},
	"PUT /api/v1/identities":                         {"/api/v1/identities", `{"issuer":"https://x","subject":"1","user":"none"}`, "403 403 403 403 404 403"},
	"DELETE /api/v1/identities":                      {"/api/v1/identities?issuer=x&subject=1", "", "403 403 403 403 404 403"},
	"POST /api/v1/prompts":                           {"/api/v1/prompts", `{"name":"a","project":"p","content":"x"}`, "403 403 403 409 409 403"},
	"PUT /api/v1/prompts/{name}":                     {"/api/v1/prompts/a?project=p", `{"content":"text"}`, "404 404 403 200 200 404"},
	"POST /api/v1/promptrequests":                    {"/api/v1/promptrequests", `{"name":"r","project":"p","content":"x"}`, "403 403 403 409 409 403"},
	"POST /api/v1/prompts/{name}/regenerate-summary": {"/api/v1/prompts/a/regenerate-summary?project=p", `{}`, "404 404 501 501 501 404"},
	"GET /api/v1/projects/{name}/links":              {"/api/v1/projects/p/links", "", "404 404 403 200 200 404"},
	"PUT /api/v1/projects/{name}/links":              {"/api/v1/projects/p/links", `{"project":"p","name":"none","granted":true}`, "404 404 403 404 404 404"},
	"GET /api/v1/audit/export":                       {"/api/v1/audit/export", "", "403 403 403 403 200 403"},
	"GET /api/v1/backup":                             {"/api/v1/backup", "", "403 403 403 403 200 403"},
	"POST /api/v1/restore":                           {"/api/v1/restore", "x", "403 403 403 403 422 403"},
	"POST /api/v1/cache/get":                         {"/api/v1/cache/get", `{"project":"p","proxyModel":"default","keys":[]}`, "404 404 200 200 200 404"},
	"PUT /api/v1/cache":                              {"/api/v1/cache", `{"project":"p","proxyModel":"default","entries":[]}`, "404 404 403 403 200 404"},
	"DELETE /api/v1/cache":                           {"/api/v1/cache?producer=user+none", "", "403 403 403 403 200 403"},
	"POST /api/v1/audit/verify":                      {"/api/v1/audit/verify", "", "403 403 403 403 200 403"},
}

func (e expectation) of(caller int) int {
	numbers := strings.Fields(e.status)
	var status int
	fmt.Sscan(numbers[min(caller, len(numbers)-1)], &status)
	return status
}

// Each route answers each sort of caller as its Rule demands.
func TestRules(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s := mcpdtest.Start(t, address)
		s.Apply(t, team)
		tokens := tokensOf(t, s)
		known := maps.Clone(expectations)
		for _, route := range s.Routes() {
			name := route.Method + " " + route.Path
			want, ok := known[name]
			if !ok {
				t.Errorf("%s: no expectation, add one", name)
				continue
			}
			delete(known, name)
			path := want.path
			if path == "" {
				path = route.Path
			}
			for _, caller := range strangersWithoutToken {
				got, status := s.Do(t, tokens[caller], route.Method, path, want.body), http.StatusUnauthorized
				if route.Rule == web.Public {
					status = want.of(0)
				}
				checkStatus(t, name, caller, got, status)
				if route.Rule != web.Public && got.Header.Get("WWW-Authenticate") == "" {
					t.Errorf("%s: %s: no WWW-Authenticate", name, caller)
				}
			}
			if want.path == "" {
				continue
			}
			for i, caller := range callers {
				checkStatus(t, name, caller, s.Do(t, tokens[caller], route.Method, path, want.body), want.of(i))
			}
		}
		for name := range known {
			t.Errorf("%s: is not a route", name)
		}
	})
}

func checkStatus(t *testing.T, route, caller string, got mcpdtest.Answer, want int) {
	t.Helper()
	if got.Status != want {
		t.Errorf("%s: %s: status %d, want %d: %s", route, caller, got.Status, want, got.Body)
	}
	if got.Status >= 400 && got.Header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("%s: %s: content type %q", route, caller, got.Header.Get("Content-Type"))
	}
	if strings.Contains(got.Body, "canary") {
		t.Errorf("%s: %s: the answer contains a credential", route, caller)
	}
	if got.Header.Get("Cache-Control") == "" {
		t.Errorf("%s: %s: no Cache-Control", route, caller)
	}
}

// Requests that no route has, and paths that a router might read in two ways.
func TestPathsThatAreNoRoute(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s := mcpdtest.Start(t, address)
		s.Apply(t, team)
		tokens := tokensOf(t, s)
		for _, tt := range []struct {
			method, path string
			nobody       int
			admin        int
		}{
			{"GET", "/", 404, 404},
			{"GET", "/api/v1/", 404, 404},
			{"GET", "/api/v1", 404, 404},
			{"PUT", "/api/v1/servers/s", 404, 404},
			{"PATCH", "/api/v1/servers/s", 404, 404},
			{"POST", "/api/v1/servers/s", 404, 404},
			{"POST", "/api/v1/snapshot", 404, 404},
			{"DELETE", "/api/v1/servers", 404, 404},
			{"OPTIONS", "/api/v1/apply", 404, 404},
			{"TRACE", "/api/v1/servers/s", 404, 404},
			{"PUT", "/api/v1/servers/s/mcp?project=p", 404, 404},
			{"GET", "/api/v1/proxymodels", 404, 404}, // files of each user
			{"GET", "/api/v1/proxymodels/default", 404, 404},
			{"GET", "/api/v1/secrets", 404, 404},
			{"GET", "/api/v1/Servers", 404, 404},
			{"GET", "/api/v1/server", 404, 404},
			{"GET", "/api/v1/servers/", 404, 404},
			{"GET", "/api/v1/servers/s/", 404, 404},
			{"GET", "/api/v1/servers/s/mcp/x", 404, 404},
			{"GET", "/api/v1/servers/..%2Fusers%2Fadmin", 400, 400},
			{"GET", "/api/v1/servers/%2e%2e", 400, 400},
			{"GET", "/api/v1/servers/..;/users", 404, 404},
			{"GET", "/api/v1%2Fservers%2Fs", 404, 404},
			{"GET", "/api%2Fv1/servers/s", 404, 404},
			{"GET", "/api/v1/%73ervers/s", 404, 200}, // the same letter
			{"GET", "/api/v1/servers/%73", 404, 200},
			{"GET", "/api/v1/servers/S", 400, 400},
			{"GET", "/api/v1/servers/s%00", 400, 400},
			{"GET", "/api/v1/servers/%ff", 400, 400},
			{"GET", "/api/v1/servers/s%20", 400, 400},
			{"GET", "/api/v1/servers/%C5%BF", 400, 400},             // a long s
			{"GET", "/api/v1/servers/" + long("s", 64), 400, 400},   // a name has 63 bytes
			{"GET", "/api/v1/servers/" + long("s", 9000), 400, 400}, // less than the limit of headers
			{"GET", "/api/v1/servers/s?project=p", 400, 400},
			{"GET", "/api/v1/prompts/a", 400, 400},
			{"GET", "/api/v1/prompts/a?project=p%00", 400, 400},
			{"GET", "/api/v1/prompts?project=%00", 400, 400},
			{"GET", "/api/v1/prompts?project=%ff", 400, 400},
			{"GET", "/api/v1/prompts?project=..", 400, 400},
			{"GET", "/api/v1/prompts?cursor=AC8A", 400, 400}, // NUL/NUL
			{"GET", "/api/v1/prompts?cursor=x", 400, 400},
			{"GET", "/api/v1/prompts?limit=0", 400, 400},
			{"GET", "/api/v1/prompts?limit=501", 400, 400},
			{"GET", "/api/v1/prompts?limit=1e3", 400, 400},
			{"GET", "/api/v1/projects/p%00/prompt-index", 400, 400},
			{"GET", "/api/v1/projects/none/prompt-index", 404, 404},
			{"GET", "/api/v1/projects/none/prompts/visible", 404, 404},
			{"DELETE", "/api/v1/tokens/a%00b", 400, 400},
			{"DELETE", "/api/v1/tokens/%ff", 400, 400},
			{"DELETE", "/api/v1/servers/s%00", 400, 400},
			{"POST", "/api/v1/servers/s%00/mcp?project=p", 400, 400},
			{"POST", "/api/v1/servers/s/mcp?project=%00", 400, 400},
			{"POST", "/api/v1/promptrequests/r%00/approve?project=p", 400, 400},
			{"GET", "/api/v1/audit?since=x", 403, 400},
			{"GET", "/api/v1/audit?limit=-1", 403, 400},
			{"GET", "/api/v1/watch?since=", 400, 400},
			{"GET", "/api/v1/watch?since=-1", 410, 410},
			{"GET", "/api/v1/watch?since=99999999999999999999", 400, 400},
			{"GET", "/api/v1/watch?since=9223372036854775807", 410, 410},
		} {
			for caller, want := range map[string]int{"nobody": tt.nobody, "admin": tt.admin} {
				got := s.Do(t, tokens[caller], tt.method, tt.path, "")
				if got.Status != want {
					t.Errorf("%s %.80s: %s: status %d, want %d: %.300s", tt.method, tt.path, caller, got.Status, want, got.Body)
				}
				if strings.Contains(got.Body, "SQLSTATE") {
					t.Errorf("%s %.80s: the answer has an error of the database: %s", tt.method, tt.path, got.Body)
				}
			}
		}
		for _, path := range []string{"//api/v1/servers/s", "/api/v1/../v1/servers/s", "/api/v1/./servers/s", "/api/v1/servers/../users/admin"} {
			if got := s.Do(t, tokens["nobody"], "GET", path, ""); got.Status != http.StatusMovedPermanently && got.Status != http.StatusTemporaryRedirect {
				t.Errorf("%s: status %d, want a redirect to the plain path", path, got.Status)
			}
		}
	})
}

func long(s string, n int) string { return strings.Repeat(s, n) }
