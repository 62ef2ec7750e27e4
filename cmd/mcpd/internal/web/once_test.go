package web_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/databasetest"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/mcpdtest"
)

const relayTeam = `
kind: User
metadata: {name: anna}
---
kind: User
metadata: {name: ben}
---
kind: RbacBinding
metadata: {name: runs}
spec: {subjects: [{user: anna}, {user: ben}], verbs: [run, view]}
---
kind: Project
metadata: {name: p}
spec: {servers: [%[1]s]}
---
kind: Server
metadata: {name: %[1]s}
spec: {url: %[2]q}
`

// openRelay serves the API over a database with one MCP server, and returns the tokens of
// anna and ben. Each call opens another process of the same team.
func openRelay(t *testing.T, database, server, url string) (address string, tokens []string) {
	t.Helper()
	s := mcpdtest.Start(t, database)
	s.Apply(t, fmt.Sprintf(relayTeam, server, url))
	return s.URL, []string{s.Token(t, "anna"), s.Token(t, "ben")}
}

// post sends a call and returns the status and the outcome of the answer.
func post(t *testing.T, address, token, server, id string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+"/api/v1/servers/"+server+"/mcp?project=p", strings.NewReader(`{"method":"tools/call"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	if id != "" {
		req.Header.Set(api.HeaderRequestID, id)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return strings.TrimSpace(fmt.Sprint(resp.StatusCode, " ", resp.Header.Get(api.HeaderOutcome)))
}

func TestCallWithIDIsSentOnce(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, database string) {
		var calls atomic.Int64
		upstream := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if r.Header.Get(api.HeaderRequestID) != "" {
				t.Error("the server gets the id")
			}
			calls.Add(1)
		}))
		defer upstream.Close()
		address, tokens := openRelay(t, database, "counter", upstream.URL)
		for i, c := range []struct {
			name, token, id string
			want            string
			calls           int64
		}{
			{"first", tokens[0], "a", "200", 1},
			{"repeated", tokens[0], "a", "409 unknown", 1},
			{"same id of another caller", tokens[1], "a", "200", 2},
			{"another id", tokens[0], "b", "200", 3},
			{"without an id", tokens[0], "", "200", 4},
			{"without an id again", tokens[0], "", "200", 5},
			{"id too long", tokens[0], strings.Repeat("x", 201), "400", 5},
		} {
			if got := post(t, address, c.token, "counter", c.id); got != c.want || calls.Load() != c.calls {
				t.Errorf("%d %s: got %q, %d calls, want %q, %d", i, c.name, got, calls.Load(), c.want, c.calls)
			}
		}
	})
}

// A server that loses the connection may have executed the call; one that cannot be reached
// has not, and gets the repetition.
func TestUnknownOutcome(t *testing.T) {
	database := filepath.Join(t.TempDir(), "mcpd.db")
	aborts := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer aborts.Close()
	address, tokens := openRelay(t, database, "aborts", aborts.URL)
	for _, want := range []string{"502 unknown", "409 unknown"} {
		if got := post(t, address, tokens[0], "aborts", "a"); got != want {
			t.Errorf("connection lost: got %q, want %q", got, want)
		}
	}

	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	down := lis.Addr().String()
	lis.Close()
	address, tokens = openRelay(t, filepath.Join(t.TempDir(), "mcpd.db"), "down", "http://"+down)
	if got := post(t, address, tokens[0], "down", "a"); got != "502" {
		t.Errorf("server down: got %q, want 502 without an outcome", got)
	}
	lis, err = net.Listen("tcp", down)
	if err != nil {
		t.Skip("the port is in use:", err)
	}
	up := &httptest.Server{Listener: lis, Config: &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}}
	up.Start()
	defer up.Close()
	if got := post(t, address, tokens[0], "down", "a"); got != "200" {
		t.Errorf("server up again: got %q, want 200", got)
	}
}

// A caller gets the class of the reason why a server cannot be reached, and no address. A call
// that was not sent has no unknown outcome.
func TestUnreachableServer(t *testing.T) {
	serve := func(start func(http.Handler) *httptest.Server, handler http.HandlerFunc) string {
		server := start(handler)
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		t.Cleanup(server.Close)
		return server.URL
	}
	silent := func(http.ResponseWriter, *http.Request) {}
	for name, tt := range map[string]struct {
		url, want, outcome string
	}{
		"down":      {closedAddress(t), `the team server cannot reach server "wiki": connection refused`, ""},
		"untrusted": {serve(httptest.NewTLSServer, silent), `the team server cannot reach server "wiki": TLS certificate is not valid`, ""},
		"no TLS":    {strings.Replace(serve(httptest.NewServer, silent), "http:", "https:", 1), `the team server cannot reach server "wiki": it does not use TLS`, ""},
		"closed": {serve(httptest.NewServer, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }),
			`server "wiki" did not answer the team server: connection closed`, "unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			s := mcpdtest.Start(t, filepath.Join(t.TempDir(), "mcpd.db"))
			s.Apply(t, fmt.Sprintf(relayTeam, "wiki", tt.url))
			got := s.Do(t, s.Token(t, "anna"), http.MethodPost, "/api/v1/servers/wiki/mcp?project=p", `{"method":"tools/call"}`)
			var problem struct{ Detail string }
			if err := json.Unmarshal([]byte(got.Body), &problem); err != nil || got.Status != 502 || problem.Detail != tt.want || got.Header.Get(api.HeaderOutcome) != tt.outcome {
				t.Errorf("%+v, %v, want %q", got, err, tt.want)
			}
			if strings.Contains(got.Body, "127.0.0.1") || strings.Contains(got.Body, "x509") {
				t.Errorf("the answer contains the cause: %s", got.Body)
			}
		})
	}
}

// closedAddress returns the URL of a port that nothing listens on.
func closedAddress(t *testing.T) string {
	t.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer lis.Close()
	return "http://" + lis.Addr().String()
}
