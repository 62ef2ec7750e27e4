package web_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/audit"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/databasetest"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/mcpdtest"
)

// upstream is an MCP server that records the headers of its requests.
type upstream struct {
	*httptest.Server
	mu      sync.Mutex
	headers []http.Header
	queries []string
}

// newUpstream returns a server of the Go SDK with the tool "echo".
func newUpstream(t *testing.T) *upstream {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "echo", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "echo"}, func(_ context.Context, _ *mcp.CallToolRequest, in struct {
		Text string `json:"text"`
	}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: in.Text}}}, nil, nil
	})
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	return record(t, handler)
}

func record(t *testing.T, handler http.Handler) *upstream {
	t.Helper()
	u := new(upstream)
	u.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u.mu.Lock()
		u.headers, u.queries = append(u.headers, r.Header.Clone()), append(u.queries, r.URL.RawQuery)
		u.mu.Unlock()
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(u.Close)
	t.Cleanup(u.CloseClientConnections)
	return u
}

func (u *upstream) seen() ([]http.Header, []string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Clone(u.headers), slices.Clone(u.queries)
}

func serverYAML(name, url string) string {
	return fmt.Sprintf("kind: Server\nmetadata: {name: %s}\nspec: {url: %q, headers: {Authorization: 'Bearer ${SET}', X-Key: canary-77}}\n", name, url)
}

// withToken adds the token of a caller to each request, and what a client should not send.
type withToken string

func (token withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(token))
	r.Header.Set("Cookie", "a=b")
	r.Header.Set("X-Forwarded-For", "10.0.0.1")
	r.Header.Set("X-Key", "forged")
	return http.DefaultTransport.RoundTrip(r)
}

func connect(t *testing.T, s *mcpdtest.Server, token, path string) (*mcp.ClientSession, error) {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: s.URL + path, HTTPClient: &http.Client{Transport: withToken(token)}, MaxRetries: -1}, nil)
	if err == nil {
		t.Cleanup(func() { _ = session.Close() })
	}
	return session, err
}

// A client of the Go SDK works through mcpd with a server of the Go SDK, which gets the stored
// credentials and nothing that identifies the caller.
func TestRelay(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s := mcpdtest.Start(t, address)
		u := newUpstream(t)
		s.Apply(t, team)
		s.Apply(t, serverYAML("s", u.URL+"/mcp?key=1"))
		session, err := connect(t, s, s.Token(t, "sa-robot"), "/api/v1/servers/s/mcp?project=p")
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"hello", "ä 😀", strings.Repeat("long ", 100_000)} {
			result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"text": text}})
			if err != nil || result.Content[0].(*mcp.TextContent).Text != text {
				t.Errorf("call: %.100v, %v", result, err)
			}
		}
		headers, queries := u.seen()
		for i, h := range headers {
			if h.Get("Authorization") != "Bearer value of SET" || h.Get("X-Key") != "canary-77" || h.Get("Cookie") != "" || h.Get("X-Forwarded-For") != "" || h.Get("User-Agent") != "mcpd" {
				t.Errorf("the server got %v", h)
			}
			if queries[i] != "key=1" {
				t.Errorf("the server got the query %q", queries[i])
			}
		}
		if _, err := connect(t, s, s.Token(t, "viewer"), "/api/v1/servers/s/mcp?project=p"); err == nil {
			t.Error("a caller without the right to run it is connected")
		}
		if _, err := connect(t, s, s.Token(t, "sa-robot"), "/api/v1/servers/s/mcp"); err == nil {
			t.Error("a right in a project is one outside of it")
		}
		entries := waitForAudit(t, s, func(e audit.Entry) bool {
			return e.Action == "call" && strings.HasPrefix(e.Detail, "tools/call echo hmac:")
		})
		if e := entries[0]; e.Actor != "serviceaccount sa-robot" || e.Name != "s" || e.Project != "p" || e.Result != "status 200" || e.Latency <= 0 {
			t.Errorf("the audit log has %+v", e)
		}
	})
}

// waitForAudit returns the entries that match, of which there is at least one soon.
func waitForAudit(t *testing.T, s *mcpdtest.Server, match func(audit.Entry) bool) []audit.Entry {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		all, err := audit.List(t.Context(), s.DB, audit.Filter{Since: time.Unix(0, 0), Until: time.Now().Add(time.Hour), Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		var found []audit.Entry
		for _, row := range all {
			if match(row.Entry) {
				found = append(found, row.Entry)
			}
		}
		if len(found) > 0 {
			return found
		}
		if time.Now().After(deadline) {
			t.Fatalf("no such entry in %+v", all)
		}
	}
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`

// A session belongs to one caller and one server.
func TestSessionsAreBound(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s := mcpdtest.Start(t, address)
		u := newUpstream(t)
		s.Apply(t, team)
		s.Apply(t, serverYAML("s", u.URL)+"---\n"+serverYAML("unused", u.URL))
		admin, robot := s.Token(t, "admin"), s.Token(t, "sa-robot")
		send := func(token, server, session, method, body string) mcpdtest.Answer {
			header := []string{"Accept", "application/json, text/event-stream"}
			if session != "" {
				header = append(header, "Mcp-Session-Id", session)
			}
			return s.Do(t, token, method, "/api/v1/servers/"+server+"/mcp"+map[string]string{"s": "?project=p"}[server], body, header...)
		}
		opened := send(robot, "s", "", "POST", initialize)
		id := opened.Header.Get("Mcp-Session-Id")
		if opened.Status != 200 || id == "" {
			t.Fatalf("initialize: %+v", opened)
		}
		const list = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
		send(robot, "s", id, "POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		for name, tt := range map[string]struct {
			token, server, session string
			want                   int
		}{
			"its caller":                  {robot, "s", id, 200},
			"another token of its caller": {s.Token(t, "sa-robot"), "s", id, 200},
			"another caller":              {admin, "s", id, 404},
			"another server":              {admin, "unused", id, 404},
			"a changed id":                {robot, "s", "x" + id, 404},
			"the server's own id":         {robot, "s", strings.SplitN(id, ".", 2)[0], 404},
			"without a MAC":               {robot, "s", strings.SplitN(id, ".", 2)[0] + ".", 404},
			"not base64":                  {robot, "s", "é.é", 404},
			"an id of 9 KB":               {robot, "s", strings.Repeat("x", 9000), 404},
		} {
			if got := send(tt.token, tt.server, tt.session, "POST", list); got.Status != tt.want {
				t.Errorf("%s: %+v, want %d", name, got, tt.want)
			}
		}
		if got := send(admin, "s", id, "DELETE", ""); got.Status != 404 {
			t.Errorf("end of the session of another caller: %+v", got)
		}
		if got := send(robot, "s", id, "DELETE", ""); got.Status != 204 && got.Status != 200 {
			t.Errorf("end of its session: %+v", got)
		}
		if got := send(robot, "s", id, "POST", list); got.Status != 404 {
			t.Errorf("after its end: %+v", got)
		}
	})
}

// What a server answers besides MCP is not for callers.
func TestRelayOfHostileServers(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s := mcpdtest.Start(t, address)
		s.Apply(t, team)
		token := s.Token(t, "admin")
		answer := func(status int, body string, header ...string) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				for i := 0; i < len(header); i += 2 {
					w.Header().Set(header[i], header[i+1])
				}
				w.WriteHeader(status)
				_, _ = io.WriteString(w, body)
			})
		}
		elsewhere := record(t, answer(200, "stolen"))
		for name, tt := range map[string]struct {
			handler http.Handler
			status  int
			want    string
		}{
			"401":       {answer(401, "canary", "Www-Authenticate", "Basic"), 502, "the server refused the credentials of mcpd"},
			"403":       {answer(403, "canary"), 502, "the server refused the credentials of mcpd"},
			"301":       {answer(301, "", "Location", elsewhere.URL), 502, "redirect, which is not followed"},
			"307":       {answer(307, "", "Location", elsewhere.URL), 502, "redirect, which is not followed"},
			"304":       {answer(304, ""), 502, "redirect"},
			"500":       {answer(500, "trouble", "Content-Type", "text/plain"), 500, "trouble"},
			"a cookie":  {answer(200, "{}", "Set-Cookie", "a=b", "Content-Type", "application/json", "X-Secret", "x", "Access-Control-Allow-Origin", "*"), 200, "{}"},
			"a session": {answer(200, "{}", "Mcp-Session-Id", "own"), 200, "{}"},
			"101": {http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Connection", "Upgrade")
				w.Header().Set("Upgrade", "x")
				w.WriteHeader(101)
			}), 502, "switched to another protocol"},
			"103 and a trailer": {http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Set-Cookie", "a=b")
				w.WriteHeader(103)
				w.Header().Del("Set-Cookie")
				w.Header().Set("Trailer", "X-Secret")
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, "{}")
				w.Header().Set("X-Secret", "x")
				w.Header().Set(http.TrailerPrefix+"X-Other", "x")
			}), 200, "{}"},
			"no answer": {http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }), 502, "did not answer the team server: connection closed"},
		} {
			u := record(t, tt.handler)
			s.Apply(t, serverYAML("s", u.URL))
			got := s.Do(t, token, "POST", "/api/v1/servers/s/mcp?project=p", `{"method":"ping"}`)
			if got.Status != tt.status || !strings.Contains(got.Body, tt.want) || strings.Contains(got.Body, "canary") || strings.Contains(got.Body, u.URL) {
				t.Errorf("%s: %+v, want %d %s", name, got, tt.status, tt.want)
			}
			for _, h := range []string{"Set-Cookie", "Www-Authenticate", "Location", "X-Secret", "Access-Control-Allow-Origin"} {
				if got.Header.Get(h) != "" {
					t.Errorf("%s: the caller gets the header %s", name, h)
				}
			}
			if got.Header.Get("Mcp-Session-Id") == "own" {
				t.Errorf("%s: the caller gets the server's session id", name)
			}
		}
		if seen, _ := elsewhere.seen(); len(seen) > 0 {
			t.Error("a redirect was followed")
		}
		for name, tt := range map[string]struct{ spec, want string }{
			"a command":          {"{command: [x]}", "runs no commands"},
			"a variable not set": {"{url: 'http://127.0.0.1:1/', headers: {A: '${UNSET}'}}", "UNSET"},
			"an expanded url":    {"{url: 'http://127.0.0.1:1/${SET}'}", ""},
			"no url any more":    {"{url: '${SET}'}", "url is not valid"},
			"link-local":         {"{url: 'http://169.254.169.254/x'}", "link-local"},
		} {
			s.Apply(t, "kind: Server\nmetadata: {name: s}\nspec: "+tt.spec+"\n")
			got := s.Do(t, token, "POST", "/api/v1/servers/s/mcp?project=p", `{"method":"ping"}`)
			if got.Status < 400 || !strings.Contains(got.Body, tt.want) || strings.Contains(got.Body, "value of SET") {
				t.Errorf("%s: %+v", name, got)
			}
		}
	})
}

// The address of a server can be the one of mcpd itself. Such a request ends at the second pass.
func TestRelayToItself(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s := mcpdtest.Start(t, address)
		s.Apply(t, team)
		token := s.Token(t, "admin")
		s.Apply(t, fmt.Sprintf("kind: Server\nmetadata: {name: s}\nspec: {url: '%s/api/v1/servers/s/mcp?project=p', headers: {Authorization: 'Bearer %s'}}\n", s.URL, token))
		got := s.Do(t, token, "POST", "/api/v1/servers/s/mcp?project=p", `{"method":"ping"}`)
		if got.Status != 422 || !strings.Contains(got.Body, "leads back to this team server") {
			t.Errorf("%+v", got)
		}
	})
}

// A call whose answer ends early is in the audit log too.
func TestBrokenCallsAreAudited(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s := mcpdtest.Start(t, address)
		u := record(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: {}\n\n")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}))
		s.Apply(t, team)
		s.Apply(t, serverYAML("s", u.URL))
		req, err := http.NewRequestWithContext(t.Context(), "POST", s.URL+"/api/v1/servers/s/mcp?project=p", strings.NewReader(`{"method":"tools/call","params":{"name":"fly"}}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+s.Token(t, "admin"))
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.ReadAll(resp.Body)
		resp.Body.Close()
		waitForAudit(t, s, func(e audit.Entry) bool { return e.Detail == "tools/call fly" })
	})
}
