package web_test

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/mcpdtest"
	"github.com/mcpctl/mcpctl/host"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/hosttest"
	"github.com/mcpctl/mcpctl/host/secret"
	hostteam "github.com/mcpctl/mcpctl/host/team"
)

const sharingObjects = `kind: User
metadata: {name: anna}
---
kind: User
metadata: {name: bob}
---
kind: ServiceAccount
metadata: {name: sa-ci}
---
kind: Project
metadata: {name: web}
spec: {servers: [s], proxyModel: m, gated: false}
---
kind: RbacBinding
metadata: {name: all}
spec: {subjects: [{user: anna}, {user: bob}, {serviceAccount: sa-ci}], verbs: [view, run], projects: [web]}
---
kind: RbacBinding
metadata: {name: ci}
spec: {subjects: [{serviceAccount: sa-ci}, {user: bob}], verbs: [cache], kinds: [ProxyModel], projects: [web]}
---
`

// machine is the home of a member, whose proxymodel m has one stage.
type machine struct {
	*host.Host
	web *httptest.Server
}

func openMachine(t *testing.T, s *mcpdtest.Server, user, mode string) *machine {
	t.Helper()
	dir, err := os.MkdirTemp("", "h") // short, because the length of the socket's path is limited
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	compiled, err := hosttest.CompiledCode()
	if err != nil {
		t.Fatal(err)
	}
	stamp := new(hosttest.Module).Call(abi.FuncOutWrite, "stamped: ").Call(abi.FuncOutSpan, abi.BufInput, 0, -1).
		Manifest(`{"name":"stamp","abi":"1.0","roles":[{"name":"stamp","kind":"stage","llm":"optional"}]}`).File()
	for path, text := range map[string]string{
		"stages/stamp.wasm":  string(stamp),
		"proxymodels/m.yaml": "kind: ProxyModel\nmetadata: {name: m}\nspec: {controller: none, stages: [{type: stamp}]}\n",
		"cache/x":            "",
	} {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(compiled, filepath.Join(dir, "cache", "wasm")); err != nil {
		t.Fatal(err)
	}
	if err := hostteam.SaveLogin(dir, hostteam.Login{URL: s.URL, User: user, Token: secret.New(s.Token(t, user))}); err != nil {
		t.Fatal(err)
	}
	h, err := host.Open(t.Context(), host.Options{Home: homedir.Dir(dir), Version: "0.0.0-test", LLM: new(hosttest.LLM), Settings: host.Settings{Dev: true},
		Team: func() (hostteam.Settings, error) { return hostteam.Settings{URL: s.URL, Cache: mode}, nil }})
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{Host: h, web: httptest.NewServer(h.Endpoint())}
	t.Cleanup(func() {
		m.web.CloseClientConnections()
		_ = h.Close()
		m.web.Close()
	})
	await(t, func() error {
		if state := host.Team(h).State(); state.Phase != hostteam.Following {
			return fmt.Errorf("%s: %v", user, state)
		}
		if list := h.Snapshot().List("Project"); len(list) != 1 {
			return fmt.Errorf("%s: %d projects", user, len(list))
		}
		return nil
	})
	return m
}

// await waits until check returns nil.
func await(t *testing.T, check func() error) {
	t.Helper()
	for limit := time.Now().Add(15 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		err := check()
		if err == nil {
			return
		}
		if time.Now().After(limit) {
			t.Fatal(err)
		}
	}
}

// echo calls the server of the team as a client of the machine, and returns the first line of
// the answer.
func (m *machine) echo(t *testing.T, text string) string {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: m.web.URL + "/projects/web/mcp", MaxRetries: -1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "s__echo", Arguments: map[string]any{"text": text}})
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(result.Content[0].(*mcp.TextContent).Text, "\n")
	return line
}

// runs returns how often the stage has run on the machine.
func (m *machine) runs() (n int) {
	for line := range strings.Lines(m.metrics()) {
		if strings.HasPrefix(line, `mcpctl_stage_runs_total{stage="stamp",outcome="done"}`) {
			_, _ = fmt.Sscanf(line[strings.LastIndexByte(line, ' '):], "%d", &n)
		}
	}
	return n
}

func (m *machine) metrics() string {
	w := httptest.NewRecorder()
	m.Metrics().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	return w.Body.String()
}

// awaitPushed waits until mcpd has stored a number of results of the machine.
func (m *machine) awaitPushed(t *testing.T, want int64) {
	t.Helper()
	await(t, func() error {
		if got := m.Storage().Shared(); got.Pushed != want {
			return fmt.Errorf("figures %+v, want %d pushed", got, want)
		}
		return nil
	})
}

// What a service account with the verb cache has computed is not computed again by a member,
// who gets nothing of another member.
func TestMembersShareResults(t *testing.T) {
	s := mcpdtest.Start(t, filepath.Join(t.TempDir(), "mcpd.db"))
	u := newUpstream(t)
	s.Apply(t, sharingObjects+serverYAML("s", u.URL+"/mcp"))
	ci, anna := openMachine(t, s, "sa-ci", "on"), openMachine(t, s, "anna", "on")
	const want = "stamped: some text"
	if got := ci.echo(t, "some text"); got != want || ci.runs() != 1 {
		t.Errorf("ci: %q, %d runs", got, ci.runs())
	}
	ci.awaitPushed(t, 1)
	if got := anna.echo(t, "some text"); got != want || anna.runs() != 0 {
		t.Errorf("anna: %q, %d runs", got, anna.runs())
	}
	if got := anna.Storage().Shared(); got.Hits != 1 {
		t.Errorf("figures %+v", got)
	}

	bob := openMachine(t, s, "bob", "on")
	bob.echo(t, "text of bob")
	bob.awaitPushed(t, 1)
	if anna.echo(t, "text of bob"); anna.runs() != 1 {
		t.Errorf("%d runs: anna got the result of bob", anna.runs())
	}
	again := openMachine(t, s, "bob", "read")
	if again.echo(t, "text of bob"); again.runs() != 0 {
		t.Errorf("%d runs: bob did not get his own result", again.runs())
	}

	anna.echo(t, "text of anna") // without the verb cache
	await(t, func() error {
		if got := anna.Storage().Shared(); got.Dropped < 1 || got.Pushed != 0 {
			return fmt.Errorf("figures %+v", got)
		}
		return nil
	})
}
