package proxy

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host/flow"
)

// repeating is a Transformer that shows the length of a Content, and counts.
type repeating struct {
	epoch uint64
	gone  bool // the originals cannot be read any more
	final bool
	runs  int
	told  int // repeats
}

func (r *repeating) Transform(_ context.Context, _ flow.Scope, c flow.Content) (flow.Shown, error) {
	r.runs++
	return flow.Shown{Changed: true, Text: fmt.Appendf(nil, "%d bytes, run %d", len(c.Bytes), r.runs), Ref: "r", Final: r.final,
		Run: flow.RunReport{Stages: []flow.StageReport{{Role: "count", Outcome: "done", Micros: 7}}}}, nil
}

func (r *repeating) Filter(context.Context, flow.Scope, flow.Content) (flow.Shown, error) {
	return flow.Shown{Ref: "r"}, nil
}

func (r *repeating) Epoch() uint64 { return r.epoch }

func (r *repeating) Repeat(_ flow.Scope, refs []string, reports []flow.RunReport) bool {
	r.told++
	return !r.gone && len(refs) == 1 && reports[0].Stages[0].Outcome == "cached"
}

// A result that comes again is shown again without a run, as long as everything
// that could change it is the same.
// covers P-100
func TestMemoShowsAgainOnlyWhatWouldBeTheSame(t *testing.T) {
	result := []byte(`{"content":[{"type":"text","text":"hello"}]}`)
	home, other := flow.Scope{Project: "home", Session: "1"}, flow.Scope{Project: "home", Session: "2"}
	for _, tc := range []struct {
		name   string
		change func(r *repeating)
		scope  flow.Scope
		src    source
		result []byte
		runs   int
	}{
		{"the same", nil, home, source{name: "a/b"}, result, 1},
		{"another session of the same subject", nil, other, source{name: "a/b"}, result, 1},
		{"another project", nil, flow.Scope{Project: "x"}, source{name: "a/b"}, result, 2},
		{"another subject", nil, flow.Scope{Project: "home", Subject: "eve"}, source{name: "a/b"}, result, 2},
		{"another tool", nil, home, source{name: "a/c"}, result, 2},
		{"another hint", nil, home, source{name: "a/b", hint: "x.json"}, result, 2},
		{"another result", nil, home, source{name: "a/b"}, []byte(`{"content":[{"type":"text","text":"hallo"}]}`), 2},
		{"another configuration", func(r *repeating) { r.epoch++ }, home, source{name: "a/b"}, result, 2},
		{"the original is gone", func(r *repeating) { r.gone = true }, home, source{name: "a/b"}, result, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := &repeating{final: true}
			m := newMemo(r)
			once(t, m, r, home, source{name: "a/b"}, result)
			if tc.change != nil {
				tc.change(r)
			}
			once(t, m, r, tc.scope, tc.src, tc.result)
			if r.runs != tc.runs {
				t.Errorf("%d runs, want %d", r.runs, tc.runs)
			}
		})
	}
}

// once shows a result the way showTool does.
func once(t *testing.T, m *memo, r *repeating, scope flow.Scope, src source, result []byte) shownResult {
	t.Helper()
	k := m.key(scope, src, result)
	if res, ok := m.find(scope, k); ok {
		return res
	}
	res := show(t.Context(), r, scope, src, toolLayout(result, false))
	m.keep(k, res)
	return res
}

func TestMemoKeepsNothingThatIsNotFinal(t *testing.T) {
	r := &repeating{}
	m := newMemo(r)
	result := []byte(`{"content":[{"type":"text","text":"hello"}]}`)
	first := once(t, m, r, flow.Scope{}, source{}, result)
	second := once(t, m, r, flow.Scope{}, source{}, result)
	if string(first.reply.Result) == string(second.reply.Result) || r.told != 0 {
		t.Errorf("a provisional result was shown again: %s", second.reply.Result)
	}
}

func TestMemoIsBounded(t *testing.T) {
	r := &repeating{final: true}
	m := newMemo(r)
	for i := range memoEntries + 50 {
		once(t, m, r, flow.Scope{}, source{}, fmt.Appendf(nil, `{"content":[{"type":"text","text":"%d"}]}`, i))
	}
	large := res(strings.Repeat("x", memoMaxShown))
	m.keep(m.key(flow.Scope{}, source{}, []byte("large")), large)
	many := res("x")
	many.reports = make([]flow.RunReport, memoMaxParts+1)
	k := m.key(flow.Scope{}, source{}, []byte("many"))
	if m.keep(k, many); m.entries[k] != nil {
		t.Errorf("a result of %d parts is remembered", len(many.reports))
	}
	if n := m.used.Len(); n != memoEntries || n != len(m.entries) {
		t.Errorf("%d entries in the list, %d in the map, limit %d", n, len(m.entries), memoEntries)
	}
}

func res(text string) shownResult {
	return shownResult{reply: flow.Reply{Result: []byte(`"` + text + `"`)}, changed: true, final: true}
}
