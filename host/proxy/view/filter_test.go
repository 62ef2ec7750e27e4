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

// covers T25: what a filter is given besides what stages are. The parts that
// stages are given too are in capitals.
func TestFilterSeesAllThatAClientCouldShow(t *testing.T) {
	for _, tc := range []struct {
		rule string
		read result.Reader
		raw  string
		seen string
		want string // "" for unchanged
	}{
		{"the texts beside structuredContent", result.Tool,
			`{"content":[{"type":"text","text":"hunter2"}],"structuredContent":{"ok":true}}`,
			`{"OK":TRUE}|HUNTER2`,
			`{"content":[{"type":"text","text":"***"}],"structuredContent":{"ok":true}}`},
		{"structuredContent that changed, beside a text that repeats it and an embedded resource", result.Tool,
			`{"content":[{"type":"text","text":"hunter2"},{"type":"resource","resource":{"uri":"x:1","text":"hunter2"}}],"structuredContent":{"p":"hunter2"}}`,
			`{"P":"HUNTER2"}|hunter2`,
			`{"content":[{"type":"text","text":"{\"p\":\"***\"}"},{"type":"resource","resource":{"uri":"x:1","text":"***"}}]}`},
		{"structuredContent that changed, beside other texts", result.Tool,
			`{"content":[{"type":"text","text":"a hunter2"},{"type":"text","text":["hunter2"]}],"structuredContent":{"p":"hunter2"}}`,
			`{"P":"HUNTER2"}|A HUNTER2|{"type":"text","text":["hunter2"]}`,
			`{"content":[{"type":"text","text":"{\"p\":\"***\"}"},{"type":"text","text":"a ***"},{"type":"text","text":["***"]}]}`},
		{"an embedded resource", result.Tool,
			`{"content":[{"type":"resource","resource":{"text":"a hunter2","uri":"x:1","mimeType":"text/x"},"annotations":{}}]}`,
			`A HUNTER2`,
			`{"content":[{"type":"resource","resource":{"text":"a ***","uri":"x:1","mimeType":"text/x"},"annotations":{}}]}`},
		{"a block of a type unknown to us stays one if it is still JSON", result.Tool,
			`{"content":[{"type":"hologram","says":"hunter2","_meta":{"mcpctl/ref":"r","x":1}}]}`,
			`{"type":"hologram","says":"hunter2","_meta":{"mcpctl/ref":"r","x":1}}`,
			`{"content":[{"type":"hologram","says":"***","_meta":{"x":1}}]}`},
		{"a text that is none, a block that is none", result.Tool,
			`{"content":[{"type":"text","text":["hunter2"]},"hunter2"]}`,
			`{"type":"text","text":["hunter2"]}|"hunter2"`,
			`{"content":[{"type":"text","text":["***"]},"***"]}`},
		{"content that is no list", result.Tool, `{"content":"hunter2"}`, "hunter2", `{"content":"***"}`},
		{"content that is no list beside structuredContent that changed", result.Tool,
			`{"content":{"p":"hunter2"},"structuredContent":["hunter2"]}`, `["HUNTER2"]|{"p":"hunter2"}`,
			`{"content":[{"type":"text","text":"[\"***\"]"}]}`},
		{"what a failing tool says", result.Tool,
			`{"content":[{"type":"text","text":"hunter2"}],"isError":true}`, `HUNTER2`,
			`{"content":[{"type":"text","text":"***"}],"isError":true}`},
		{"images, audio, links and blobs hold no text", result.Tool,
			`{"content":[{"type":"image","data":"hunter2"},{"type":"audio","data":"a"},{"type":"resource_link","uri":"x:hunter2"},{"type":"resource","resource":{"uri":"x:1","blob":"AA=="}},null]}`, ``, ``},
		{"a prompt: description, texts, embedded resources", result.Prompt,
			`{"description":"d hunter2","messages":[{"role":"user","content":{"type":"text","text":"hunter2"}},{"role":"user","content":{"type":"resource","resource":{"uri":"x:1","text":"r hunter2"}}}]}`,
			`d hunter2|HUNTER2|R HUNTER2`,
			`{"description":"d ***","messages":[{"role":"user","content":{"type":"text","text":"***"}},{"role":"user","content":{"type":"resource","resource":{"uri":"x:1","text":"r ***"}}}]}`},
		{"a resource", result.Resource,
			`{"contents":[{"uri":"x:1","text":"hunter2"},{"uri":"x:2","blob":"AA=="},{"uri":"x:3","text":["hunter2"]}]}`,
			`HUNTER2|["hunter2"]`,
			`{"contents":[{"uri":"x:1","text":"***"},{"uri":"x:2","blob":"AA=="},{"uri":"x:3","text":["***"]}]}`},
		{"an error: message and data", errorReader,
			`{"code":-31999,"message":"no hunter2","data":{"sql":"hunter2","n":9007199254740993},"x":1e2}`,
			`no hunter2|{"sql":"hunter2","n":9007199254740993}`,
			`{"code":-31999,"message":"no ***","data":{"sql":"***","n":9007199254740993},"x":1e2}`},
		{"an error whose data is a text", errorReader,
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
				t.Errorf("the filter was given %q, want %q", got, tc.seen)
			}
		})
	}
}

// A filter may leave something else than JSON of what was JSON.
func TestFilterLeavesNoJSON(t *testing.T) {
	for _, tc := range []struct {
		rule string
		read result.Reader
		raw  string
		want string
	}{
		{"a block becomes a text", result.Tool, `{"content":[{"type":"hologram"},{"type":"image","data":""}]}`,
			`{"content":[{"type":"text","text":"removed"},{"type":"image","data":""}]}`},
		{"data becomes a string", errorReader, `{"code":1,"data":{"a":1}}`, `{"code":1,"data":"removed"}`},
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

// A result of a million texts is no million runs and no million files: stages
// are given the first, filters all of them.
func TestManyParts(t *testing.T) {
	const maxParts = 1024 // that stages read
	const most = maxParts + 10
	raw := `{"content":[` + strings.Repeat(`{"type":"text","text":"a"},`, most-1) + `{"type":"text","text":"hunter2"}]}`
	for _, tc := range []struct {
		filtered bool
		runs     int
		last     string
		alone    int // runs of filters alone
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
			t.Errorf("filtered %t: %d runs, %d of filters alone, ends %.20q", tc.filtered, len(p.Seen()), only, res.Reply.Result[len(res.Reply.Result)-20:])
		}
	}
}
