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

// odd shouts for every second part only.
func odd(c flow.Content) (flow.Shown, error) {
	if c.Part.Index%2 == 0 {
		return flow.Shown{}, nil
	}
	return proxytest.Shout(c)
}

// covers d-7, CLIENTS acceptance 9
func TestToolResult(t *testing.T) {
	for _, tc := range []struct {
		rule, raw string
		stage     func(flow.Content) (flow.Shown, error)
		want      string // "" for unchanged
		parts     string // what the stage was given
	}{
		{"unchanged goes on byte for byte", `{ "content":[{"type":"text","text":"\u003ca>"}],"x":9007199254740993 }`, nil, "", "<a>"},
		{"text is replaced in its block, all else stays",
			`{"a":1,"content":[{"annotations":{"x":1e2},"type":"text","text":"a\nb","y":0}],"z":[]}`, proxytest.Shout,
			`{"a":1,"content":[{"annotations":{"x":1e2},"type":"text","text":"A\nB","y":0}],"z":[],` + indexMeta + `}`, "a\nb"},
		{"structuredContent that changed becomes a text; blocks that repeat it go",
			`{"content":[{"type":"text","text":"{ \"k\": \"v\" }"},{"type":"image","data":"AA=="},{"type":"text","text":"v"},{"type":"text","text":"\n"}],"structuredContent":{"k":"v"},"isError":false}`, proxytest.Shout,
			`{"content":[{"type":"text","text":"{\"K\":\"V\"}"},{"type":"image","data":"AA=="}],"isError":false,` + indexMeta + `}`, `{"k":"v"}`},
		{"structuredContent that changed becomes a text; blocks that say something else are parts of their own",
			`{"content":[{"type":"text","text":"x","_meta":{"m":1}},{"type":"text","text":""},{"type":"text","text":"y"}],"structuredContent":{"k":"v"}}`, proxytest.Shout,
			`{"content":[{"type":"text","text":"{\"K\":\"V\"}",` + indexMeta + `},{"type":"text","text":"X","_meta":{"m":1,"mcpctl/kind":"index"}},{"type":"text","text":"Y",` + indexMeta + `}]}`, `{"k":"v"}|x|y`},
		{"a text that changed beside structuredContent that did not",
			`{"content":[{"type":"text","text":"x"}],"structuredContent":{"k":1}}`, odd,
			`{"content":[{"type":"text","text":"X"}],"structuredContent":{"k":1},` + indexMeta + `}`, `{"k":1}|x`},
		{"structuredContent unchanged: both go on",
			`{"content":[{"type":"text","text":"{\"k\": 1}"}],"structuredContent":{"k":1}}`, nil, "", `{"k":1}`},
		{"structuredContent alone",
			`{"structuredContent":[1]}`, proxytest.Shout, `{"content":[{"type":"text","text":"[1]"}],` + indexMeta + `}`, "[1]"},
		{"structuredContent null is none",
			`{"content":[{"type":"text","text":"x"}],"structuredContent":null}`, proxytest.Shout,
			`{"content":[{"type":"text","text":"X"}],"structuredContent":null,` + indexMeta + `}`, "x"},
		{"one of two parts changed: its _meta is the result's",
			`{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`, odd,
			`{"content":[{"type":"text","text":"a"},{"type":"text","text":"B"}],` + indexMeta + `}`, "a|b"},
		{"several parts changed: each block has its own",
			`{"content":[{"type":"text","text":"a"},{"type":"text","text":"b","_meta":{"m":1}}],"_meta":{"r":1}}`, proxytest.Shout,
			`{"content":[{"type":"text","text":"A",` + indexMeta + `},{"type":"text","text":"B","_meta":{"m":1,"mcpctl/kind":"index"}}],"_meta":{"r":1}}`, "a|b"},
		{"the server's _meta stays, ours joins it",
			`{"_meta":{"x":{"y":1}},"content":[{"type":"text","text":"a"}]}`, proxytest.Shout,
			`{"_meta":{"x":{"y":1},"mcpctl/kind":"index"},"content":[{"type":"text","text":"A"}]}`, "a"},
		{"a _meta that is no object gives way to ours",
			`{"content":[{"type":"text","text":"a","_meta":7},{"type":"text","text":"b","_meta":[1]}],"_meta":"x"}`, proxytest.Shout,
			`{"content":[{"type":"text","text":"A",` + indexMeta + `},{"type":"text","text":"B",` + indexMeta + `}],"_meta":"x"}`, "a|b"},
		{"keys of ours are taken out of every _meta",
			`{"_meta":{"mcpctl/kind":"leaf","x":1},"content":[{"type":"image","_meta":{"\u006dcpctl\/ref":"r"}},{"type":"text","text":"a","_meta":{"mcpctl/ref":"r"}}]}`, nil,
			`{"_meta":{"x":1},"content":[{"type":"image","_meta":{}},{"type":"text","text":"a","_meta":{}}]}`, "a"},
		{"a result with isError is content like any other, and stays one",
			`{"content":[{"type":"text","text":"no such file"}],"isError":true}`, proxytest.Shout,
			`{"content":[{"type":"text","text":"NO SUCH FILE"}],"isError":true,` + indexMeta + `}`, "no such file"},
		{"images, audio, links, blobs and unknown blocks are no text",
			`{"content":[{"type":"image","data":"a"},{"type":"audio","text":"a"},{"type":"resource_link","uri":"x"},{"type":"resource","resource":{"uri":"u","blob":"AA=="}},{"type":"hologram","text":"h"},7,null,[]]}`, proxytest.Shout, "", ""},
		{"the text of an embedded resource is, and an index of it has a type of its own",
			`{"content":[{"type":"resource","resource":{"uri":"u","mimeType":"application/json","text":"t","_meta":{"mcpctl/ref":"r"}}}]}`, proxytest.Shout,
			`{"content":[{"type":"resource","resource":{"uri":"u","mimeType":"text/plain","text":"T","_meta":{}}}],` + indexMeta + `}`, "t"},
		{"half a surrogate pair is no text: never altered, never given to a stage",
			`{"content":[{"type":"text","text":"\ud800"},{"type":"text","text":"b"}]}`, proxytest.Shout,
			`{"content":[{"type":"text","text":"\ud800"},{"type":"text","text":"B"}],` + indexMeta + `}`, "b"},
		{"an escaped key and type are what they say",
			`{"\u0063ontent":[{"t\u0079pe":"te\u0078t","tex\u0074":"a"}]}`, proxytest.Shout,
			`{"\u0063ontent":[{"t\u0079pe":"te\u0078t","tex\u0074":"A"}],` + indexMeta + `}`, "a"},
		{"no content at all: a task, or what a later protocol brings", `{"task":{"taskId":"1"}}`, proxytest.Shout, "", ""},
		{"content of a wrong kind goes on", `{"content":"text"}`, proxytest.Shout, "", ""},
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
				t.Errorf("stage was given %q, want %q", got, tc.parts)
			}
		})
	}
}

func TestPromptAndResourceResults(t *testing.T) {
	for _, tc := range []struct {
		rule, raw, want string
		read            result.Reader
	}{
		{"the text of each message",
			`{"description":"d","messages":[{"role":"user","content":{"type":"text","text":"a"}},{"role":"user","content":{"type":"image","data":"x"}}]}`,
			`{"description":"d","messages":[{"role":"user","content":{"type":"text","text":"A"}},{"role":"user","content":{"type":"image","data":"x"}}],` + indexMeta + `}`, result.Prompt},
		{"a message of several blocks",
			`{"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}]}`,
			`{"messages":[{"role":"user","content":[{"type":"text","text":"A",` + indexMeta + `},{"type":"text","text":"B",` + indexMeta + `}]}]}`, result.Prompt},
		{"the text of a resource; what it is now is no JSON",
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

// Whatever a server answers, what comes out is JSON, and without a change it is
// what came in but for keys of ours.
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
