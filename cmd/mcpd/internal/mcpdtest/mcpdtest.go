// Package mcpdtest starts team servers in the process of a test: with all parts of mcpd but
// its commands, on a database of package databasetest.
package mcpdtest

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/access"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/audit"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/cache"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/databasetest"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/feed"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/keyring"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/web"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/secret"
)

// Server is a running team server.
type Server struct {
	*web.Server
	URL string
	Log *Log // of the server
}

// Log is a text that a server writes. It is safe for concurrent use.
type Log struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write implements io.Writer.
func (l *Log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

// String returns the text up to now.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Start returns a server on the database of an address, which ends with the test. It is
// empty and has no users.
func Start(t testing.TB, address string) *Server {
	t.Helper()
	s := Assemble(t, address)
	listener := httptest.NewServer(s.Handler())
	t.Cleanup(listener.Close)
	t.Cleanup(listener.CloseClientConnections) // streams end, for which Close waits
	s.URL = listener.URL
	return s
}

// Assemble returns a server that listens nowhere.
func Assemble(t testing.TB, address string) *Server {
	t.Helper()
	keys, err := keyring.Open(filepath.Join(t.TempDir(), "keys"))
	if err != nil {
		t.Fatal(err)
	}
	db := databasetest.Open(t, address)
	s := store.New(db, keys)
	a := access.Open(db, s)
	text := new(Log)
	log := slog.New(slog.NewTextHandler(text, &slog.HandlerOptions{Level: slog.LevelDebug}))
	hub, err := feed.Open(t.Context(), s, log, func(changes []store.Change) error { return a.Apply(context.Background(), changes) })
	if err != nil {
		t.Fatal(err)
	}
	s.OnCommit(hub.Wake)
	entries := audit.OpenLog(db, keys, "process test", log)
	t.Cleanup(entries.Close)
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan struct{})
	go func() {
		hub.Run(ctx)
		close(stopped)
	}()
	t.Cleanup(func() {
		cancel()
		<-stopped
	})
	return &Server{Log: text, Server: &web.Server{DB: db, Store: s, Access: a, Feed: hub, Audit: entries, Cache: cache.New(db, keys), Keys: keys, AuditKey: []byte("audit"), Log: log, Version: "test",
		Secrets: func(name string) (secret.Value, bool) { return secret.New("value of " + name), name == "SET" }, SessionKey: []byte("key"), Closing: ctx}}
}

// Apply stores the objects of a YAML text as an administrator, and waits until they are
// effective.
func (s *Server) Apply(t testing.TB, yaml string) {
	t.Helper()
	objects, _, err := object.Decode("test.yaml", []byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Store.Apply(t.Context(), administrator, objects); err != nil {
		t.Fatal(err)
	}
	s.sync(t)
}

// Delete removes an object as an administrator.
func (s *Server) Delete(t testing.TB, key object.Key) {
	t.Helper()
	if err := s.Store.Delete(t.Context(), administrator, key, true); err != nil {
		t.Fatal(err)
	}
	s.sync(t)
}

func (s *Server) sync(t testing.TB) {
	t.Helper()
	if err := s.Feed.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
}

var administrator = store.Write{Actor: "user root", Authorize: func(object.Key, bool) error { return nil }}

// Token returns a new API token of a user, or of a service account whose name begins with
// "sa-".
func (s *Server) Token(t testing.TB, name string) string {
	t.Helper()
	g := access.Grant{Kind: object.KindUser, Name: object.Name(name), Label: "test " + rand.Text(), Life: time.Hour, By: "test"}
	if strings.HasPrefix(name, "sa-") {
		g.Kind = object.KindServiceAccount
	}
	token, _, err := s.Access.Issue(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	return token.Reveal()
}

// Answer is the answer to one request.
type Answer struct {
	Status int
	Header http.Header
	Body   string
}

// Decode decodes the body as JSON.
func (a Answer) Decode(t testing.TB, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(a.Body), into); err != nil {
		t.Fatalf("status %d, body %.500s: %v", a.Status, a.Body, err)
	}
}

// Do sends one request and returns the answer. A body is sent as JSON. header has pairs of
// names and values. It does not follow redirects.
func (s *Server) Do(t testing.TB, token, method, path, body string, header ...string) Answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for pair := range slices.Chunk(header, 2) {
		req.Header.Set(pair[0], pair[1])
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return Answer{resp.StatusCode, resp.Header, string(text)}
}

// ApplyBody returns the body of POST /api/v1/apply with a YAML text.
func ApplyBody(yaml string, set ...func(*api.ApplyRequest)) string {
	req := api.ApplyRequest{File: "test.yaml", YAML: yaml}
	for _, f := range set {
		f(&req)
	}
	text, err := json.Marshal(req)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// DryRun makes an apply write nothing.
func DryRun(req *api.ApplyRequest) { req.DryRun = true }
