package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/abi/tck/internal/archive"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/hosttest"
	"github.com/mcpctl/mcpctl/host/wasm"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// checks returns all archives by name.
func checks(t *testing.T) map[string]archive.Archive {
	t.Helper()
	paths, err := filepath.Glob("*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no archives", err)
	}
	all := map[string]archive.Archive{}
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(p, ".txtar")] = archive.Parse(string(text))
	}
	return all
}

// TestHost verifies that the host answers each guest as the ABI requires.
func TestHost(t *testing.T) {
	for name, a := range checks(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := Parse(a)
			if err != nil {
				t.Fatal(err)
			}
			module, err := os.ReadFile(name + ".wasm")
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if err := run(t, a, c, module); err != nil {
				got = err.Error()
			}
			if got != a.Get("fail-part") && (!a.Has("fail-part") || !strings.Contains(got, a.Get("fail-part"))) {
				t.Errorf("%s\n%s", a.Summary(), got)
			}
		})
	}
}

// run runs a guest with the input of its archive. A guest without an error passes.
func run(t *testing.T, a archive.Archive, c Check, module []byte) error {
	opts := wasm.Options{KV: store{}}
	if a.Get("cache") == "off" {
		opts.KV = nil
	}
	if a.Get("cache") == "full" {
		opts.KV = full{}
	}
	opts.LLM = llm(t, a.Get("llm"))
	r, err := wasm.Open(t.Context(), opts)
	if err != nil {
		return err
	}
	defer r.Close(t.Context())
	m, err := r.Load(t.Context(), "check", module, false)
	if err != nil {
		return err
	}
	defer m.Close()
	var limits abi.GuestLimits
	if err := a.Decode("limits", &limits); err != nil {
		return err
	}
	if c.Role == "controller" {
		return steer(t, a, c, m, limits)
	}
	g, err := m.Guest("check")
	if err != nil {
		return err
	}
	out, err := g.Run(t.Context(), abi.Call{Input: []byte(c.Input), Original: []byte(c.Input), Config: []byte("{}"), Arguments: []byte(a.Get("arguments")),
		Context: abi.Context{Project: "home", ContentType: abi.ToolResult, Source: "files/read", Limits: limits}})
	if err == nil && !out.Pass {
		err = errors.New("the guest did not pass")
	}
	return err
}

func steer(t *testing.T, a archive.Archive, c Check, m *wasm.Module, limits abi.GuestLimits) error {
	guest, err := m.Controller("check")
	if err != nil {
		return err
	}
	session := home()
	if a.Has("prompts") {
		session.PromptList = a.Get("prompts")
	}
	if why := a.Get("session"); why != "" {
		session.Err = map[string]error{"unavailable": abi.ErrUnavailable, "limit": abi.ErrLimit, "conflict": abi.ErrConflict, "denied": abi.ErrDenied, "bad argument": abi.ErrConfig}[why]
		if session.Err == nil {
			return fmt.Errorf("session %q unknown", why)
		}
	}
	call := abi.HookCall{Input: []byte(c.Input), Original: []byte(c.Input), Config: []byte("{}"), Session: "s", Host: session}
	call.Context = abi.HookContext{Hook: abi.Hook(c.Hook), Project: "home", Limits: limits}
	out, err := guest.Hook(t.Context(), call)
	if err == nil && out.Done {
		err = errors.New("the guest did not pass")
	}
	return err
}

// home returns the session of all controllers.
func home() *hosttest.Session {
	tool := func(label, wire string, kind abi.ToolKind, owner string) flow.ListedTool {
		return flow.ListedTool{Label: label, Wire: wire, Kind: kind, Owner: owner, Definition: []byte(`{"name":"` + wire + `"}`)}
	}
	return &hosttest.Session{
		Role:        "check",
		Known:       []flow.ListedTool{tool("files/read", "files__read", abi.ToolUpstream, ""), tool("begin", "begin", abi.ToolVirtual, "check"), tool("theirs", "theirs", abi.ToolVirtual, "other"), tool("read_section", "read_section", abi.ToolHost, "")},
		ServerStore: []flow.ServerState{{Name: "files", State: "ready", Tools: 1}},
		PromptList:  `[{"name":"tone"}]`,
		Bodies:      map[string]string{"tone": "be brief"},
		Contents:    map[string]string{"k7m2q9x4t6b8w3n5": "line one\nline two\n"},
	}
}

func llm(t *testing.T, script string) wasm.LLM {
	l := &hosttest.LLM{Slots: 4}
	switch script {
	case "", "off":
		return nil
	case "answers":
		l.Script = func(abi.LLMRequest) string { return "yes" }
	case "long":
		l.Script = func(abi.LLMRequest) string { return strings.Repeat("x", 1000) }
	case "tired":
		return tired{l}
	case "fading":
		return fading{l}
	case "fails":
		l.SetFault(hosttest.Garbage)
	case "slow":
		l.SetFault(hosttest.Mute)
	case "down":
		l.SetFault(hosttest.Down)
	case "overloaded":
		l.SetFault(hosttest.Overloaded)
	default:
		t.Fatalf("llm %q unknown", script)
	}
	return l
}

// tired ends each request with its own deadline.
type tired struct{ *hosttest.LLM }

func (tired) Send(context.Context, abi.LLMRequest) (abi.LLMCall, error) {
	c := givenUp{make(chan struct{})}
	close(c.done)
	return c, nil
}

type givenUp struct{ done chan struct{} }

func (c givenUp) Done() <-chan struct{}          { return c.done }
func (c givenUp) Answer() (abi.LLMAnswer, error) { return abi.LLMAnswer{}, context.DeadlineExceeded }

// fading refuses each request, although it reports that it is available.
type fading struct{ *hosttest.LLM }

func (fading) Send(context.Context, abi.LLMRequest) (abi.LLMCall, error) {
	return nil, fmt.Errorf("gone: %w", abi.ErrUnavailable)
}

// store is a KV in memory.
type store map[string][]byte

func (s store) Get(_ wasm.Namespace, key []byte) ([]byte, bool) {
	v, ok := s[string(key)]
	return v, ok
}
func (s store) Set(_ wasm.Namespace, key, value []byte) error {
	s[string(key)] = append([]byte(nil), value...)
	return nil
}

// full is a KV without room.
type full struct{}

func (full) Get(wasm.Namespace, []byte) ([]byte, bool) { return nil, false }
func (full) Set(wasm.Namespace, []byte, []byte) error  { return fmt.Errorf("full: %w", abi.ErrLimit) }

// TestEveryFunctionAndCode verifies that each function is called with success, and that it
// returns each code that abi.json lists.
func TestEveryFunctionAndCode(t *testing.T) {
	seen := map[string]bool{}
	for name, a := range checks(t) {
		c, err := Parse(a)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, call := range append(c.Initialize, c.Calls...) {
			if call.Times == 1 {
				seen[fmt.Sprint(call.Import.Name, " ", abi.ErrCode(min(call.Want, 0)))] = true
			}
		}
	}
	for _, i := range abi.Imports {
		for _, code := range append([]abi.ErrCode{0}, i.Codes...) {
			if want := fmt.Sprint(i.Name, " ", code); !seen[want] {
				t.Errorf("no guest wants %s", want)
			}
		}
	}
}

// TestGuestsAreUpToDate compares the guests with their archives: text and reasons always,
// the module if wat2wasm is installed.
func TestGuestsAreUpToDate(t *testing.T) {
	assembler, _ := exec.LookPath("wat2wasm")
	for name, a := range checks(t) {
		c, err := Parse(a)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		text, _ := os.ReadFile(name + ".wat")
		if string(text) != c.Wat(a.Summary()) {
			t.Errorf("%s.wat differs from its archive: run go generate ./abi/tck/host", name)
		}
		file, _ := os.ReadFile(name + ".wasm")
		for i, call := range c.Calls {
			if call.Times == 1 && !strings.Contains(string(file), failure(i, call)) {
				t.Errorf("%s.wasm lacks %q: run go generate ./abi/tck/host", name, failure(i, call))
				break
			}
		}
		if assembler == "" {
			continue
		}
		out := filepath.Join(t.TempDir(), "guest.wasm")
		if text, err := exec.Command(assembler, name+".wat", "-o", out).CombinedOutput(); err != nil {
			t.Fatalf("%s.wat: %v\n%s", name, err, text)
		}
		fresh, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if fresh, err = module.WithManifest(fresh, []byte(c.Manifest())); err != nil || string(fresh) != string(file) {
			t.Errorf("%s.wasm differs from the output of wat2wasm: %v", name, err)
		}
	}
}
