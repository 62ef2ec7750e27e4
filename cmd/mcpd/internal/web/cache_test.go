package web_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/audit"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/databasetest"
	"github.com/mcpctl/mcpctl/host/object"
)

const cacheObjects = twoUsers + `---
kind: User
metadata: {name: eve}
---
kind: ServiceAccount
metadata: {name: ci}
---
kind: ServiceAccount
metadata: {name: other}
---
kind: Project
metadata: {name: web}
spec: {proxyModel: short}
---
kind: Project
metadata: {name: secret}
spec: {proxyModel: short}
---
kind: RbacBinding
metadata: {name: robots}
spec: {subjects: [{serviceAccount: ci}], verbs: [view, cache], kinds: [Project, ProxyModel], projects: [web]}
---
kind: RbacBinding
metadata: {name: eves}
spec: {subjects: [{user: eve}, {serviceAccount: other}], verbs: [view, run], projects: [web]}
---
kind: RbacBinding
metadata: {name: foreign}
spec: {subjects: [{serviceAccount: other}], verbs: [cache], projects: [secret]}
`

var cachedKey = bytes.Repeat([]byte("k"), 32)

// cached is a server with callers of its cache.
type cached struct {
	*running
	tokens map[string]string
}

func startCached(t *testing.T, address string) *cached {
	r := start(t, address, cacheObjects)
	tokens := make(map[string]string)
	for _, u := range []object.Name{"anna", "bob", "eve"} {
		tokens[string(u)] = r.token(object.KindUser, u)
	}
	for _, a := range []object.Name{"ci", "other"} {
		tokens[string(a)] = r.token(object.KindServiceAccount, a)
	}
	return &cached{r, tokens}
}

func (c *cached) call(who, method, path string, body any) (int, string) {
	c.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		c.t.Fatal(err)
	}
	status, answer := c.do(c.tokens[who], method, path, text, "Content-Type", "application/json")
	return status, string(answer)
}

func (c *cached) put(who, project, model, value string) (int, string) {
	return c.call(who, "PUT", "/api/v1/cache", api.TeamCachePut{Project: project, ProxyModel: model,
		Entries: []api.TeamCacheEntry{{Key: cachedKey, Value: []byte(value), ModuleHash: "sha256:ab"}}})
}

// get returns the value of the key for the ProxyModel short and its producer, or "".
func (c *cached) get(who, project string) string {
	c.t.Helper()
	return c.getFor(who, project, "short")
}

func (c *cached) getFor(who, project, model string) string {
	c.t.Helper()
	status, body := c.call(who, "POST", "/api/v1/cache/get", api.TeamCacheGet{Project: project, ProxyModel: model, Keys: [][]byte{cachedKey}})
	var got api.TeamCacheGot
	if status != http.StatusOK {
		return body
	}
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		c.t.Fatal(err)
	}
	if len(got.Entries) == 0 {
		return ""
	}
	return string(got.Entries[0].Value) + " by " + got.Entries[0].Producer
}

func TestCacheTrust(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		c := startCached(t, address)
		for _, tt := range []struct {
			who, project, model, want string
			status                    int
		}{
			{"eve", "web", "short", `user eve may not cache results of proxymodel \"short\" in project \"web\"`, http.StatusForbidden},
			{"ci", "secret", "short", `project \"secret\"`, http.StatusNotFound},
			{"other", "web", "short", "may not cache", http.StatusForbidden}, // its right is one of another project
			{"bob", "web", "long", `does not use proxymodel \"long\"`, http.StatusUnprocessableEntity},
			{"bob", "none", "short", "not found", http.StatusNotFound},
			{"bob", "", "short", "", http.StatusBadRequest},
			{"bob", "web", "short", "{}", http.StatusOK},
			{"ci", "web", "short", "{}", http.StatusOK},
		} {
			if status, body := c.put(tt.who, tt.project, tt.model, "of "+tt.who); status != tt.status || !strings.Contains(body, tt.want) {
				t.Errorf("%s puts to %s: %d %s, want %d %s", tt.who, tt.project, status, body, tt.status, tt.want)
			}
		}
		for _, tt := range []struct{ name, who, project, want string }{
			{"a service account that may cache", "eve", "web", "of ci by serviceaccount ci"},
			{"the own one first", "bob", "web", "of bob by user bob"},
			{"another project with the same key", "bob", "secret", ""},
		} {
			if got := c.get(tt.who, tt.project); got != tt.want {
				t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
			}
		}
		if got := c.get("eve", "secret"); !strings.Contains(got, "E_NOT_FOUND") || got != strings.Replace(c.get("eve", "none"), "none", "secret", 2) {
			t.Errorf("a project that eve may not view: %s", got)
		}
		// An account that loses the verb is not trusted any more, also with what it has stored.
		c.apply("kind: RbacBinding\nmetadata: {name: robots}\nspec: {subjects: [{serviceAccount: ci}], verbs: [view], projects: [web]}\n")
		if got := c.get("eve", "web"); got != "" {
			t.Errorf("after the binding was changed: %q", got)
		}
		if got := c.get("ci", "web"); got != "of ci by serviceaccount ci" {
			t.Errorf("its own one: %q", got)
		}
	})
}

// An account that may store results of one ProxyModel supplies none to another one of the
// project, and neither does a caller to itself.
func TestCacheTrustIsOfAModel(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		c := startCached(t, address)
		c.apply(`kind: Server
metadata: {name: s}
spec: {url: 'https://example.org/'}
---
kind: Project
metadata: {name: web}
spec: {servers: [s], proxyModel: short, proxyModelOverrides: {toolResults: {'s/*': sensitive}}}
---
kind: RbacBinding
metadata: {name: robots}
spec: {subjects: [{serviceAccount: ci}], verbs: [view, cache], kinds: [Project, ProxyModel], names: [web, short]}
`)
		for _, who := range []string{"ci", "bob"} {
			if status, body := c.put(who, "web", "short", "of "+who); status != http.StatusOK {
				t.Fatalf("%s: %d %s", who, status, body)
			}
		}
		if status, _ := c.put("ci", "web", "sensitive", "of ci"); status != http.StatusForbidden {
			t.Errorf("ci stores results of sensitive: %d", status)
		}
		for _, tt := range []struct{ who, model, want string }{
			{"eve", "short", "of ci by serviceaccount ci"},
			{"eve", "sensitive", ""},
			{"bob", "sensitive", ""},
			{"ci", "sensitive", ""},
		} {
			if got := c.getFor(tt.who, "web", tt.model); got != tt.want {
				t.Errorf("%s for %s: %q, want %q", tt.who, tt.model, got, tt.want)
			}
		}
		if status, body := c.put("bob", "web", "sensitive", "2 of bob"); status != http.StatusOK {
			t.Fatalf("got %d %s", status, body)
		}
		if got := c.getFor("bob", "web", "sensitive") + ", " + c.get("bob", "web"); got != "2 of bob by user bob, of bob by user bob" {
			t.Errorf("got %q", got)
		}
	})
}

func TestCachePurge(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		c := startCached(t, address)
		c.put("bob", "web", "short", "x")
		path := "/api/v1/cache?producer=" + url.QueryEscape("user bob")
		if status, _ := c.call("bob", "DELETE", path, nil); status != http.StatusForbidden {
			t.Errorf("by bob: %d", status)
		}
		if status, body := c.call("anna", "DELETE", "/api/v1/cache?producer=bob", nil); status != http.StatusBadRequest {
			t.Errorf("got %d, %s", status, body)
		}
		if status, body := c.call("anna", "DELETE", path, nil); status != http.StatusOK || strings.TrimSpace(body) != `{"removed":1}` {
			t.Errorf("got %d, %s", status, body)
		}
		if got := c.get("bob", "web"); got != "" {
			t.Errorf("after the purge: %q", got)
		}
		if err := c.Audit.RecordStrict(t.Context(), audit.Entry{Time: time.Now(), Actor: "test", Action: "end", Decision: audit.Allowed}); err != nil {
			t.Fatal(err)
		}
		list, err := audit.List(t.Context(), c.DB, audit.Filter{Since: time.Unix(0, 0), Until: time.Now().Add(time.Hour), Limit: 100})
		if err != nil || !strings.Contains(describeEntries(list), "user anna purge cache allowed") {
			t.Errorf("audit: %s, %v", describeEntries(list), err)
		}
	})
}

// A project that is created again does not have the results of the deleted one.
func TestCacheOfADeletedProject(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		c := startCached(t, address)
		c.put("bob", "web", "short", "x")
		if status, body := c.call("bob", "DELETE", "/api/v1/projects/web", nil); status != http.StatusOK {
			t.Fatalf("got %d, %s", status, body)
		}
		c.apply("kind: Project\nmetadata: {name: web}\nspec: {proxyModel: short}\n")
		if got := c.get("bob", "web"); got != "" {
			t.Errorf("got %q", got)
		}
	})
}

func TestCacheRefuses(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		c := startCached(t, address)
		entry := api.TeamCacheEntry{Key: cachedKey, ModuleHash: "x"}
		forged := entry
		forged.Producer = "serviceaccount ci"
		many := make([][]byte, 101)
		for i := range many {
			many[i] = cachedKey
		}
		for _, tt := range []struct {
			method, path string
			body         any
			want         string
		}{
			{"PUT", "/api/v1/cache", api.TeamCachePut{Project: "web", ProxyModel: "short", Entries: []api.TeamCacheEntry{{Key: []byte("k"), ModuleHash: "x"}}}, "key 1 has 1 bytes, want 32"},
			{"PUT", "/api/v1/cache", api.TeamCachePut{Project: "web", ProxyModel: "short", Entries: []api.TeamCacheEntry{forged}}, "which mcpd sets"},
			{"PUT", "/api/v1/cache", api.TeamCachePut{Project: "web", ProxyModel: "short", Entries: []api.TeamCacheEntry{{Key: cachedKey}}}, "module hash"},
			{"PUT", "/api/v1/cache", map[string]any{"producer": "user anna"}, "unknown field"},
			{"POST", "/api/v1/cache/get", api.TeamCacheGet{Project: "web", ProxyModel: "short", Keys: many}, "101 keys, limit 100"},
			{"POST", "/api/v1/cache/get", api.TeamCacheGet{Project: "web", ProxyModel: "short", Keys: [][]byte{nil}}, "key 1 has 0 bytes"},
			{"POST", "/api/v1/cache/get", api.TeamCacheGet{Project: "web", Keys: [][]byte{cachedKey}}, "proxyModel"},
		} {
			if status, body := c.call("bob", tt.method, tt.path, tt.body); status < 400 || status >= 500 || !strings.Contains(body, tt.want) {
				t.Errorf("%s %s: %d %s, want %q", tt.method, tt.path, status, body, tt.want)
			}
		}
	})
}

func TestSharedRoutesAreDescribed(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		c := startCached(t, address)
		status, body := c.call("bob", "GET", "/openapi.json", nil)
		for _, want := range []string{`"/api/v1/cache"`, `"/api/v1/cache/get"`, `"/api/v1/backup"`, `"/api/v1/restore"`, `"auditSkipped"`, `"key":{"type":"string","contentEncoding":"base64"}`} {
			if status != http.StatusOK || !strings.Contains(body, want) {
				t.Errorf("status %d, no %s", status, want)
			}
		}
	})
}
