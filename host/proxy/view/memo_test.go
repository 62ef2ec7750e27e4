package view

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy/result"
)

// repeater is a Transformer that shows the length of a Content, and counts its runs.
type repeater struct {
	Transformer
	epoch   uint64
	expired bool // the Originals are no longer readable
	final   bool
	runs    int
	repeats int
}

func (r *repeater) Transform(_ context.Context, _ flow.Scope, c flow.Content) (flow.Shown, error) {
	r.runs++
	return flow.Shown{Changed: true, Text: fmt.Appendf(nil, "%d bytes, run %d", len(c.Bytes), r.runs), Ref: "r", Final: r.final,
		Run: flow.RunReport{Stages: []flow.StageReport{{Role: "count", Outcome: "done", Micros: 7}}}}, nil
}

func (r *repeater) Filter(context.Context, flow.Scope, flow.Content) (flow.Shown, error) {
	return flow.Shown{Ref: "r"}, nil
}

func (r *repeater) Epoch() uint64 { return r.epoch }

func (r *repeater) Repeat(_ flow.Scope, refs []string, reports []flow.RunReport) bool {
	r.repeats++
	return !r.expired && len(refs) == 1 && reports[0].Stages[0].Outcome == "cached"
}

const hello = `{"content":[{"type":"text","text":"hello"}]}`

func TestResultIsShownAgainWithoutRun(t *testing.T) {
	home, sibling := flow.Scope{Project: "home", Session: "1"}, flow.Scope{Project: "home", Session: "2"}
	tool := result.Source{Name: "a/b"}
	for _, tc := range []struct {
		rule   string
		change func(r *repeater)
		scope  flow.Scope
		src    result.Source
		raw    string
		runs   int
	}{
		{"equal", nil, home, tool, hello, 1},
		{"another session of the same subject", nil, sibling, tool, hello, 1},
		{"another project", nil, flow.Scope{Project: "x"}, tool, hello, 2},
		{"another subject", nil, flow.Scope{Project: "home", Subject: "eve"}, tool, hello, 2},
		{"another tool", nil, home, result.Source{Name: "a/c"}, hello, 2},
		{"another hint", nil, home, result.Source{Name: "a/b", Hint: "x.json"}, hello, 2},
		{"other arguments", nil, home, result.Source{Name: "a/b", Arguments: "{}"}, hello, 2},
		{"another result", nil, home, tool, `{"content":[{"type":"text","text":"hallo"}]}`, 2},
		{"another configuration", func(r *repeater) { r.epoch++ }, home, tool, hello, 2},
		{"expired original", func(r *repeater) { r.expired = true }, home, tool, hello, 2},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			r := &repeater{final: true}
			v := New(r, nil)
			showText(t, v, home, tool, hello)
			if tc.change != nil {
				tc.change(r)
			}
			showText(t, v, tc.scope, tc.src, tc.raw)
			if r.runs != tc.runs {
				t.Errorf("%d runs, want %d", r.runs, tc.runs)
			}
		})
	}
}

func showText(t *testing.T, v *Viewer, scope flow.Scope, src result.Source, raw string) Result {
	t.Helper()
	return v.ToolResult(t.Context(), scope, src, flow.Reply{Result: []byte(raw)}, false, 0)
}

func TestProvisionalResultIsNotRemembered(t *testing.T) {
	r := &repeater{}
	v := New(r, nil)
	first := showText(t, v, flow.Scope{}, result.Source{}, hello)
	second := showText(t, v, flow.Scope{}, result.Source{}, hello)
	if string(first.Reply.Result) == string(second.Reply.Result) || r.repeats != 0 {
		t.Errorf("a provisional result was shown again: %s", second.Reply.Result)
	}
}

func TestMemoIsBounded(t *testing.T) {
	r := &repeater{final: true}
	v := New(r, nil)
	m := v.memo
	for i := range memoEntries + 50 {
		showText(t, v, flow.Scope{}, result.Source{}, fmt.Sprintf(`{"content":[{"type":"text","text":"%d"}]}`, i))
	}
	m.keep(m.key(flow.Scope{}, result.Source{}, 0, []byte("large")), finalResult(strings.Repeat("x", memoMaxShown)))
	many := finalResult("x")
	many.Reports = make([]flow.RunReport, memoMaxParts+1)
	k := m.key(flow.Scope{}, result.Source{}, 0, []byte("many"))
	if m.keep(k, many); m.entries[k] != nil {
		t.Errorf("a result of %d parts is remembered", len(many.Reports))
	}
	if n := m.used.Len(); n != memoEntries || n != len(m.entries) {
		t.Errorf("%d entries in the list, %d in the map, limit %d", n, len(m.entries), memoEntries)
	}
}

func finalResult(text string) Result {
	return Result{Reply: flow.Reply{Result: []byte(`"` + text + `"`)}, Changed: true, final: true}
}
