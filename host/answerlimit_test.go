package host

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/event"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/hosttest"
	"github.com/mcpctl/mcpctl/host/section/crawl"
)

// buildLog is the output of a failing build, of more than 10,000 estimated tokens.
func buildLog() string {
	var log strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&log, "2026-01-02T03:04:%02dZ ERROR build step %d failed: undefined symbol\n", i%60, i)
	}
	return log.String()
}

// An answer that no stage has indexed is an index above maxAnswerTokens. Each byte of the
// original can be read, and the event has the reason.
func TestLongAnswerBecomesIndex(t *testing.T) {
	skipShort(t)
	t.Parallel()
	content := func(name string) string {
		path, err := filepath.Abs("../testdata/content/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	file := func(name string) string { return marshal(t, map[string]string{"file": content(name)}) }
	text := func(s string) string { return marshal(t, map[string]string{"text": s}) }
	const none = "kind: ProxyModel\nmetadata: {name: none}\nspec: {controller: none, stages: []}\n"
	trap := new(hosttest.Module).Trap()
	for _, tc := range []struct {
		rule    string
		files   files
		spec    string // of the project
		tool    string
		args    string
		index   string // the beginning of the index; empty if the text passes unchanged
		reason  string // in the event
		isError bool
	}{
		{"JSON", nil, "proxyModel: none", "get", file("ja-flows-atltvhead.json"), "json-array, 384 objects", "more than maxAnswerTokens 10000 of the project", false},
		{"prose", nil, "proxyModel: none", "get", file("m-mcp-buildserver.mdx"), "mixed, 102 headings", "more than maxAnswerTokens 10000 of the project", false},
		{"structuredContent", nil, "proxyModel: none", "structured", file("ja-flows-atltvhead.json"), "json-array, 384 objects", "shown as an index", false},
		{"an embedded resource", nil, "proxyModel: none", "embed", text(buildLog()), "", "shown as an index", false},
		{"a failed tool", nil, "proxyModel: none", "fail", text(buildLog()), "log", "shown as an index", true},
		{"no structure", nil, "proxyModel: none", "echo", text(strings.Repeat("word ", 20_000)), "", "shown as an index", false},
		{"a stage that needs an LLM", nil, "proxyModel: summarize", "get", file("ja-flows-atltvhead.json"), "json-array, 384 objects", "shown as an index", false},
		{"a stage that fails", files{"stages/mine.wasm": string(stageOf("mine", trap)), "proxymodels/mine.yaml": model("mine", "type: mine")}, "proxyModel: mine", "get", file("ja-flows-atltvhead.json"), "json-array, 384 objects", "shown as an index", false},
		{"the stage for indexes fails", files{"stages/section-split.wasm": string(stageOf("section-split", trap))}, "proxyModel: none", "get", file("ja-flows-atltvhead.json"), "115095 bytes, ", "shown as an index, in windows", false},
		{"below the limit", nil, "proxyModel: none", "echo", text(strings.Repeat("word ", 1000)), "pass", "", false},
		{"a higher limit", nil, "proxyModel: none, maxAnswerTokens: 1000000", "get", file("ja-flows-atltvhead.json"), "pass", "", false},
		{"a lower limit", nil, "proxyModel: none, maxAnswerTokens: 2000", "echo", text(strings.Repeat("# Part\n\nsome text of it\n\n", 500)), "markdown", "more than maxAnswerTokens 2000", false},
		{"no limit", nil, "proxyModel: none, maxAnswerTokens: 0", "get", file("ja-flows-atltvhead.json"), "pass", "", false},
		{"a controller with a result hook", files{"proxymodels/explored.yaml": "kind: ProxyModel\nmetadata: {name: explored}\nspec: {controller: explore, controllerConfig: {maxResponseSize: 0}, stages: []}\n"},
			"proxyModel: explored", "get", file("ja-flows-atltvhead.json"), "json-array, 384 objects", "shown as an index", false},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			f := files{"servers/up.yaml": stdioServer("up", ""), "proxymodels/none.yaml": none,
				"projects/home.yaml": "kind: Project\nmetadata: {name: home}\nspec: {servers: [up], gated: false, " + tc.spec + "}\n"}
			for path, text := range tc.files {
				f[path] = text
			}
			r := newRig(t, f)
			c := r.dial(t)
			a := c.tool(t, "up__"+tc.tool, tc.args)
			events := r.Events(0, event.Query{Types: []event.Type{event.ToolCall}})
			e := events[len(events)-1]
			if a.IsError != tc.isError {
				t.Errorf("isError is %v", a.IsError)
			}
			reasons := ""
			for _, p := range e.Runs {
				for _, s := range p.Stages {
					reasons += s.Reason
				}
			}
			if tc.index == "pass" {
				if a.Meta.Kind != "" || reasons != "" {
					t.Errorf("changed for %q: %.200s", reasons, a.raw)
				}
				return
			}
			if a.Meta.Kind != flow.AnswerIndex || !strings.HasPrefix(a.text(), tc.index) || len(a.text()) > 6000 || len(a.Structured) > 0 {
				t.Errorf("got %.300s", a.raw)
			}
			if !strings.Contains(reasons, tc.reason) || e.OutTokens > 1200 || e.InTokens < 1800 {
				t.Errorf("event: reason %q, tokens %d to %d", reasons, e.InTokens, e.OutTokens)
			}
			original, err := r.Storage().Original("home", a.Meta.Ref)
			if err != nil {
				t.Fatal(err)
			}
			doc, err := r.Doc(flow.Scope{Project: "home"}, a.Meta.Ref)
			if err != nil {
				t.Fatal(err)
			}
			read := func(section string) flow.Answer {
				return r.Read(t.Context(), flow.Scope{Project: "home"}, a.Meta.Ref, section)
			}
			if err := crawl.Run(read, original.Bytes, doc.IsStructure).Err(); err != nil {
				t.Error(err)
			}
			if got := c.section(t, a.Meta.Ref, "!0-100"); got.text() != string(original.Bytes[:100]) {
				t.Errorf("the first bytes: %.200s", got.raw)
			}
			if again := c.tool(t, "up__"+tc.tool, tc.args); string(again.raw) != string(a.raw) {
				t.Errorf("another answer for the same result: %.200s", again.raw)
			}
		})
	}
}

// Texts that are too short for an index of their own become one, in which each is a section
// with exactly its bytes.
func TestShortTextsShareOneIndex(t *testing.T) {
	t.Parallel()
	r := newRig(t, files{"projects/home.yaml": project("none"), "proxymodels/none.yaml": "kind: ProxyModel\nmetadata: {name: none}\nspec: {controller: none, stages: []}\n"})
	var contents []flow.Content
	var shown []flow.Shown
	for i := range 60 {
		c := toolResult(fmt.Appendf(nil, "result %d\n%s", i, strings.Repeat("some words about it ", 40+i)), "")
		ref, err := r.Store(t.Context(), scope, c)
		if err != nil {
			t.Fatal(err)
		}
		contents, shown = append(contents, c), append(shown, flow.Shown{Ref: ref})
	}
	got, ok := r.BoundTogether(t.Context(), scope, contents, shown, flow.Overrun{Tokens: 20_000, Limit: 10_000})
	if !ok || !strings.HasPrefix(string(got.Text), "60 texts, ") || abi.EstimateTokens(got.Text) > 1100 {
		t.Fatalf("%v: %.300s", ok, got.Text)
	}
	original, err := r.Storage().Original("home", got.Ref)
	if err != nil {
		t.Fatal(err)
	}
	read := func(section string) flow.Answer { return r.Read(t.Context(), scope, got.Ref, section) }
	if err := crawl.Run(read, original.Bytes, hosttest.IsStructure).Err(); err != nil {
		t.Error(err)
	}
	for i, c := range contents {
		if a := read(fmt.Sprintf("text-%d!", i+1)); string(a.Text) != string(c.Bytes) {
			t.Errorf("text-%d is %.60q", i+1, a.Text)
		}
	}
	shown[3].Ref = "unknown"
	if _, ok := r.BoundTogether(t.Context(), scope, contents, shown, flow.Overrun{}); ok {
		t.Error("a text without an original was replaced")
	}
}

// resources/read has the same limit.
func TestLongResourceBecomesIndex(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "build.log")
	if err := os.WriteFile(path, []byte(buildLog()), 0o600); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, files{"servers/up.yaml": stdioServer("up", ""), "projects/home.yaml": project("none"),
		"proxymodels/none.yaml": "kind: ProxyModel\nmetadata: {name: none}\nspec: {controller: none, stages: []}\n"})
	c := r.dial(t)
	raw, rpc, err := c.try("resources/read", `{"uri":"file://`+path+`"}`)
	if err != nil || rpc != "" || len(raw) > 6000 || !strings.Contains(string(raw), `"mcpctl/kind":"index"`) {
		t.Errorf("got %.300s, %s, %v", raw, rpc, err)
	}
}

// A client's own tool has the limit of its project.
func TestLongClientToolBecomesIndex(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		limit string
		want  flow.AnswerKind
	}{{"", flow.AnswerIndex}, {", maxAnswerTokens: 0", ""}} {
		r := newRig(t, files{"projects/home.yaml": "kind: Project\nmetadata: {name: home}\nspec: {servers: [], proxyModel: none" + tc.limit + "}\n",
			"proxymodels/none.yaml": "kind: ProxyModel\nmetadata: {name: none}\nspec: {controller: none, stages: []}\n"})
		shown, err := r.ShowClientTool(t.Context(), "home", ClientTool{Client: "claude-code", Tool: "Bash", Text: []byte(buildLog())})
		if err != nil || shown.Meta.Kind != tc.want || shown.Changed != (tc.want != "") {
			t.Errorf("limit %q: %v, changed %v, kind %q", tc.limit, err, shown.Changed, shown.Meta.Kind)
		}
		if tokens := abi.EstimateTokens(shown.Text); tokens > 1200 {
			t.Errorf("limit %q: %d tokens", tc.limit, tokens)
		}
	}
}
