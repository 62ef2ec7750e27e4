package web_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/access"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/backup"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/databasetest"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/query"
	"github.com/mcpctl/mcpctl/host/object"
)

// otherBackup returns a backup of another server with the objects of a YAML text and an identity of
// the user anna.
func otherBackup(t *testing.T, yaml string, id access.Identity) []byte {
	t.Helper()
	s := start(t, filepath.Join(t.TempDir(), "mcpd.db"), yaml+"---\nkind: User\nmetadata: {name: root}\n---\nkind: RbacBinding\nmetadata: {name: root}\nspec: {subjects: [{user: root}], verbs: [admin]}\n")
	if err := s.Access.BindIdentity(t.Context(), "test", id); err != nil {
		t.Fatal(err)
	}
	status, archive := s.do(s.token(object.KindUser, "root"), "GET", "/api/v1/backup", nil)
	if status != http.StatusOK {
		t.Fatalf("got %d, %s", status, archive)
	}
	return archive
}

// A merge that takes the rights of the administrator who sends it is refused, like other
// writes that do so.
func TestMergeKeepsAdministrator(t *testing.T) {
	const issuer = "https://login"
	id := access.Identity{Issuer: issuer, Subject: "1", User: "anna"} // has no group
	tests := []struct {
		name, admins string
		merged       string // objects of another server; "": a backup of the same server
		want         int
	}{
		{"the same", "subjects: [{user: anna}]", twoUsers, http.StatusOK},
		{"a binding that is added", "subjects: [{user: anna}]", "kind: User\nmetadata: {name: anna}\n---\nkind: RbacBinding\nmetadata: {name: more}\nspec: {subjects: [{user: anna}], verbs: [view]}\n", http.StatusOK},
		{"disabled", "subjects: [{user: anna}]", "kind: User\nmetadata: {name: anna}\nspec: {disabled: true}\n", http.StatusConflict},
		{"subject of the binding", "subjects: [{user: anna}]", "kind: User\nmetadata: {name: anna}\n---\nkind: RbacBinding\nmetadata: {name: admins}\nspec: {subjects: [{user: root}], verbs: [admin]}\n", http.StatusConflict},
		{"verbs of the binding", "subjects: [{user: anna}]", "kind: User\nmetadata: {name: anna}\n---\nkind: RbacBinding\nmetadata: {name: admins}\nspec: {subjects: [{user: anna}], verbs: [edit]}\n", http.StatusConflict},
		{"member of a group", "subjects: [{group: web}]", "kind: User\nmetadata: {name: anna}\n---\nkind: Group\nmetadata: {name: web}\nspec: {members: [root]}\n", http.StatusConflict},
		{"group of the issuer", "subjects: [{group: staff}]", "", http.StatusConflict},
		{"group of the issuer, of another user of the name", "subjects: [{group: staff}]", "kind: User\nmetadata: {name: anna}\n", http.StatusOK},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var archive []byte
			if tt.merged != "" {
				archive = otherBackup(t, tt.merged, id)
			}
			databasetest.Each(t, func(t *testing.T, address string) {
				s := start(t, address, "kind: User\nmetadata: {name: anna}\n")
				s.Access.SetIssuer(issuer)
				if err := s.Access.BindIdentity(t.Context(), "test", id); err != nil {
					t.Fatal(err)
				}
				if tt.merged == "" {
					var b bytes.Buffer
					if _, err := backup.Write(t.Context(), s.DB, s.Store, &b, backup.Options{Program: "test"}); err != nil {
						t.Fatal(err)
					}
					archive = b.Bytes()
				}
				err := s.DB.Write(t.Context(), func(tx *database.Tx) error {
					return tx.PutIdentity(t.Context(), query.PutIdentityParams{Issuer: id.Issuer, Subject: id.Subject, UserName: "anna", Groups: `["office"]`})
				})
				if err != nil {
					t.Fatal(err)
				}
				s.apply("kind: Group\nmetadata: {name: web}\nspec: {members: [anna]}\n---\nkind: Group\nmetadata: {name: staff}\nspec: {issuerGroup: office}\n" +
					"---\nkind: RbacBinding\nmetadata: {name: admins}\nspec: {" + tt.admins + ", verbs: [admin]}\n")
				anna := s.token(object.KindUser, "anna")
				before, err := s.Store.Version(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				for _, query := range []string{"?merge=true&dryRun=true", "?merge=true"} {
					status, body := s.do(anna, "POST", "/api/v1/restore"+query, archive)
					if status != tt.want || tt.want == http.StatusConflict && !strings.Contains(string(body), "user anna would no longer be an administrator") {
						t.Errorf("%s: %d, %s", query, status, body)
					}
				}
				after, err := s.Store.Version(t.Context())
				if stored := after > before; err != nil || stored != (tt.want == http.StatusOK) {
					t.Errorf("version %d, was %d, %v", after, before, err)
				}
				if status, body := s.do(anna, "GET", "/api/v1/backup", nil); status != http.StatusOK {
					t.Errorf("afterwards: %d, %s", status, body)
				}
			})
		})
	}
}

// A merge that replaces a password ends the logins of the user, of which other processes learn
// by the feed. It brings back no token that was revoked.
func TestMergeEndsLogins(t *testing.T) {
	const before, now = "the password before", "the password of now"
	databasetest.Each(t, func(t *testing.T, address string) {
		s := start(t, address, twoUsers)
		anna := s.token(object.KindUser, "anna")
		revoked, caller, err := s.Access.Issue(t.Context(), access.Grant{Kind: object.KindUser, Name: "bob", Label: "laptop", Life: time.Hour, By: "test"})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Access.SetPassword(t.Context(), "bob", nil, before); err != nil {
			t.Fatal(err)
		}
		status, archive := s.do(anna, "GET", "/api/v1/backup", nil)
		if status != http.StatusOK {
			t.Fatalf("got %d, %s", status, archive)
		}
		if err := s.Access.Revoke(t.Context(), caller.ID(), func(access.Caller) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if err := s.Access.SetPassword(t.Context(), "bob", nil, now); err != nil {
			t.Fatal(err)
		}
		text, login, err := s.Access.Login(t.Context(), "bob", now, "127.0.0.1:1")
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Feed.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		version := s.Feed.Version()
		merge := func(query string, wantLogin int) {
			t.Helper()
			status, body := s.do(anna, "POST", "/api/v1/restore?merge=true"+query, archive)
			var r backup.Report
			if err := json.Unmarshal(body, &r); status != http.StatusOK || err != nil || r.Passwords != 1 || r.Tokens != 0 || r.TokensSkipped != 1 {
				t.Errorf("got %d, %s", status, body)
			}
			if status, _ := s.do(text.Reveal(), "GET", "/api/v1/projects", nil); status != wantLogin {
				t.Errorf("restore%s: the login gets %d, want %d", query, status, wantLogin)
			}
			if status, _ := s.do(revoked.Reveal(), "GET", "/api/v1/projects", nil); status != http.StatusUnauthorized {
				t.Errorf("restore%s: the revoked token gets %d", query, status)
			}
		}
		merge("&dryRun=true", http.StatusOK)
		merge("", http.StatusUnauthorized)
		if changes, _, _, err := s.Feed.Next(t.Context(), version); err != nil || !access.IsRevoked(login, changes) {
			t.Errorf("watchers get %v, %v", changes, err)
		}
		if _, _, err := s.Access.Login(t.Context(), "bob", before, "127.0.0.1:1"); err != nil {
			t.Errorf("the restored password: %v", err)
		}
	})
}
