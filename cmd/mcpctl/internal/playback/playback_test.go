package playback

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/demo"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/release"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/host"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/hosttest"
	"github.com/mcpctl/mcpctl/host/recording"
)

// TestMain is the test, or the demo server that it records.
func TestMain(m *testing.M) {
	if os.Getenv("PLAYBACK_DEMO_SERVER") == "" {
		os.Exit(m.Run())
	}
	if err := demo.Serve(context.Background(), os.Stdin, os.Stdout, "1"); err != nil {
		os.Exit(1)
	}
}

// newHome creates a home with the demo server in a project that is recorded. Its path is
// short, because it contains a socket.
func newHome(t *testing.T) string {
	t.Helper()
	home, err := os.MkdirTemp("", "playback")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	compiled, err := hosttest.CompiledCode()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Mkdir(filepath.Join(home, "cache"), 0o700), os.Symlink(compiled, filepath.Join(home, "cache", "wasm"))); err != nil {
		t.Fatal(err)
	}
	write(t, home, "servers/demo.yaml", fmt.Sprintf("kind: Server\nmetadata: {name: demo}\nspec: {command: [%q], env: {PLAYBACK_DEMO_SERVER: \"1\"}}\n", os.Args[0]))
	write(t, home, "projects/home.yaml", "kind: Project\nmetadata: {name: home}\nspec: {servers: [demo], proxyModel: subindex, gated: false, recording: true}\n")
	return home
}

func write(t *testing.T, home, name, text string) {
	t.Helper()
	file := filepath.Join(home, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// indexLine is a line of an index with its id.
var indexLine = regexp.MustCompile(`(?m)^\[([^\]]+)\] `)

// record makes n requests for content like a model that reads: it calls a tool and opens
// a section, down to a leaf, and searches now and then. It returns the file.
func record(t *testing.T, home string, n int) string {
	t.Helper()
	ctx := context.Background()
	h, err := host.Open(ctx, host.Options{Home: homedir.Dir(home), Version: release.Version})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if _, err := h.Stages(ctx); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(h.Endpoint())
	defer server.Close()
	c := &client{http: server.Client(), url: server.URL + "/projects/home/mcp"}
	if err := c.open(ctx, "test/1"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.request(ctx, "tools/list", struct{}{}); err != nil {
		t.Fatal(err)
	}
	call := func(tool string, args map[string]any) (answer, []string) {
		t.Helper()
		n--
		reply, err := c.request(ctx, "tools/call", map[string]any{"name": tool, "arguments": args})
		if err != nil {
			t.Fatal(err)
		}
		a := read(reply)
		var ids []string
		for _, m := range indexLine.FindAllSubmatch(a.text, -1) {
			ids = append(ids, string(m[1]))
		}
		return a, ids
	}
	for n > 0 {
		tool := demo.Tools[n%len(demo.Tools)].Name
		a, ids := call("demo__"+tool, map[string]any{"n": n, "password": "not to be written"})
		for n > 0 && len(ids) > 0 {
			id := ids[n%len(ids)]
			if _, ids = call("read_section", map[string]any{"ref": a.ref, "section": id}); n%7 == 0 && n > 0 {
				call("demo__"+tool, map[string]any{"_section": id})
			}
		}
		if n%5 == 0 && n > 0 {
			call("read_section", map[string]any{"ref": a.ref, "section": "?null"})
		}
	}
	list, err := h.Storage().Recordings().List(ctx, "home")
	if err != nil || len(list) != 1 {
		t.Fatalf("%v, %v", list, err)
	}
	return list[0].Path
}

func load(t *testing.T, file string) *recording.Recording {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r, err := recording.Parse(file, text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func newFactory(home string) *factory.Factory {
	return &factory.Factory{IO: &iostreams.Streams{Out: io.Discard, ErrOut: io.Discard}, Env: func(key string) string {
		if key == "MCPCTL_HOME" {
			return home
		}
		return ""
	}}
}

func play(t *testing.T, home, model string, r *recording.Recording) Result {
	t.Helper()
	res, err := Play(context.Background(), Options{F: newFactory(home), Recording: r, Model: model})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// A recording of 200 calls is played through three proxymodels, without the server.
func TestReplay(t *testing.T) {
	home, requests := newHome(t), 200
	if testing.Short() {
		requests = 40
	}
	file := record(t, home, requests)
	text, err := os.ReadFile(file)
	if err != nil || bytes.Contains(text, []byte("not to be written")) {
		t.Fatalf("a credential was written, or %v", err)
	}
	write(t, home, "servers/demo.yaml", "kind: Server\nmetadata: {name: demo}\nspec: {command: [/nowhere/server]}\n")
	r := load(t, file)
	var sections []Section
	for _, model := range []string{"subindex", "default", "compress"} {
		res := play(t, home, model, r)
		if res.Unreachable != 0 || res.Refused != 0 || res.Outside != 0 || res.LLMCalls != 0 || len(res.Sections) < requests/7 {
			t.Errorf("%s: %+v", model, res)
		}
		if res.Original < requests*5000 || res.Sent == 0 || res.Sent >= res.Original || res.ToSection == 0 {
			t.Errorf("%s: %d tokens of %d sent, %d to a section", model, res.Sent, res.Original, res.ToSection)
		}
		if sections == nil {
			sections = res.Sections
		}
		same := func(a, b Section) bool { return a.Tool == b.Tool && a.Section == b.Section && a.Size == b.Size }
		if !slices.EqualFunc(sections, res.Sections, same) {
			t.Errorf("%s: other sections", model)
		}
		if model != "subindex" {
			if res.Identity != nil {
				t.Errorf("%s is compared with the answers of subindex", model)
			}
			continue
		}
		if id := res.Identity; id == nil || id.Compared != requests || id.Identical != requests || id.Refs || len(id.Changed) > 0 {
			t.Errorf("subindex: %+v", id)
		}
	}
	if t.Failed() {
		return
	}
	t.Run("in another home the refs differ", func(t *testing.T) {
		res := play(t, newHome(t), "subindex", r)
		if id := res.Identity; id.Compared != requests || id.Identical != requests || !id.Refs || res.Unreachable != 0 {
			t.Errorf("%+v", id)
		}
	})
	t.Run("a changed proxymodel is named", func(t *testing.T) {
		write(t, home, "proxymodels/subindex.yaml", "kind: ProxyModel\nmetadata: {name: subindex}\nspec: {stages: [{type: passthrough}, {type: paginate}]}\n")
		res := play(t, home, "subindex", r)
		if id := res.Identity; id.IsWhole() || !slices.Contains(id.Changed, "proxymodel subindex") || !slices.Contains(id.Changed, "module paginate") || res.Unreachable != 0 {
			t.Errorf("%+v", id)
		}
	})
	t.Run("an unknown proxymodel is an error", func(t *testing.T) {
		if _, err := Play(context.Background(), Options{F: newFactory(home), Recording: r, Model: "subindx"}); !errors.Is(err, abi.ErrNotFound) {
			t.Errorf("%v", err)
		}
	})
}

// Content that the recorded model has read is found in other shapes of an answer too.
func TestTextsOfResults(t *testing.T) {
	for _, c := range []struct{ name, result, want string }{
		{"blocks of a tool", `{"content":[{"type":"text","text":"a"},{"type":"image","data":"x"},{"type":"text","text":"b"}]}`, "ab"},
		{"a resource", `{"contents":[{"uri":"u","text":"a"}]}`, "a"},
		{"messages of a prompt", `{"messages":[{"role":"user","content":{"type":"text","text":"a"}}]}`, "a"},
		{"no text", `{"structuredContent":{"a":1}}`, `{"structuredContent":{"a":1}}`},
		{"another shape", `{"content":"a"}`, `{"content":"a"}`},
	} {
		if got := read(flow.Reply{Result: []byte(c.result)}); string(got.text) != c.want || got.isError {
			t.Errorf("%s: %q", c.name, got.text)
		}
	}
	if a := read(flow.Reply{Error: []byte(`{"code":1}`)}); !a.isError {
		t.Error("an error is none")
	}
}

func TestRecordedProject(t *testing.T) {
	h := recording.Header{Project: "home", ProxyModel: "audit", Spec: json.RawMessage(`{"servers":["a","b"],"proxyMode":"direct","proxyModel":"audit","recording":true,"proxyModelOverrides":{"toolResults":{"a/*":"b"}}}`)}
	for _, c := range []struct{ name, model, want string }{
		{"the recorder's proxymodel keeps its overrides", "audit", `{"proxyMode":"proxy","proxyModel":"audit","proxyModelOverrides":{"toolResults":{"a/*":"b"}},"servers":["a","b"]}`},
		{"another one serves all", "default", `{"proxyMode":"proxy","proxyModel":"default","servers":["a","b"]}`},
	} {
		objects, servers, err := manifest(h, c.model)
		if err != nil || !slices.Equal(servers, []string{"a", "b"}) || !strings.Contains(string(objects), `"metadata":{"name":"home"},"spec":`+c.want) {
			t.Errorf("%s: %s, %v, %v", c.name, objects, servers, err)
		}
	}
	h.Spec = json.RawMessage(`[]`)
	if _, _, err := manifest(h, "default"); err == nil {
		t.Error("a spec that is a list is accepted")
	}
}
