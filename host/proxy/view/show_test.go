package view

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/proxytest"
	"github.com/mcpctl/mcpctl/host/proxy/result"
)

const indexMeta = `"_meta":{"mcpctl/kind":"index"}`

// changeEverySecond changes every second part.
func changeEverySecond(c flow.Content) (flow.Shown, error) {
	if c.Part.Index%2 == 0 {
		return flow.Shown{}, nil
	}
	return proxytest.Shout(c)
}

func TestToolResult(t *testing.T) {
	for _, tc := range []struct {
		rule, raw string
		stage     func(flow.Content) (flow.Shown, error)
		want      string // "" for unchanged
		parts     string // that the stage got
	}{
		{"unchanged", `{ "content":[{"type":"text","text":"\u003ca>"}],"x":9007199254740993 }`, nil, "", "<a>"},
		{"text block",
			`{"a":1,"content":[{"annotations":{"x":1e2},"type":"text","text":"a\nb","y":0}],"z":[]}`, proxytest.Shout,
			`{"a":1,"content":[{"annotations":{"x":1e2},"type":"text","text":"A\nB","y":0}],"z":[],` + indexMeta + `}`, "a\nb"},
		{"changed structuredContent, repeated by blocks",
			`{"content":[{"type":"text","text":"{ \"k\": \"v\" }"},{"type":"image","data":"AA=="},{"type":"text","text":"v"},{"type":"text","text":"\n"}],"structuredContent":{"k":"v"},"isError":false}`, proxytest.Shout,
			`{"content":[{"type":"text","text":"{\"K\":\"V\"}"},{"type":"image","data":"AA=="}],"isError":false,` + indexMeta + `}`, `{"k":"v"}`},
		{"changed structuredContent, other blocks",
			`{"content":[{"type":"text","text":"x","_meta":{"m":1}},{"type":"text","text":""},{"type":"text","text":"y"}],"structuredContent":{"k":"v"}}`, proxytest.Shout,
			`{"content":[{"type":"text","text":"{\"K\":\"V\"}",` + indexMeta + `},{"type":"text","text":"X","_meta":{"m":1,"mcpctl/kind":"index"}},{"type":"text","text":"Y",` + indexMeta + `}]}`, `{"k":"v"}|x|y`},
		{"changed text, unchanged structuredContent",
			`{"content":[{"type":"text","text":"x"}],"structuredContent":{"k":1}}`, changeEverySecond,
			`{"content":[{"type":"text","text":"X"}],"structuredContent":{"k":1},` + indexMeta + `}`, `{"k":1}|x`},
		{"unchanged structuredContent",
			`{"content":[{"type":"text","text":"{\"k\": 1}"}],"structuredContent":{"k":1}}`, nil, "", `{"k":1}`},
		{"structuredContent only",
			`{"structuredContent":[1]}`, proxytest.Shout, `{"content":[{"type":"text","text":"[1]"}],` + indexMeta + `}`, "[1]"},
		{"structuredContent null",
			`{"content":[{"type":"text","text":"x"}],"structuredContent":null}`, proxytest.Shout,
			`{"content":[{"type":"text","text":"X"}],"structuredContent":null,` + indexMeta + `}`, "x"},
		{"one changed part",
			`{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`, changeEverySecond,
			`{"content":[{"type":"text","text":"a"},{"type":"text","text":"B"}],` + indexMeta + `}`, "a|b"},
		{"several changed parts",
			`{"content":[{"type":"text","text":"a"},{"type":"text","text":"b","_meta":{"m":1}}],"_meta":{"r":1}}`, proxytest.Shout,
			`{"content":[{"type":"text","text":"A",` + indexMeta + `},{"type":"text","text":"B","_meta":{"m":1,"mcpctl/kind":"index"}}],"_meta":{"r":1}}`, "a|b"},
		{"_meta of the server",
			`{"_meta":{"x":{"y":1}},"content":[{"type":"text","text":"a"}]}`, proxytest.Shout,
			`{"_meta":{"x":{"y":1},"mcpctl/kind":"index"},"content":[{"type":"text","text":"A"}]}`, "a"},
		{"_meta that is no object",
			`{"content":[{"type":"text","text":"a","_meta":7},{"type":"text","text":"b","_meta":[1]}],"_meta":"x"}`, proxytest.Shout,
			`{"content":[{"type":"text","text":"A",` + indexMeta + `},{"type":"text","text":"B",` + indexMeta + `}],"_meta":"x"}`, "a|b"},
		{"forged keys",
			`{"_meta":{"mcpctl/kind":"leaf","x":1},"content":[{"type":"image","_meta":{"\u006dcpctl\/ref":"r"}},{"type":"text","text":"a","_meta":{"mcpctl/ref":"r"}}]}`, nil,
			`{"_meta":{"x":1},"content":[{"type":"image","_meta":{}},{"type":"text","text":"a","_meta":{}}]}`, "a"},
		{"result with isError",
			`{"content":[{"type":"text","text":"no such file"}],"isError":true}`, proxytest.Shout,
			`{"content":[{"type":"text","text":"NO SUCH FILE"}],"isError":true,` + indexMeta + `}`, "no such file"},
		{"images, audio, links, blobs and unknown blocks",
			`{"content":[{"type":"image","data":"a"},{"type":"audio","text":"a"},{"type":"resource_link","uri":"x"},{"type":"resource","resource":{"uri":"u","blob":"AA=="}},{"type":"hologram","text":"h"},7,null,[]]}`, proxytest.Shout, "", ""},
		{"embedded resource",
			`{"content":[{"type":"resource","resource":{"uri":"u","mimeType":"application/json","text":"t","_meta":{"mcpctl/ref":"r"}}}]}`, proxytest.Shout,
			`{"content":[{"type":"resource","resource":{"uri":"u","mimeType":"text/plain","text":"T","_meta":{}}}],` + indexMeta + `}`, "t"},
		{"half a surrogate pair",
			`{"content":[{"type":"text","text":"\ud800"},{"type":"text","text":"b"}]}`, proxytest.Shout,
			`{"content":[{"type":"text","text":"\ud800"},{"type":"text","text":"B"}],` + indexMeta + `}`, "b"},
		{"escaped key and type",
			`{"\u0063ontent":[{"t\u0079pe":"te\u0078t","tex\u0074":"a"}]}`, proxytest.Shout,
			`{"\u0063ontent":[{"t\u0079pe":"te\u0078t","tex\u0074":"A"}],` + indexMeta + `}`, "a"},
		{"no content", `{"task":{"taskId":"1"}}`, proxytest.Shout, "", ""},
		{"content that is no array", `{"content":"text"}`, proxytest.Shout, "", ""},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			p := &proxytest.Pipeline{Stage: tc.stage}
			res := New(p, nil).Show(t.Context(), flow.Scope{}, result.Source{Type: abi.ToolResult, Name: "s/t"}, result.Tool([]byte(tc.raw), false))
			want := tc.want
			if want == "" {
				want = tc.raw
			}
			if got := string(res.Reply.Result); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			var parts []string
			for _, c := range p.Seen() {
				parts = append(parts, string(c.Bytes))
			}
			if got := strings.Join(parts, "|"); got != tc.parts {
				t.Errorf("the stage got %q, want %q", got, tc.parts)
			}
		})
	}
}

func TestPromptAndResourceResults(t *testing.T) {
	for _, tc := range []struct {
		rule, raw, want string
		read            result.Reader
	}{
		{"text of each message",
			`{"description":"d","messages":[{"role":"user","content":{"type":"text","text":"a"}},{"role":"user","content":{"type":"image","data":"x"}}]}`,
			`{"description":"d","messages":[{"role":"user","content":{"type":"text","text":"A"}},{"role":"user","content":{"type":"image","data":"x"}}],` + indexMeta + `}`, result.Prompt},
		{"message with several blocks",
			`{"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}]}`,
			`{"messages":[{"role":"user","content":[{"type":"text","text":"A",` + indexMeta + `},{"type":"text","text":"B",` + indexMeta + `}]}]}`, result.Prompt},
		{"text of a resource",
			`{"contents":[{"uri":"file:///a","mimeType":"application/json","text":"{}x"},{"uri":"file:///b","blob":"AA=="}]}`,
			`{"contents":[{"uri":"file:///a","mimeType":"text/plain","text":"{}X"},{"uri":"file:///b","blob":"AA=="}],` + indexMeta + `}`, result.Resource},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			p := &proxytest.Pipeline{Stage: proxytest.Shout}
			res := New(p, nil).Show(context.Background(), flow.Scope{}, result.Source{Type: abi.Resource, Name: "n"}, tc.read([]byte(tc.raw), false))
			if got := string(res.Reply.Result); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

// The output is always JSON. Without a change it equals the input, except for forged keys.
func FuzzToolResult(f *testing.F) {
	f.Add([]byte(`{"content":[{"type":"text","text":"a"}],"structuredContent":{},"_meta":{"mcpctl/x":1}}`), true)
	f.Add([]byte(`{"content":[{"type":"text","text":"a","_meta":{}},{"type":"text","text":"b"}],"_meta":7}`), true)
	f.Add([]byte(`[{"content":{"type":"text"}}]`), false)
	f.Fuzz(func(t *testing.T, raw []byte, change bool) {
		if jsonspan.Valid(raw) != nil {
			t.Skip()
		}
		p := &proxytest.Pipeline{}
		if change {
			p.Stage = proxytest.Shout
		}
		for _, read := range []result.Reader{result.Tool, result.Prompt, result.Resource, errorReader} {
			for _, filtered := range []bool{false, true} {
				res := New(p, nil).Show(context.Background(), flow.Scope{}, result.Source{}, read(raw, filtered))
				out := res.Reply.Result
				if err := jsonspan.Valid(out); err != nil && res.Blocked == "" {
					t.Fatalf("%s -> %s: %v", raw, out, err)
				}
				if !change && !result.MayForge(raw) && res.Blocked == "" && !bytes.Equal(raw, out) {
					t.Fatalf("%s was changed to %s", raw, out)
				}
			}
		}
	})
}
