package host

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/transform"
)

// rig is a home on disk with an open Host, whose endpoint listens on a port.
type rig struct {
	*Host
	*transform.Transformer
	dir string
	web *httptest.Server
}

// files maps paths below a home to contents.
type files map[string]string

// project returns a project with the server "up", which is this test binary.
func project(model string) string {
	return "kind: Project\nmetadata: {name: home}\nspec: {servers: [up], proxyModel: " + model + ", gated: false}\n"
}

// unboundedProject is project without a limit of answers: what no stage changes passes through.
func unboundedProject(model string) string {
	return strings.Replace(project(model), "gated: false", "gated: false, maxAnswerTokens: 0", 1)
}

// model returns a proxymodel with the given stages, each a line of YAML.
func model(name string, stages ...string) string {
	text := "kind: ProxyModel\nmetadata: {name: " + name + "}\nspec:\n  controller: none\n  stages:\n"
	for _, s := range stages {
		text += "    - " + s + "\n"
	}
	return text
}

// stdioServer returns a server that runs this test binary.
func stdioServer(name, more string) string {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf("kind: Server\nmetadata: {name: %s}\nspec:\n  command: [%q]\n  env: {%s: \"1\"}\n%s", name, exe, fakeServerVar, more)
}

// newHome creates a home that shares compiled code with those of other tests.
func newHome(t testing.TB, f files) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "h") // short, because the length of the socket's path is limited
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.MkdirAll(filepath.Join(dir, "cache"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(compiled, filepath.Join(dir, "cache", "wasm")); err != nil {
		t.Fatal(err)
	}
	for path, text := range f {
		put(t, dir, path, []byte(text))
	}
	return dir
}

// put writes a file of a home to a temporary name and renames it, as editors do.
func put(t testing.TB, dir, path string, content []byte) {
	t.Helper()
	path = filepath.Join(dir, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	beside := filepath.Join(dir, ".put-"+filepath.Base(path))
	if err := os.WriteFile(beside, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(beside, path); err != nil {
		t.Fatal(err)
	}
}

// skipShort skips a test of contents in which one client makes one call after the other. Each
// rig compiles the built-in modules, which takes seconds with the race detector.
func skipShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("one client makes one call after the other")
	}
}

// newRig opens a home with these files and waits until its modules are compiled.
// The Host is closed at the end of the test.
func newRig(t testing.TB, f files, change ...func(*Options)) *rig {
	t.Helper()
	return openRig(t, newHome(t, f), change...)
}

func openRig(t testing.TB, dir string, change ...func(*Options)) *rig {
	t.Helper()
	opts := Options{Home: homedir.Dir(dir), Version: "0.0.0-test", Log: slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))}
	for _, c := range change {
		c(&opts)
	}
	h, err := Open(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{Host: h, Transformer: h.transformer, dir: dir, web: httptest.NewServer(h.Endpoint())}
	t.Cleanup(r.stop)
	if _, err := h.Stages(context.Background()); err != nil { // without a cache compiling takes seconds
		t.Fatal(err)
	}
	return r
}

// stop closes the rig. It can be called before the test ends.
func (r *rig) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond) // some calls never return
	defer cancel()
	r.Drain(ctx)
	r.web.Close()
	_ = r.Close()
}

// put writes a file of the home.
func (r *rig) put(t testing.TB, path string, content []byte) {
	t.Helper()
	put(t, r.dir, path, content)
}

// reload waits until the files on disk are in use.
func (r *rig) reload(t testing.TB) {
	t.Helper()
	if err := r.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// scope is the scope of tests that do not use the endpoint.
var scope = flow.Scope{Project: "home", Session: "s1"}

// toolResult returns a Content as returned by the tool of a server.
func toolResult(b []byte, hint string) flow.Content {
	return flow.Content{Type: abi.ToolResult, Source: "up/get", Hint: hint, Bytes: b, Part: abi.Part{Kind: abi.PartText, Count: 1}}
}

// show transforms a content.
func (r *rig) show(t testing.TB, c flow.Content) flow.Shown {
	t.Helper()
	shown, err := r.Transform(t.Context(), scope, c)
	if err != nil {
		t.Fatal(err)
	}
	return shown
}

// outcomes returns a summary of the reports of a run: role, outcome, error.
func outcomes(run flow.RunReport) string {
	text := ""
	for _, s := range run.Stages {
		text += fmt.Sprintf("%s %s %s\n", s.Role, s.Outcome, s.Error)
	}
	return text
}

// status returns the STATUS column of a stage.
func (r *rig) status(t testing.TB, name string) string {
	t.Helper()
	list, err := r.Stages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		if s.Name == name {
			return s.Source + " " + s.String()
		}
	}
	return "none"
}

func marshal(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// within fails the test if f takes longer than d.
func within(t testing.TB, d time.Duration, name string, f func()) time.Duration {
	t.Helper()
	begin := time.Now()
	f()
	took := time.Since(begin)
	if took > d {
		t.Errorf("%s took %v, limit %v", name, took, d)
	}
	return took
}
