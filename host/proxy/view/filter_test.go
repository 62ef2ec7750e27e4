package view

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy/proxytest"
	"github.com/mcpctl/mcpctl/host/proxy/result"
)

// errorReader is result.Error as a result.Reader.
func errorReader(raw []byte, _ bool) *result.Layout { return result.Error(raw) }

// Filters read everything that a client could show. Parts that stages read too are in
// capitals.
func TestFilterReadsEverythingThatIsShown(t *testing.T) {
	for _, tc := range []struct {
		rule string
		read result.Reader
		raw  string
		seen string
		want string // "" for unchanged
	}{
		{"texts beside structuredContent", result.Tool,
			`{"content":[{"type":"text","text":"hunter2"}],"structuredContent":{"ok":true}}`,
			`{"OK":TRUE}|HUNTER2`,
			`{"content":[{"type":"text","text":"***"}],"structuredContent":{"ok":true}}`},
		{"changed structuredContent, a text that repeats it and an embedded resource", result.Tool,
			`{"content":[{"type":"text","text":"hunter2"},{"type":"resource","resource":{"uri":"x:1","text":"hunter2"}}],"structuredContent":{"p":"hunter2"}}`,
			`{"P":"HUNTER2"}|hunter2`,
			`{"content":[{"type":"text","text":"{\"p\":\"***\"}"},{"type":"resource","resource":{"uri":"x:1","text":"***"}}]}`},
		{"changed structuredContent and other texts", result.Tool,
			`{"content":[{"type":"text","text":"a hunter2"},{"type":"text","text":["hunter2"]}],"structuredContent":{"p":"hunter2"}}`,
			`{"P":"HUNTER2"}|A HUNTER2|{"type":"text","text":["hunter2"]}`,
			`{"content":[{"type":"text","text":"{\"p\":\"***\"}"},{"type":"text","text":"a ***"},{"type":"text","text":["***"]}]}`},
		{"embedded resource", result.Tool,
			`{"content":[{"type":"resource","resource":{"text":"a hunter2","uri":"x:1","mimeType":"text/x"},"annotations":{}}]}`,
			`A HUNTER2`,
			`{"content":[{"type":"resource","resource":{"text":"a ***","uri":"x:1","mimeType":"text/x"},"annotations":{}}]}`},
		{"block of an unknown type", result.Tool,
			`{"content":[{"type":"hologram","note":"hunter2","_meta":{"mcpctl/ref":"r","x":1}}]}`,
			`{"type":"hologram","note":"hunter2","_meta":{"mcpctl/ref":"r","x":1}}`,
			`{"content":[{"type":"hologram","note":"***","_meta":{"x":1}}]}`},
		{"text and block of another kind", result.Tool,
			`{"content":[{"type":"text","text":["hunter2"]},"hunter2"]}`,
			`{"type":"text","text":["hunter2"]}|"hunter2"`,
			`{"content":[{"type":"text","text":["***"]},"***"]}`},
		{"content that is no array", result.Tool, `{"content":"hunter2"}`, "hunter2", `{"content":"***"}`},
		{"content that is no array, and changed structuredContent", result.Tool,
			`{"content":{"p":"hunter2"},"structuredContent":["hunter2"]}`, `["HUNTER2"]|{"p":"hunter2"}`,
			`{"content":[{"type":"text","text":"[\"***\"]"}]}`},
		{"result of a failing tool", result.Tool,
			`{"content":[{"type":"text","text":"hunter2"}],"isError":true}`, `HUNTER2`,
			`{"content":[{"type":"text","text":"***"}],"isError":true}`},
		{"images, audio, links and blobs", result.Tool,
			`{"content":[{"type":"image","data":"hunter2"},{"type":"audio","data":"a"},{"type":"resource_link","uri":"x:hunter2"},{"type":"resource","resource":{"uri":"x:1","blob":"AA=="}},null]}`, ``, ``},
		{"prompt", result.Prompt,
			`{"description":"d hunter2","messages":[{"role":"user","content":{"type":"text","text":"hunter2"}},{"role":"user","content":{"type":"resource","resource":{"uri":"x:1","text":"r hunter2"}}}]}`,
			`d hunter2|HUNTER2|R HUNTER2`,
			`{"description":"d ***","messages":[{"role":"user","content":{"type":"text","text":"***"}},{"role":"user","content":{"type":"resource","resource":{"uri":"x:1","text":"r ***"}}}]}`},
		{"resource", result.Resource,
			`{"contents":[{"uri":"x:1","text":"hunter2"},{"uri":"x:2","blob":"AA=="},{"uri":"x:3","text":["hunter2"]}]}`,
			`HUNTER2|["hunter2"]`,
			`{"contents":[{"uri":"x:1","text":"***"},{"uri":"x:2","blob":"AA=="},{"uri":"x:3","text":["***"]}]}`},
		{"error with message and data", errorReader,
			`{"code":-31999,"message":"no hunter2","data":{"sql":"hunter2","n":9007199254740993},"x":1e2}`,
			`no hunter2|{"sql":"hunter2","n":9007199254740993}`,
			`{"code":-31999,"message":"no ***","data":{"sql":"***","n":9007199254740993},"x":1e2}`},
		{"error with a string as data", errorReader,
			`{"code":1,"message":"m","data":"a\nhunter2"}`, "m|a\nhunter2", `{"code":1,"message":"m","data":"a\n***"}`},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			p := &proxytest.Pipeline{Stage: proxytest.Hide}
			res := New(p, nil).Show(t.Context(), flow.Scope{}, result.Source{Type: abi.ToolResult, Name: "s/t"}, tc.read([]byte(tc.raw), true))
			if tc.want == "" {
				tc.want = tc.raw
			}
			if got := string(res.Reply.Result); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
			var seen []string
			for _, c := range p.Seen() {
				text := string(c.Bytes)
				if !c.OnlyFilters {
					text = strings.ToUpper(text)
				}
				seen = append(seen, text)
			}
			if got := strings.Join(seen, "|"); got != tc.seen {
				t.Errorf("the filter got %q, want %q", got, tc.seen)
			}
		})
	}
}

// The output of a filter for a JSON value may be no JSON.
func TestFilterOutputIsNoJSON(t *testing.T) {
	for _, tc := range []struct {
		rule string
		read result.Reader
		raw  string
		want string
	}{
		{"block", result.Tool, `{"content":[{"type":"hologram"},{"type":"image","data":""}]}`,
			`{"content":[{"type":"text","text":"removed"},{"type":"image","data":""}]}`},
		{"data", errorReader, `{"code":1,"data":{"a":1}}`, `{"code":1,"data":"removed"}`},
	} {
		p := &proxytest.Pipeline{Stage: func(flow.Content) (flow.Shown, error) {
			return flow.Shown{Changed: true, Text: []byte("removed")}, nil
		}}
		res := New(p, nil).Show(t.Context(), flow.Scope{}, result.Source{}, tc.read([]byte(tc.raw), true))
		if got := string(res.Reply.Result); got != tc.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tc.rule, got, tc.want)
		}
	}
}

// Stages read a limited number of parts, filters all of them.
func TestManyParts(t *testing.T) {
	const maxParts = 1024 // that stages read
	const most = maxParts + 10
	raw := `{"content":[` + strings.Repeat(`{"type":"text","text":"a"},`, most-1) + `{"type":"text","text":"hunter2"}]}`
	for _, tc := range []struct {
		filtered bool
		runs     int
		last     string
		alone    int // runs of filters only
	}{{false, maxParts, "hunter2", 0}, {true, most, "***", most - maxParts}} {
		p := &proxytest.Pipeline{Stage: proxytest.Hide}
		res := New(p, nil).Show(t.Context(), flow.Scope{}, result.Source{Type: abi.ToolResult}, result.Tool([]byte(raw), tc.filtered))
		only := 0
		for _, c := range p.Seen() {
			if c.OnlyFilters {
				only++
			}
		}
		if len(p.Seen()) != tc.runs || only != tc.alone || !strings.HasSuffix(string(res.Reply.Result), `"`+tc.last+`"}]}`) {
			t.Errorf("filtered %t: %d runs, %d of filters only, ends %.20q", tc.filtered, len(p.Seen()), only, res.Reply.Result[len(res.Reply.Result)-20:])
		}
	}
}
