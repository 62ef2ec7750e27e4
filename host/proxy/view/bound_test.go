package view

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
	"github.com/mcpctl/mcpctl/host/proxy/proxytest"
	"github.com/mcpctl/mcpctl/host/proxy/result"
)

// tokens returns a text of n estimated tokens.
func tokens(n int) string { return strings.Repeat("\n", n) }

// textsOf returns a tools/call result with text blocks, and more members.
func textsOf(more string, texts ...string) string {
	blocks := make([]string, len(texts))
	for i, text := range texts {
		blocks[i] = `{"type":"text","text":` + string(jsonedit.Quote(text)) + `}`
	}
	return `{"content":[` + strings.Join(blocks, ",") + `]` + more + `}`
}

func TestAnswerAboveTheLimit(t *testing.T) {
	const index = "index of"
	prompt := func(texts ...string) string {
		return `{"messages":[{"role":"user","content":` + strings.TrimSuffix(strings.TrimPrefix(textsOf("", texts...), `{"content":[`), `]}`) + `}]}`
	}
	resource := func(text string) string {
		return `{"contents":[{"uri":"a:b","mimeType":"text/csv","text":` + string(jsonedit.Quote(text)) + `}]}`
	}
	var many []string
	for range 50 {
		many = append(many, tokens(60))
	}
	var beyond []string
	for range 1400 {
		beyond = append(beyond, tokens(20))
	}
	for _, tc := range []struct {
		rule  string
		limit int
		raw   string
		read  result.Reader
		want  []string // the start of each text; "" for an unchanged one
	}{
		{"exactly the limit", 2000, textsOf("", tokens(2000)), result.Tool, []string{""}},
		{"one above the limit", 2000, textsOf("", tokens(2001)), result.Tool, []string{index}},
		{"no limit", 0, textsOf("", tokens(50_000)), result.Tool, []string{""}},
		{"a failed tool", 2000, textsOf(`,"isError":true`, tokens(3000)), result.Tool, []string{index}},
		{"two texts, each below, together above", 2000, textsOf("", tokens(1100), tokens(1200)), result.Tool, []string{"", index}},
		{"the largest first, until it fits", 4000, textsOf("", tokens(1500), tokens(9000), tokens(1500)), result.Tool, []string{"", index, ""}},
		{"many short texts", 2000, textsOf("", many...), result.Tool, append([]string{index}, strings.Split(strings.Repeat(elsewhere+"|", 48)+elsewhere, "|")...)},
		{"more texts than stages read", 8000, textsOf("", beyond...), result.Tool, append([]string{index}, strings.Split(strings.Repeat(elsewhere+"|", 1398)+elsewhere, "|")...)},
		{"a prompt", 2000, prompt(tokens(3000)), result.Prompt, []string{index}},
		{"a resource", 2000, resource(tokens(3000)), result.Resource, []string{index}},
	} {
		for _, run := range []string{"no pipeline", "stages that change nothing"} {
			t.Run(tc.rule+", "+run, func(t *testing.T) {
				p := &proxytest.Pipeline{}
				v := New(p, p)
				l := tc.read([]byte(tc.raw), false)
				l.MaxTokens = tc.limit
				show := v.Bound
				if run != "no pipeline" {
					show = v.Show
				}
				res := show(t.Context(), flow.Scope{}, result.Source{}, l)
				got, was := tc.read(res.Reply.Result, false), tc.read([]byte(tc.raw), false)
				if got.Len() != len(tc.want) {
					t.Fatalf("%d texts, want %d: %.300s", got.Len(), len(tc.want), res.Reply.Result)
				}
				total := 0
				for i, want := range tc.want {
					c, _ := got.Content(result.Source{}, i)
					before, _ := was.Content(result.Source{}, i)
					total += abi.EstimateTokens(c.Bytes)
					if want == "" && string(c.Bytes) != string(before.Bytes) || !strings.HasPrefix(string(c.Bytes), want) {
						t.Errorf("text %d is %.60q, want %q", i, c.Bytes, want)
					}
				}
				if res.After != total || tc.limit > 0 && total > tc.limit {
					t.Errorf("counted %d tokens, has %d, limit %d", res.After, total, tc.limit)
				}
				changed := strings.Join(tc.want, "") != ""
				if res.Changed != changed || !changed && string(res.Reply.Result) != tc.raw {
					t.Errorf("changed %v, want %v", res.Changed, changed)
				}
				if changed {
					if text := fmt.Sprint(res.Reports); !strings.Contains(text, fmt.Sprintf("%d tokens, limit %d", res.Before, tc.limit)) {
						t.Errorf("the reports do not contain the reason: %s", text)
					}
				}
				if result.IsError(res.Reply) != strings.Contains(tc.raw, "isError") {
					t.Error("isError has changed")
				}
				if strings.Contains(string(res.Reply.Result), "text/csv") && changed {
					t.Error("an index has the type of the resource")
				}
			})
		}
	}
}

// structuredContent above the limit becomes a text block, and the blocks that repeat it are
// removed; images stay.
func TestStructuredContentAboveTheLimit(t *testing.T) {
	structured := `{"rows":[` + strings.TrimSuffix(strings.Repeat("1,\n", 3000), ",\n") + `]}`
	raw := `{"content":[{"type":"text","text":` + string(jsonedit.Quote(structured)) + `},{"type":"image","data":"` + strings.Repeat("A", 9000) + `"}],"structuredContent":` + structured + `}`
	for _, filtered := range []bool{false, true} {
		p := &proxytest.Pipeline{}
		l := result.Tool([]byte(raw), filtered)
		l.MaxTokens = 2000
		res := New(p, p).Show(t.Context(), flow.Scope{}, result.Source{}, l)
		want := `{"content":[{"type":"text","text":"index of ref0000000000000"},{"type":"image","data":"` + strings.Repeat("A", 9000) + `"}],"_meta":{"mcpctl/kind":"index","mcpctl/ref":"ref0000000000000"}}`
		if string(res.Reply.Result) != want {
			t.Errorf("filtered %v: got %.300s", filtered, res.Reply.Result)
		}
	}
}

// Text that a filter withholds is not indexed, and an index contains what the filters left.
func TestLimitAfterFilters(t *testing.T) {
	p := &proxytest.Pipeline{Redact: func(c flow.Content) flow.Shown {
		if strings.Contains(string(c.Bytes), "withhold") {
			return flow.Shown{Blocked: "withheld"}
		}
		sh, _ := proxytest.Hide(c)
		return sh
	}}
	show := func(text string) Result {
		l := result.Tool([]byte(textsOf("", text)), true)
		l.MaxTokens = 2000
		return New(p, p).Show(t.Context(), flow.Scope{}, result.Source{}, l)
	}
	if res := show("withhold" + tokens(3000)); res.Blocked != "withheld" || len(res.Refs) != 0 {
		t.Errorf("withheld text: %+v", res)
	}
	res := show("hunter2" + tokens(3000))
	if len(res.Refs) != 1 || !strings.Contains(string(res.Reply.Result), "index of") {
		t.Fatalf("got %.200s", res.Reply.Result)
	}
	for _, c := range p.Seen() {
		if strings.Contains(string(c.Bytes), "hunter2") {
			t.Error("the original contains the password")
		}
	}
}

// Of texts beyond those that stages read, the index contains the output of the filters.
func TestTextsBeyondStagesAreFiltered(t *testing.T) {
	p := &proxytest.Pipeline{Redact: func(c flow.Content) flow.Shown {
		sh, _ := proxytest.Hide(c)
		return sh
	}}
	var texts []string
	for range 1400 {
		texts = append(texts, "hunter2"+tokens(20))
	}
	l := result.Tool([]byte(textsOf("", texts...)), true)
	l.MaxTokens = 8000
	res := New(p, p).Show(t.Context(), flow.Scope{}, result.Source{}, l)
	if res.After > 8000 || !res.Changed {
		t.Errorf("%d tokens, changed %v", res.After, res.Changed)
	}
	original := p.Original(res.Refs[0])
	if n := strings.Count(original, "***"); n != 1400 || strings.Contains(original, "hunter2") {
		t.Errorf("%d texts in the joined original: %.100q", n, original)
	}
}

// The limit is part of the key of a result that is shown again.
func TestLimitIsPartOfMemoKey(t *testing.T) {
	r := &repeater{final: true}
	v := New(r, nil)
	for _, limit := range []int{0, 2000, 0, 2000, 3000} {
		v.ToolResult(t.Context(), flow.Scope{}, result.Source{}, flow.Reply{Result: []byte(hello)}, false, limit)
	}
	if r.runs != 3 {
		t.Errorf("%d runs, want 3", r.runs)
	}
}
