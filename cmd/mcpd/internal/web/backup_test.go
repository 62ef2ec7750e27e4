package web_test

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"filippo.io/age"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/access"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/audit"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/backup"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/databasetest"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/mcpdtest"
	"github.com/mcpctl/mcpctl/host/object"
)

// running is a server that serves on a loopback address.
type running struct {
	*mcpdtest.Server
	t *testing.T
}

// start starts a server with the objects of a YAML text.
func start(t *testing.T, address, yaml string) *running {
	t.Helper()
	r := &running{mcpdtest.Start(t, address), t}
	r.apply(yaml)
	return r
}

func (r *running) apply(yaml string) {
	r.t.Helper()
	r.Apply(r.t, yaml)
}

// token returns a token of an account.
func (r *running) token(kind object.Kind, name object.Name) string {
	r.t.Helper()
	text, _, err := r.Access.Issue(r.t.Context(), access.Grant{Kind: kind, Name: name, Life: time.Hour, By: "test"})
	if err != nil {
		r.t.Fatal(err)
	}
	return text.Reveal()
}

// do sends a request and returns the status and body of the answer.
func (r *running) do(token, method, path string, body []byte, headers ...string) (int, []byte) {
	r.t.Helper()
	a := r.Do(r.t, token, method, path, string(body), headers...)
	return a.Status, []byte(a.Body)
}

const twoUsers = `
kind: User
metadata: {name: anna}
---
kind: User
metadata: {name: bob}
---
kind: RbacBinding
metadata: {name: admins}
spec: {subjects: [{user: anna}], verbs: [admin]}
---
kind: RbacBinding
metadata: {name: others}
spec: {subjects: [{user: bob}], verbs: [view, edit, create, delete, run, cache, operate]}
`

func TestBackupRoutes(t *testing.T) {
	id, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	databasetest.Each(t, func(t *testing.T, address string) {
		from := start(t, address, twoUsers+"---\nkind: Server\nmetadata: {name: s}\nspec: {url: 'https://x/', headers: {Authorization: Bearer abc}}\n")
		anna, bob := from.token(object.KindUser, "anna"), from.token(object.KindUser, "bob")
		for method, path := range map[string]string{"GET": "/api/v1/backup", "POST": "/api/v1/restore"} {
			if status, _ := from.do(bob, method, path, nil); status != http.StatusForbidden {
				t.Errorf("%s %s by bob: %d", method, path, status)
			}
		}
		if status, body := from.do(anna, "GET", "/api/v1/backup?recipient=x", nil); status != http.StatusUnprocessableEntity || !strings.Contains(string(body), "not a recipient of age") {
			t.Errorf("got %d, %s", status, body)
		}
		status, archive := from.do(anna, "GET", "/api/v1/backup?recipient="+id.Recipient().String(), nil)
		if status != http.StatusOK {
			t.Fatalf("got %d, %s", status, archive)
		}

		to := start(t, filepath.Join(t.TempDir(), "mcpd.db"), twoUsers)
		anna = to.token(object.KindUser, "anna")
		before := to.Feed.Version()
		restore := func(query string, headers ...string) (int, backup.Report, string) {
			status, body := to.do(anna, "POST", "/api/v1/restore"+query, archive, headers...)
			var r backup.Report
			if status == http.StatusOK {
				if err := json.Unmarshal(body, &r); err != nil {
					t.Fatal(err)
				}
			}
			return status, r, string(body)
		}
		if status, _, body := restore("", api.HeaderAgeIdentity, id.String()); status != http.StatusConflict || !strings.Contains(body, "needs an empty one") {
			t.Errorf("got %d, %s", status, body)
		}
		if status, _, body := restore("?merge=true"); status != http.StatusUnprocessableEntity || !strings.Contains(body, "no identity") {
			t.Errorf("got %d, %s", status, body)
		}
		if status, r, _ := restore("?merge=true&withoutCredentials=true&dryRun=true"); status != http.StatusOK || len(r.Skipped) != 1 || r.Unchanged != 4 {
			t.Errorf("got %d, %+v", status, r)
		}
		if status, r, _ := restore("?merge=true", api.HeaderAgeIdentity, id.String()); status != http.StatusOK || r.Created != 1 || r.Unchanged != 4 {
			t.Errorf("got %d, %+v", status, r)
		}
		if changes, _, _, err := to.Feed.Next(t.Context(), before); err != nil || len(changes) != 1 || changes[0].Key.Name != "s" {
			t.Errorf("watchers get %v, %v", changes, err)
		}
		list, err := audit.List(t.Context(), from.DB, audit.Filter{Since: time.Unix(0, 0), Until: time.Now().Add(time.Hour), Limit: 100})
		if err != nil || !strings.Contains(describeEntries(list), "user anna backup allowed") || !strings.Contains(describeEntries(list), "user bob GET /api/v1/backup denied") {
			t.Errorf("audit: %s, %v", describeEntries(list), err)
		}
		if list, err = audit.List(t.Context(), to.DB, audit.Filter{Since: time.Unix(0, 0), Until: time.Now().Add(time.Hour), Limit: 100}); err != nil || !strings.Contains(describeEntries(list), "user anna restore allowed") {
			t.Errorf("audit: %s, %v", describeEntries(list), err)
		}
	})
}

func describeEntries(list []audit.Row) string {
	var b strings.Builder
	for _, e := range list {
		b.WriteString(e.Actor + " " + e.Action + " " + e.Decision + "; ")
	}
	return b.String()
}
