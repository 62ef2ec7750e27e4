package mcpdtest_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/mcpdtest"
	"github.com/mcpctl/mcpctl/host/secret"
	"github.com/mcpctl/mcpctl/host/team"
	"github.com/mcpctl/mcpctl/host/upstream"
)

// cutter breaks the connection of the first calls to mcpd.
type cutter struct {
	http.RoundTripper
	calls     atomic.Int64
	cuts      int64
	afterward bool // mcpd has sent the call to the server and answered
}

func (c *cutter) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Header.Get(team.RequestIDHeader) == "" || c.calls.Add(1) > c.cuts {
		return c.RoundTripper.RoundTrip(req)
	}
	if c.afterward {
		resp, err := c.RoundTripper.RoundTrip(req)
		if err != nil {
			return nil, err
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
	return nil, io.ErrUnexpectedEOF
}

// serveCounter is a remote MCP server that counts the calls of its tool.
func serveCounter(t *testing.T) (url string, calls *atomic.Int64) {
	calls = new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.NewDecoder(r.Body).Decode(&m)
		result := `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"counter","version":"1"}}`
		switch {
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		case m.ID == nil:
			w.WriteHeader(http.StatusAccepted)
			return
		case m.Method == "tools/call":
			calls.Add(1)
			result = `{"content":[{"type":"text","text":"counted"}]}`
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
	}))
	t.Cleanup(server.Close)
	return server.URL, calls
}

// A call of mcplocal through mcpd, whose connection breaks, is executed once and has one answer.
func TestBrokenCallIsRepeated(t *testing.T) {
	for name, tc := range map[string]struct {
		cuts      int64
		afterward bool
		want      string // part of the error; "" for the answer
	}{
		"no cut":             {0, false, ""},
		"before the call":    {1, false, ""},
		"twice":              {2, false, ""},
		"before its answer":  {1, true, "it is not known whether the call was executed"},
		"before two answers": {2, true, "it is not known whether the call was executed"},
	} {
		t.Run(name, func(t *testing.T) {
			s := mcpdtest.Start(t, filepath.Join(t.TempDir(), "db"))
			url, calls := serveCounter(t)
			s.Apply(t, fmt.Sprintf(`
kind: User
metadata: {name: anna}
---
kind: Server
metadata: {name: counter}
spec: {url: %q}
---
kind: Project
metadata: {name: web}
spec: {servers: [counter]}
---
kind: RbacBinding
metadata: {name: runs}
spec: {subjects: [{user: anna}], verbs: [run, view]}
`, url))
			mcpd, err := team.NewClient(team.Settings{URL: s.URL, Login: team.Login{URL: s.URL, User: "anna", Token: secret.New(s.Token(t, "anna"))}})
			if err != nil {
				t.Fatal(err)
			}
			defer mcpd.Close()
			address, token := mcpd.Server("counter", "web")
			cut := &cutter{RoundTripper: mcpd.Transport(), cuts: tc.cuts, afterward: tc.afterward}
			c, err := upstream.Start(t.Context(), upstream.Config{
				Name: "counter", URL: address, Headers: map[string]upstream.Secret{"Authorization": upstream.NewSecret("Bearer " + token.Reveal())},
				Transport: cut, Refusal: mcpd.Refusal("counter", "web"), RequestIDHeader: team.RequestIDHeader, OutcomeHeader: team.OutcomeHeader,
			}, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			reply, err := c.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"count","arguments":{}}`), nil)
			if isAnswered := strings.Contains(string(reply.Result), "counted"); isAnswered != (tc.want == "") || (err == nil) != isAnswered || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("answer %s, error %v, want %q", reply.Result, err, tc.want)
			}
			if n := calls.Load(); n != 1 {
				t.Errorf("executed %d times", n)
			}
			if err != nil {
				t.Log(err)
			}
		})
	}
}
