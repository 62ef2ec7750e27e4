package lab

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/hosttest"
	"github.com/mcpctl/mcpctl/host/wasm"
)

func manifestOf(kind, llm, config string) string {
	return `{"name":"try","version":"1.0.0","abi":"1.0","summary":"x","roles":[{"name":"try","kind":"` + kind + `","summary":"x","llm":"` + llm + `",` +
		`"capabilities":["cache","llm"],"config":[` + config + `]}]}`
}

func open(t *testing.T) *Trial {
	t.Helper()
	tr, err := Open(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tr.Close() })
	return tr
}

func load(t *testing.T, tr *Trial, m *hosttest.Module) *Module {
	t.Helper()
	mod, err := tr.Load(t.Context(), "try", m.File())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = mod.Close() })
	return mod
}

// asking returns a module that writes "kept" and the answer of an LLM, if there is
// one.
func asking(kind string) *hosttest.Module {
	return new(hosttest.Module).Manifest(manifestOf(kind, "optional", "")).
		Call(abi.FuncOutWrite, "kept ").
		Call(abi.FuncLLMBegin, 0, 100, 0).Call(abi.FuncLLMText, 1, "why?").Call(abi.FuncLLMSend, 1).Call(abi.FuncLLMWait, 1, 3000).
		Call(abi.FuncLLMResult, 1).Call(abi.FuncOutSpan, 16, 0, -1)
}

// Each behavior of the scripted LLM has its result.
func TestScriptedLLM(t *testing.T) {
	m := load(t, open(t), asking("stage"))
	for _, tt := range []struct {
		llm   LLM
		want  string
		asked int
	}{
		{LLM{}, "kept ", 0},
		{LLM{Way: Answers, Answer: "because"}, "kept because", 1},
		{LLM{Way: Fails}, "kept ", 1},
		{LLM{Way: Slow}, "kept ", 1},
		{LLM{Way: Empty}, "kept ", 1},
		{LLM{Way: Lies}, "kept " + lie, 1},
	} {
		r, err := m.Run(t.Context(), Call{Role: "try", Input: []byte("x"), LLM: tt.llm})
		if err != nil || r.Outcome != Done || string(r.Output.Bytes) != tt.want || r.Spent.Requests != tt.asked {
			t.Errorf("LLM %q: %s %q, %d asked, %v; want %q, %d", tt.llm.Way, r.Outcome, r.Output.Bytes, r.Spent.Requests, err, tt.want, tt.asked)
		}
	}
}

// Tokens of requests and answers are counted. Another LLM may answer instead of the
// script.
func TestSpent(t *testing.T) {
	m := load(t, open(t), asking("stage"))
	text := "an answer of several tokens"
	for _, llm := range []LLM{{Way: Answers, Answer: text}, {Way: Fails, By: &hosttest.LLM{Script: func(abi.LLMRequest) string { return text }}}} {
		r, err := m.Run(t.Context(), Call{Role: "try", Input: []byte("x"), LLM: llm})
		got := r.Spent
		got.Answering = 0 // differs between runs
		if want := (Spent{Requests: 1, In: abi.EstimateTokens([]byte("why?")), Out: abi.EstimateTokens([]byte(text))}); err != nil || got != want || string(r.Output.Bytes) != "kept "+text {
			t.Errorf("%+v, %q, %v; want %+v", got, r.Output.Bytes, err, want)
		}
	}
}

// Each behavior of the scripted cache has its result.
func TestScriptedCache(t *testing.T) {
	m := load(t, open(t), new(hosttest.Module).Manifest(manifestOf("stage", "none", "")).Call(abi.FuncOutWrite, "then ").
		Call(abi.FuncCacheGet, "k").Call(abi.FuncLastError).Call(abi.FuncOutSpan, 16, 0, -1). // the value, or the error
		Call(abi.FuncCacheSet, "k", "new").Call(abi.FuncLastError).Call(abi.FuncOutSpan, 17, 0, -1))
	old := map[string]string{"k": "old"}
	for _, tt := range []struct {
		cache      Cache
		want, kept string
	}{
		{Cache{}, "then ", "new"},
		{Cache{Held: old}, "then old", "new"},
		{Cache{CacheFull, old}, "then oldlimit reached: cache values of the module are over 67108864 bytes (set limits.cache)", ""},
		{Cache{CacheOff, nil}, "then no cache configuredno cache configured", ""},
		{Cache{}, "then ", "new"}, // no value of the previous run is left
	} {
		r, err := m.Run(t.Context(), Call{Role: "try", Input: []byte("x"), Cache: tt.cache})
		if err != nil || r.Outcome != Done || !strings.HasPrefix(string(r.Output.Bytes), tt.want) || r.Kept["k"] != tt.kept || (tt.kept != "") != (len(r.Kept) == 1) {
			t.Errorf("%+v: %s %q, kept %q, %v; want %q, %q", tt.cache, r.Outcome, r.Output.Bytes, r.Kept, err, tt.want, tt.kept)
		}
	}
	if old["k"] != "old" {
		t.Errorf("the run changed its script: %q", old)
	}
}

func TestOutcomes(t *testing.T) {
	tr := open(t)
	for _, tt := range []struct {
		name   string
		module *hosttest.Module
		want   Outcome
		reason string
	}{
		{"done", new(hosttest.Module).Call(abi.FuncOutWrite, "a"), Done, ""},
		{"pass", new(hosttest.Module).Returns(abi.ReturnPass), Pass, ""},
		{"fail with a reason", new(hosttest.Module).Call(abi.FuncFail, "too old").Returns(abi.ReturnFail), Fail, "too old"},
		{"trap", new(hosttest.Module).Trap(), Fail, "unreachable"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := load(t, tr, tt.module)
			r, err := m.Run(t.Context(), Call{Role: "try", Input: []byte("x")})
			if err != nil || r.Outcome != tt.want || !strings.Contains(r.Reason, tt.reason) {
				t.Errorf("%s %q, %v; want %s %q", r.Outcome, r.Reason, err, tt.want, tt.reason)
			}
		})
	}
}

// remembering returns a filter that reads a value from the cache and passes.
func remembering() *hosttest.Module {
	return asking("filter").Call(abi.FuncCacheGet, "k").Returns(abi.ReturnPass)
}

// Each law is broken by some module and followed by another.
func TestLaws(t *testing.T) {
	tr := open(t)
	limit := `{"name":"n","type":"int","default":5,"min":1,"max":9,"help":"x"}`
	for _, tt := range []struct {
		name   string
		module *hosttest.Module
		config map[string]json.RawMessage
		llm    LLM
		cache  Cache
		broken Law
		what   string
	}{
		{name: "stage that writes", module: new(hosttest.Module).Call(abi.FuncOutWrite, "a")},
		{name: "stage that works without the LLM", module: asking("stage"), llm: LLM{Way: Answers, Answer: "a"}},
		{name: "cached value in the output", module: new(hosttest.Module).Manifest(manifestOf("stage", "none", "")).
			Call(abi.FuncOutWrite, "a").Call(abi.FuncCacheGet, "k").Call(abi.FuncOutSpan, 16, 0, -1).Call(abi.FuncCacheSet, "k", "v"),
			broken: LawSame, what: "output, from byte 1 on"},
		{name: "invented value of a script in the output", module: new(hosttest.Module).Manifest(manifestOf("stage", "none", "")).
			Call(abi.FuncOutWrite, "a").Call(abi.FuncCacheGet, "k").Call(abi.FuncOutSpan, 16, 0, -1), cache: Cache{Held: map[string]string{"k": "made up"}}},
		{name: "full cache changes the output", module: new(hosttest.Module).Manifest(manifestOf("stage", "none", "")).
			Call(abi.FuncOutWrite, "a").Call(abi.FuncCacheSet, "k", "v").Call(abi.FuncLastError).Call(abi.FuncOutSpan, 16, 0, -1),
			broken: LawSame, what: "a run with a cache that is full has a different output"},
		{name: "cached value instead of an LLM's answer", module: remembering(), cache: Cache{Held: map[string]string{"k": "v"}},
			broken: LawLLM, what: "LLM that fails: it passes on"},
		{name: "sections that cover the content", module: new(hosttest.Module).
			Call(abi.FuncSectionAdd, -1, 1, 0, 3, "head").Call(abi.FuncOutIndex, -1, 0, 0)},
		{name: "filter passes unchecked content", module: asking("filter").Returns(abi.ReturnPass), broken: LawLLM, what: "LLM that fails"},
		{name: "defaults are checked though the call has a config", module: new(hosttest.Module).Manifest(manifestOf("stage", "none", limit)).
			Call(abi.FuncOutWrite, "a"), config: map[string]json.RawMessage{"n": json.RawMessage("7")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := load(t, tr, tt.module)
			c := Call{Role: "try", Input: []byte("one two three\n"), Config: tt.config, LLM: tt.llm, Cache: tt.cache}
			first, err := m.Run(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			got, err := m.Laws(t.Context(), c, first)
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case tt.broken == "" && len(got) > 0:
				t.Errorf("broken: %v, want none", got)
			case tt.broken != "" && (len(got) != 1 || got[0].Law != tt.broken || !strings.Contains(got[0].Text, tt.what)):
				t.Errorf("broken: %v, want %s: %s", got, tt.broken, tt.what)
			case tt.name == "a cached value must not show" && (string(got[0].Before) != "a" || string(got[0].After) != "av"):
				t.Errorf("outputs %q and %q, want both to be shown", got[0].Before, got[0].After)
			}
		})
	}
}

// An endless loop is ended at a different place in each run, so its runs are not
// compared.
func TestLawsIgnoreRunsEndedByLimit(t *testing.T) {
	tr, err := Open(t.Context(), Options{Guests: wasm.Limits{Time: 20 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tr.Close() })
	m, c := load(t, tr, new(hosttest.Module).Spin()), Call{Role: "try", Input: []byte("x")}
	first, err := m.Run(t.Context(), c)
	if err != nil || first.Outcome != Fail || !first.Limit {
		t.Fatalf("%+v, %v; want a failure by the limit of time", first, err)
	}
	if broken, err := m.Laws(t.Context(), c, first); err != nil || len(broken) > 0 {
		t.Errorf("broken %v, %v; want none", broken, err)
	}
}

// unhelped returns the error in a result whose LLM returned no useful answer.
func TestUnhelped(t *testing.T) {
	asked := Spent{Requests: 1}
	text := func(s string) Result {
		return Result{Outcome: Done, Spent: asked, Output: abi.Output{Bytes: []byte(s)}}
	}
	failed := Result{Outcome: Fail, Reason: "no answer", Spent: asked}
	passed := Result{Outcome: Pass, Spent: asked}
	for _, tt := range []struct {
		name    string
		kind    abi.RoleKind
		way     Way
		r, none Result
		want    string
	}{
		{"stage passes", abi.KindStage, Fails, passed, text("a"), ""},
		{"stage has the same output as without an LLM", abi.KindStage, Slow, text("a"), text("a"), ""},
		{"stage fails", abi.KindStage, Fails, failed, passed, "it fails (no answer)"},
		{"stage writes an empty answer", abi.KindStage, Empty, text(""), text("a"), "different output"},
		{"false answer is not detected", abi.KindStage, Lies, text("lie"), text("a"), ""},
		{"stage fails after a false answer", abi.KindStage, Lies, failed, text("a"), "it fails"},
		{"stage fails with and without an LLM", abi.KindStage, Fails, failed, failed, ""},
		{"filter fails", abi.KindFilter, Fails, failed, failed, ""},
		{"filter passes", abi.KindFilter, Slow, passed, passed, "a filter must fail"},
		{"filter sent no request", abi.KindFilter, Slow, Result{Outcome: Pass}, passed, ""},
	} {
		if got := unhelped(tt.kind, tt.way, tt.r, tt.none); tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestLoss(t *testing.T) {
	original := "Tokens MUST be rotated.\nThe port is 8080, see https://example.com/a.\nKeys NEVER leave.\n"
	l := LossOf([]byte(original), []byte("Keys NEVER leave. 8080"))
	if len(l.Duties) != 1 || l.Duties[0] != "Tokens MUST be rotated." || l.Facts != 1 {
		t.Errorf("%+v, want the first line and the URL", l)
	}
	if l := LossOf([]byte(original), []byte(original)); len(l.Duties)+l.Facts > 0 {
		t.Errorf("%+v for the whole original", l)
	}
}
