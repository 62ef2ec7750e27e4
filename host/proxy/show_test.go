package proxy

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// shout is a stage that answers every Content in capitals.
func shout(c flow.Content) (flow.Shown, error) {
	return flow.Shown{Changed: true, Text: bytes.ToUpper(c.Bytes), Meta: flow.AnswerMeta{Kind: flow.AnswerIndex}}, nil
}

// odd shouts for every second part only.
func odd(c flow.Content) (flow.Shown, error) {
	if c.Part.Index%2 == 0 {
		return flow.Shown{}, nil
	}
	return shout(c)
}

const index = `"_meta":{"mcpctl/kind":"index"}`

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
			`{"a":1,"content":[{"annotations":{"x":1e2},"type":"text","text":"a\nb","y":0}],"z":[]}`, shout,
			`{"a":1,"content":[{"annotations":{"x":1e2},"type":"text","text":"A\nB","y":0}],"z":[],` + index + `}`, "a\nb"},
		{"structuredContent that changed becomes a text; blocks that repeat it go",
			`{"content":[{"type":"text","text":"{ \"k\": \"v\" }"},{"type":"image","data":"AA=="},{"type":"text","text":"v"},{"type":"text","text":"\n"}],"structuredContent":{"k":"v"},"isError":false}`, shout,
			`{"content":[{"type":"text","text":"{\"K\":\"V\"}"},{"type":"image","data":"AA=="}],"isError":false,` + index + `}`, `{"k":"v"}`},
		{"structuredContent that changed becomes a text; blocks that say something else are parts of their own",
			`{"content":[{"type":"text","text":"x","_meta":{"m":1}},{"type":"text","text":""},{"type":"text","text":"y"}],"structuredContent":{"k":"v"}}`, shout,
			`{"content":[{"type":"text","text":"{\"K\":\"V\"}",` + index + `},{"type":"text","text":"X","_meta":{"m":1,"mcpctl/kind":"index"}},{"type":"text","text":"Y",` + index + `}]}`, `{"k":"v"}|x|y`},
		{"a text that changed beside structuredContent that did not",
			`{"content":[{"type":"text","text":"x"}],"structuredContent":{"k":1}}`, odd,
			`{"content":[{"type":"text","text":"X"}],"structuredContent":{"k":1},` + index + `}`, `{"k":1}|x`},
		{"structuredContent unchanged: both go on",
			`{"content":[{"type":"text","text":"{\"k\": 1}"}],"structuredContent":{"k":1}}`, nil, "", `{"k":1}`},
		{"structuredContent alone",
			`{"structuredContent":[1]}`, shout, `{"content":[{"type":"text","text":"[1]"}],` + index + `}`, "[1]"},
		{"structuredContent null is none",
			`{"content":[{"type":"text","text":"x"}],"structuredContent":null}`, shout,
			`{"content":[{"type":"text","text":"X"}],"structuredContent":null,` + index + `}`, "x"},
		{"one of two parts changed: its _meta is the result's",
			`{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`, odd,
			`{"content":[{"type":"text","text":"a"},{"type":"text","text":"B"}],` + index + `}`, "a|b"},
		{"several parts changed: each block has its own",
			`{"content":[{"type":"text","text":"a"},{"type":"text","text":"b","_meta":{"m":1}}],"_meta":{"r":1}}`, shout,
			`{"content":[{"type":"text","text":"A",` + index + `},{"type":"text","text":"B","_meta":{"m":1,"mcpctl/kind":"index"}}],"_meta":{"r":1}}`, "a|b"},
		{"the server's _meta stays, ours joins it",
			`{"_meta":{"x":{"y":1}},"content":[{"type":"text","text":"a"}]}`, shout,
			`{"_meta":{"x":{"y":1},"mcpctl/kind":"index"},"content":[{"type":"text","text":"A"}]}`, "a"},
		{"a _meta that is no object gives way to ours",
			`{"content":[{"type":"text","text":"a","_meta":7},{"type":"text","text":"b","_meta":[1]}],"_meta":"x"}`, shout,
			`{"content":[{"type":"text","text":"A",` + index + `},{"type":"text","text":"B",` + index + `}],"_meta":"x"}`, "a|b"},
		{"keys of ours are taken out of every _meta",
			`{"_meta":{"mcpctl/kind":"leaf","x":1},"content":[{"type":"image","_meta":{"\u006dcpctl\/ref":"r"}},{"type":"text","text":"a","_meta":{"mcpctl/ref":"r"}}]}`, nil,
			`{"_meta":{"x":1},"content":[{"type":"image","_meta":{}},{"type":"text","text":"a","_meta":{}}]}`, "a"},
		{"a result with isError is content like any other, and stays one",
			`{"content":[{"type":"text","text":"no such file"}],"isError":true}`, shout,
			`{"content":[{"type":"text","text":"NO SUCH FILE"}],"isError":true,` + index + `}`, "no such file"},
		{"images, audio, links, blobs and unknown blocks are no text",
			`{"content":[{"type":"image","data":"a"},{"type":"audio","text":"a"},{"type":"resource_link","uri":"x"},{"type":"resource","resource":{"uri":"u","blob":"AA=="}},{"type":"hologram","text":"h"},7,null,[]]}`, shout, "", ""},
		{"the text of an embedded resource is, and an index of it has a type of its own",
			`{"content":[{"type":"resource","resource":{"uri":"u","mimeType":"application/json","text":"t","_meta":{"mcpctl/ref":"r"}}}]}`, shout,
			`{"content":[{"type":"resource","resource":{"uri":"u","mimeType":"text/plain","text":"T","_meta":{}}}],` + index + `}`, "t"},
		{"half a surrogate pair is no text: never altered, never given to a stage",
			`{"content":[{"type":"text","text":"\ud800"},{"type":"text","text":"b"}]}`, shout,
			`{"content":[{"type":"text","text":"\ud800"},{"type":"text","text":"B"}],` + index + `}`, "b"},
		{"an escaped key and type are what they say",
			`{"\u0063ontent":[{"t\u0079pe":"te\u0078t","tex\u0074":"a"}]}`, shout,
			`{"\u0063ontent":[{"t\u0079pe":"te\u0078t","tex\u0074":"A"}],` + index + `}`, "a"},
		{"no content at all: a task, or what a later protocol brings", `{"task":{"taskId":"1"}}`, shout, "", ""},
		{"content of a wrong kind goes on", `{"content":"text"}`, shout, "", ""},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			p := &testPipeline{stage: tc.stage, stored: map[string]flow.Content{}}
			res := show(t.Context(), p, flow.Scope{}, source{kind: abi.ToolResult, name: "s/t"}, toolLayout([]byte(tc.raw), false))
			want := tc.want
			if want == "" {
				want = tc.raw
			}
			if got := string(res.reply.Result); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			var parts []string
			for _, c := range p.seen {
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
		read            reader
	}{
		{"the text of each message",
			`{"description":"d","messages":[{"role":"user","content":{"type":"text","text":"a"}},{"role":"user","content":{"type":"image","data":"x"}}]}`,
			`{"description":"d","messages":[{"role":"user","content":{"type":"text","text":"A"}},{"role":"user","content":{"type":"image","data":"x"}}],` + index + `}`, promptLayout},
		{"a message of several blocks",
			`{"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}]}`,
			`{"messages":[{"role":"user","content":[{"type":"text","text":"A",` + index + `},{"type":"text","text":"B",` + index + `}]}]}`, promptLayout},
		{"the text of a resource; what it is now is no JSON",
			`{"contents":[{"uri":"file:///a","mimeType":"application/json","text":"{}x"},{"uri":"file:///b","blob":"AA=="}]}`,
			`{"contents":[{"uri":"file:///a","mimeType":"text/plain","text":"{}X"},{"uri":"file:///b","blob":"AA=="}],` + index + `}`, resourceLayout},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			p := &testPipeline{stage: shout, stored: map[string]flow.Content{}}
			res := show(context.Background(), p, flow.Scope{}, source{kind: abi.Resource, name: "n"}, tc.read([]byte(tc.raw), false))
			if got := string(res.reply.Result); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

// What a filter withholds, and what cannot be told to be safe, is never shown.
func TestWithheldResult(t *testing.T) {
	for rule, stage := range map[string]func(flow.Content) (flow.Shown, error){
		"a filter blocks":     func(flow.Content) (flow.Shown, error) { return flow.Shown{Blocked: "withheld"}, nil },
		"the pipeline failed": func(flow.Content) (flow.Shown, error) { return flow.Shown{}, errors.New("withheld") },
	} {
		t.Run(rule, func(t *testing.T) {
			ups := fakeUpstreams{"s": oneTool(func(context.Context, fakeCall) string {
				return `{"content":[{"type":"text","text":"the secret"}]}`
			}, "t")}
			r := newRig(t, ups, Project{Servers: []Server{{Name: "s"}}, Models: testModels{"*": {Runs: true}}}, Options{})
			r.pipeline.stage = stage
			got := r.open(t, "").ask("tools/call", `{"name":"s__t"}`)
			if want := `{"content":[{"type":"text","text":"withheld"}],"isError":true}`; at(got, "/result") != want {
				t.Errorf("got %s, want %s", got, want)
			}
			if ev := r.events.last(); !ev.Failed || ev.Error != "withheld" {
				t.Errorf("event does not say so: %+v", ev)
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
		p := &testPipeline{stored: map[string]flow.Content{}}
		if change {
			p.stage = shout
		}
		for _, read := range []reader{toolLayout, promptLayout, resourceLayout, anyErrorLayout} {
			for _, filtered := range []bool{false, true} {
				res := show(context.Background(), p, flow.Scope{}, source{}, read(raw, filtered))
				out := res.reply.Result
				if err := jsonspan.Valid(out); err != nil && res.blocked == "" {
					t.Fatalf("%s -> %s: %v", raw, out, err)
				}
				if !change && !mayForge(raw) && res.blocked == "" && !bytes.Equal(raw, out) {
					t.Fatalf("%s was changed to %s", raw, out)
				}
			}
		}
	})
}

// covers DRILLDOWN 3, hints
func TestHint(t *testing.T) {
	for _, tc := range []struct{ rule, args, want string }{
		{"by name, wherever it stands", `{"q":"a/b","path":"/etc/hosts"}`, "/etc/hosts"},
		{"by form where no name says it", `{"limit":3,"q":"two words","target":"docs/a.md"}`, "docs/a.md"},
		{"a URI", `{"x":"https://h/p?q=1"}`, "https://h/p?q=1"},
		{"a file name", `{"x":"flows.json"}`, "flows.json"},
		{"prose with a slash is none", `{"x":"either / or both"}`, ""},
		{"a version is none", `{"x":"1.2.3"}`, ""},
		{"an empty path is none", `{"path":"","y":1}`, ""},
		{"longer than any path", `{"path":"` + strings.Repeat("a/", 600) + `"}`, ""},
		{"none at all", `{}`, ""},
	} {
		c, err := decodeCall([]byte(`{"name":"t","arguments":` + tc.args + `}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := c.hint(); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.rule, got, tc.want)
		}
	}
}
