package abi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/hosttest"
	"github.com/mcpctl/mcpctl/host/wasm"
)

// Package controllertest of sdk-go must answer like the host. This test runs a random
// controller in both, with the same hooks of the same sessions: as a guest in host/wasm,
// and natively in controllertest. The controller logs every result.
func TestControllertestAnswersAsTheHost(t *testing.T) {
	if testing.Short() {
		t.Skip("builds for wasip1")
	}
	readSources(t, filepath.Join("..", "sdk-go"))
	const sessions = 150
	var in []playedSession
	for seed := 1; seed <= sessions; seed++ {
		in = append(in, sessionOf(seed))
	}
	guest := loadController(t)
	ended := map[string]int{}
	for i, hooks := range runNatively[[]playedHook](t, randomHook, in) {
		for _, h := range hooks {
			ended[h.Effects.Outcome]++
			h.compare(t, fmt.Sprintf("seed %d", i+1), in[i], guest)
		}
		if t.Failed() {
			break
		}
	}
	for _, outcome := range []string{"done", "pass", "fail"} {
		if ended[outcome] < sessions/2 {
			t.Errorf("outcomes %v: one of them never occurs", ended)
		}
	}
}

// playedSession is the input of the native side. A playedHook is its output for each hook:
// the values that the hook could read, and its effects.
type playedSession struct {
	Config        string
	Notifications []string
	NotGated      bool
	Client        struct {
		Name, Version               string
		ListChanged, StructuredOnly bool
		InstructionsChars           int
	}
	Tools    []playedTool
	Prompts  []playedPrompt
	System   map[string]string
	Contents []playedContent
	Calls    []struct{ Tool, Arguments, Result string }
}

type (
	playedTool    struct{ Name, Wire, Kind, Definition string }
	playedContent struct{ Ref, Text string }
	playedPrompt  struct {
		Name, Summary, Body, Stored, Link, LinkStatus string
		Priority                                      int
		Chapters                                      []string
	}
	playedNote    struct{ Method, Params string }
	playedRewrite struct{ Tool, Arguments string }
	playedHook    struct {
		Context, Input, Client, Name string
		Tools, Servers, Prompts      string
		Session                      string
		StateBefore, State           map[string]string
		Proposed                     map[string]bool // before
		Effects                      struct {
			Outcome, Reason, Answer string
			Kind                    int32
			Before, After           []string
			Notes                   []playedNote
			Rewrite                 *playedRewrite
			Listed                  []playedTool
			Meta                    map[string]string
			Log                     []abi.LogLine
		}
	}
)

// sessionOf returns a random session.
func sessionOf(seed int) playedSession {
	s := playedSession{Config: fmt.Sprintf(`{"big":%t,"seed":%d,"steps":%d}`, seed%20 == 0, seed, 5+seed%60), NotGated: seed%3 == 0, Notifications: []string{"notifications/granted"}}
	s.Client.Name, s.Client.Version, s.Client.ListChanged, s.Client.InstructionsChars = "test", "2.1", seed%2 == 0, 100*seed
	s.Tools = []playedTool{
		{Name: "files/read", Definition: `{"name":"files__read","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`},
		{Name: "files/write"}, {Name: "other"},
	}
	s.Prompts = []playedPrompt{
		{Name: "lights", Body: "on and off", Stored: "on", Summary: "the lights: \"all\"", Priority: 7, Chapters: []string{"Setup", "é"}},
		{Name: "scenes", Body: "evening"}, {Name: "dead", Link: "p/s:u", LinkStatus: "dead", Priority: 9},
	}
	s.System = map[string]string{"mcpctl-system/gate-instructions": "first call begin_session"}
	s.Contents = []playedContent{{"abcdefghijklmnop", "what was stored é"}}
	results := []string{
		`{"content":[{"type":"text","text":"hello"},{"type":"text","text":"there"}]}`, `{"error":{"code":-32602,"message":"no"}}`,
		`{"content":[],"structuredContent":{"a":[1,2]}}`, `{"content":[{"type":"text","text":"no"}],"isError":true}`,
	}
	for i, tool := range []string{"files/read", "own", "files__write", "x-2"} {
		s.Calls = append(s.Calls, struct{ Tool, Arguments, Result string }{tool, fmt.Sprintf(`{"path":"%d"}`, i), results[(seed+i)%len(results)]})
	}
	return s
}

// compare runs the hook in the host, with the values that the native hook could read.
func (h playedHook) compare(t *testing.T, name string, s playedSession, guest wasm.Controller) {
	t.Helper()
	var x abi.HookContext
	if err := json.Unmarshal([]byte(h.Context), &x); err != nil {
		t.Fatal(err)
	}
	name += " " + string(x.Hook)
	out, err := guest.Hook(t.Context(), abi.HookCall{
		Context: x, Config: []byte(s.Config), Input: []byte(h.Input), Original: []byte(h.Input), Name: h.Name, Session: h.Session,
		Client: []byte(h.Client), Host: &playedHost{s: s, h: h},
	})
	if got, want := logText(out.Log), logText(h.Effects.Log); got != want {
		t.Errorf("%s: %s", name, firstDifference(got, want))
		return
	}
	if want := h.Effects.Reason; err != nil || want != "" {
		if err == nil || !sameReason(err.Error(), want) {
			t.Errorf("%s: host %v, controllertest %q", name, err, want)
		}
		return
	}
	if got, want := indent(t, h.fromHost(out)), indent(t, h.wanted()); !bytes.Equal(got, want) {
		t.Errorf("%s differs\nhost:\n%.3000s\ncontrollertest:\n%.3000s", name, got, want)
	}
}

// sameReason reports whether two reasons are equal, except that the host adds that the
// guest failed, and may describe an invalid result in other words.
func sameReason(host, native string) bool {
	const noResult = "answer is not a tool result: "
	if strings.HasPrefix(native, noResult) {
		return strings.HasPrefix(host, noResult)
	}
	return strings.TrimPrefix(host, "failed: ") == native
}

// left contains the effects that must be equal. Listed contains the labels that a client sees.
type left struct {
	Outcome, Answer string
	Kind            int32
	Before, After   []string
	Notes           []playedNote
	Rewrite         *playedRewrite
	Listed          []string
	Meta            map[string]string
	State           map[string]string
}

func (h playedHook) wanted() left {
	e := h.Effects
	l := left{e.Outcome, e.Answer, e.Kind, e.Before, e.After, e.Notes, e.Rewrite, nil, e.Meta, h.State}
	for _, t := range e.Listed {
		l.Listed = append(l.Listed, t.Name)
	}
	for i, n := range l.Notes {
		l.Notes[i].Params = oneLine(n.Params)
	}
	if l.Rewrite != nil {
		l.Rewrite.Arguments = oneLine(l.Rewrite.Arguments)
	}
	if e.Kind&abi.OutResult != 0 {
		l.Answer = oneLine(l.Answer)
	}
	if strings.Contains(h.Context, `"on_close"`) {
		l.State = nil
	}
	return l.sorted()
}

func oneLine(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "\n", " ")) }

func (h playedHook) fromHost(out abi.HookOutput) left {
	l := left{Outcome: "pass", Answer: string(out.Answer), Before: texts(out.Before), After: texts(out.After), Meta: out.Meta, State: map[string]string{}}
	if out.Done {
		l.Outcome = "done"
	}
	for flag, set := range map[int32]bool{abi.OutResult: out.Whole, abi.OutIsError: out.Error, abi.OutStages: out.Stages} {
		if set {
			l.Kind |= flag
		}
	}
	for _, n := range out.Notes {
		l.Notes = append(l.Notes, playedNote{n.Method, string(n.Params)})
	}
	host := &playedHost{h: h}
	if r := out.Rewrite; r != nil {
		l.Rewrite = &playedRewrite{host.label(r.Tool), string(r.Arguments)}
	}
	for key, value := range h.StateBefore {
		l.State[key] = value
	}
	for key, value := range out.State {
		if l.State[key] = string(value); value == nil {
			delete(l.State, key)
		}
	}
	if strings.Contains(h.Context, `"on_close"`) {
		l.State = nil
	}
	if strings.Contains(h.Context, `"on_tools_list"`) {
		l.Listed = host.listed(out)
	}
	return l.sorted()
}

func (l left) sorted() left {
	slices.Sort(l.Listed)
	if len(l.State) == 0 {
		l.State = nil
	}
	if len(l.Meta) == 0 {
		l.Meta = nil
	}
	return l
}

func texts(blocks [][]byte) (list []string) {
	for _, b := range blocks {
		list = append(list, string(b))
	}
	return list
}

func logText(lines []abi.LogLine) string {
	var b strings.Builder
	for _, l := range lines {
		fmt.Fprintln(&b, l.Text)
	}
	return b.String()
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d: host %.300q, controllertest %.300q", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("host has %d lines, controllertest %d", len(g), len(w))
}

const randomHook = "./internal/testguest/randomhook"

func loadController(t *testing.T) wasm.Controller {
	t.Helper()
	m := loadModule(t, randomHook+"/guest", `{"name":"random","version":"1.0.0","abi":"1.0","summary":"dice","roles":[{"name":"random","kind":"controller","summary":"dice","llm":"none",`+
		`"capabilities":["session"],"notifications":["notifications/granted"]}]}`)
	c, err := m.Controller("random")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// playedHost answers with the state of the native session.
type playedHost struct {
	s        playedSession
	h        playedHook
	proposed map[string]bool
}

type toolEntry struct {
	Name, Wire, Kind string
	Own, Hidden      bool
}

func (p *playedHost) tools() (list []toolEntry) {
	_ = json.Unmarshal([]byte(p.h.Tools), &list)
	return list
}

func (p *playedHost) find(name string) (toolEntry, bool) {
	list := p.tools()
	i := slices.IndexFunc(list, func(e toolEntry) bool { return e.Name == name || e.Wire == name })
	if i < 0 {
		return toolEntry{}, false
	}
	return list[i], true
}

func (p *playedHost) label(name string) string {
	if e, ok := p.find(name); ok {
		return e.Name
	}
	return name
}

// listed returns the tools that a client sees after the edits.
func (p *playedHost) listed(out abi.HookOutput) (labels []string) {
	visible := map[string]bool{}
	for _, e := range p.tools() {
		visible[e.Name] = !e.Hidden
	}
	for _, t := range out.Tools {
		visible[t.Name] = true
	}
	for _, name := range out.Hidden {
		visible[p.label(name)] = false
	}
	for label, yes := range visible {
		if yes {
			labels = append(labels, label)
		}
	}
	return labels
}

func (p *playedHost) State(key string) ([]byte, bool) {
	v, ok := p.h.StateBefore[key]
	return []byte(v), ok
}

func (p *playedHost) StateSize() (keys, size int) {
	for k, v := range p.h.StateBefore {
		keys++
		size += len(k) + len(v)
	}
	return keys, size
}

func (p *playedHost) Tools() []byte   { return []byte(p.h.Tools) }
func (p *playedHost) Servers() []byte { return []byte(p.h.Servers) }
func (p *playedHost) Prompts() []byte { return []byte(p.h.Prompts) }

func (p *playedHost) Tool(name string) (abi.ToolKind, string, bool) {
	e, ok := p.find(name)
	owner := ""
	if e.Kind == string(abi.ToolVirtual) {
		if owner = "another"; e.Own {
			owner = "random"
		}
	}
	return abi.ToolKind(e.Kind), owner, ok
}

// PromptRecords returns the host's records for the prompts of the native side.
func (p *playedHost) PromptRecords() []byte {
	return (&hosttest.Session{PromptList: p.h.Prompts}).PromptRecords()
}

func (p *playedHost) KnownPromptBody(string) ([]byte, bool) { return nil, false }

func (p *playedHost) PromptBody(_ context.Context, name string, stored bool) ([]byte, error) {
	if text, ok := p.s.System[name]; ok {
		return []byte(text), nil
	}
	i := slices.IndexFunc(p.s.Prompts, func(q playedPrompt) bool { return q.Name == name })
	switch {
	case i < 0:
		return nil, abi.ErrNotFound
	case p.s.Prompts[i].LinkStatus == "dead":
		return nil, abi.ErrUnavailable
	case stored && p.s.Prompts[i].Stored != "":
		return []byte(p.s.Prompts[i].Stored), nil
	}
	return []byte(p.s.Prompts[i].Body), nil
}

func (p *playedHost) ProposePrompt(_ context.Context, proposal []byte) (string, error) {
	var q struct {
		Name, Content string
		Priority      int
	}
	if err := json.Unmarshal(proposal, &q); err != nil || q.Name == "" || q.Content == "" || q.Priority > 10 {
		return "", abi.ErrConfig
	}
	if p.h.Proposed[q.Name] || p.proposed[q.Name] {
		return "", abi.ErrConflict
	}
	if p.proposed == nil {
		p.proposed = map[string]bool{}
	}
	p.proposed[q.Name] = true
	return "request", nil
}

func (p *playedHost) Content(ref string) ([]byte, error) {
	for _, c := range p.s.Contents {
		if c.Ref == ref {
			return []byte(c.Text), nil
		}
	}
	return nil, abi.ErrNotFound
}

func (p *playedHost) ContentMeta(ref string) ([]byte, error) { return p.Content(ref) }

func (p *playedHost) Section(_ context.Context, ref, _ string) ([]byte, error) { return p.Content(ref) }

func (p *playedHost) Yield() func() { return func() {} }
