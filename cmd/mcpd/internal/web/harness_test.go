package web

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/access"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/audit"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/databasetest"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/feed"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/keyring"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/secret"
)

// team is a running Server with the administrator "root".
type team struct {
	*Server
	t    *testing.T
	keys *keyring.Ring
	url  string
	root string // token
}

// eachEngine runs f with a team on each engine.
func eachEngine(t *testing.T, f func(t *testing.T, tm *team)) {
	databasetest.Each(t, func(t *testing.T, address string) { f(t, newTeam(t, address)) })
}

func newTeam(t *testing.T, address string) *team {
	t.Helper()
	keys, err := keyring.Open(filepath.Join(t.TempDir(), "keys"))
	if err != nil {
		t.Fatal(err)
	}
	db := databasetest.Open(t, address)
	s := store.New(db, keys)
	a := access.Open(db, s)
	silent := slog.New(slog.DiscardHandler)
	if err := a.Apply(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	hub, err := feed.Open(t.Context(), s, silent, func(changes []store.Change) error { return a.Apply(context.Background(), changes) })
	if err != nil {
		t.Fatal(err)
	}
	log := audit.OpenLog(db, keys, "process "+t.Name(), silent)
	t.Cleanup(log.Close)
	tm := &team{t: t, keys: keys, Server: &Server{DB: db, Store: s, Access: a, Feed: hub, Audit: log, Log: silent, Version: "test",
		Secrets: secret.Lookup(func(string) (secret.Value, bool) { return secret.Value{}, false }), SessionKey: []byte("key of the test"), AuditKey: []byte("audit key of the test"), Keys: keys, Closing: t.Context()}}
	tm.seed("kind: User\nmetadata: {name: root}\n---\nkind: RbacBinding\nmetadata: {name: admins}\nspec: {subjects: [{user: root}], verbs: [admin]}\n")
	server := httptest.NewServer(tm.Handler())
	t.Cleanup(server.Close)
	tm.url, tm.root = server.URL, tm.token("root")
	return tm
}

// seed stores objects without a request.
func (tm *team) seed(yaml string) {
	tm.t.Helper()
	objects, _, err := object.Decode("seed.yaml", []byte(yaml))
	if err == nil {
		_, err = tm.Store.Apply(tm.t.Context(), store.Write{Actor: "seed", Authorize: func(object.Key, bool) error { return nil }}, objects)
	}
	if err == nil {
		err = tm.Feed.Sync(tm.t.Context())
	}
	if err != nil {
		tm.t.Fatal(err)
	}
}

// token returns a new token of a user.
func (tm *team) token(user object.Name) string {
	tm.t.Helper()
	text, _, err := tm.Access.Issue(tm.t.Context(), access.Grant{Kind: object.KindUser, Name: user, Life: time.Hour, By: "test"})
	if err != nil {
		tm.t.Fatal(err)
	}
	return text.Reveal()
}

// reply is the answer to a request.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// problem returns the message of a failed request.
func (r reply) problem() string {
	var body struct{ Error *problem.Problem }
	if json.Unmarshal(r.body, &body) != nil || body.Error == nil {
		return string(r.body)
	}
	return body.Error.Error()
}

// send sends a request. header has names and values.
func (tm *team) send(token, method, path string, body any, header ...string) reply {
	tm.t.Helper()
	text, isText := body.(string)
	if body != nil && !isText {
		b, err := json.Marshal(body)
		if err != nil {
			tm.t.Fatal(err)
		}
		text = string(b)
	}
	req, err := http.NewRequestWithContext(tm.t.Context(), method, tm.url+path, bytes.NewReader([]byte(text)))
	if err != nil {
		tm.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		tm.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		tm.t.Fatal(err)
	}
	return reply{resp.StatusCode, resp.Header, b}
}

// get decodes the answer to a request that must succeed.
func (tm *team) get(token, path string, into any) {
	tm.t.Helper()
	r := tm.send(token, "GET", path, nil)
	if r.status != http.StatusOK {
		tm.t.Fatalf("GET %s: %d %s", path, r.status, r.body)
	}
	if err := json.Unmarshal(r.body, into); err != nil {
		tm.t.Fatal(err)
	}
}
