package proxy

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// redact is a filter.
func redact(c flow.Content) (flow.Shown, error) {
	text := bytes.ReplaceAll(c.Bytes, []byte("hunter2"), []byte("***"))
	return flow.Shown{Changed: !bytes.Equal(text, c.Bytes), Text: text}, nil
}

// anyErrorLayout is errorLayout as a reader.
func anyErrorLayout(raw []byte, _ bool) *layout { return errorLayout(raw) }

// covers T25: what a filter is given besides what stages are. The parts that
// stages are given too are in capitals.
func TestFilterSeesAllThatAClientCouldShow(t *testing.T) {
	for _, tc := range []struct {
		rule string
		read reader
		raw  string
		seen string
		want string // "" for unchanged
	}{
		{"the texts beside structuredContent", toolLayout,
			`{"content":[{"type":"text","text":"hunter2"}],"structuredContent":{"ok":true}}`,
			`{"OK":TRUE}|HUNTER2`,
			`{"content":[{"type":"text","text":"***"}],"structuredContent":{"ok":true}}`},
		{"structuredContent that changed, beside a text that repeats it and an embedded resource", toolLayout,
			`{"content":[{"type":"text","text":"hunter2"},{"type":"resource","resource":{"uri":"x:1","text":"hunter2"}}],"structuredContent":{"p":"hunter2"}}`,
			`{"P":"HUNTER2"}|hunter2`,
			`{"content":[{"type":"text","text":"{\"p\":\"***\"}"},{"type":"resource","resource":{"uri":"x:1","text":"***"}}]}`},
		{"structuredContent that changed, beside other texts", toolLayout,
			`{"content":[{"type":"text","text":"a hunter2"},{"type":"text","text":["hunter2"]}],"structuredContent":{"p":"hunter2"}}`,
			`{"P":"HUNTER2"}|A HUNTER2|{"type":"text","text":["hunter2"]}`,
			`{"content":[{"type":"text","text":"{\"p\":\"***\"}"},{"type":"text","text":"a ***"},{"type":"text","text":["***"]}]}`},
		{"an embedded resource", toolLayout,
			`{"content":[{"type":"resource","resource":{"text":"a hunter2","uri":"x:1","mimeType":"text/x"},"annotations":{}}]}`,
			`A HUNTER2`,
			`{"content":[{"type":"resource","resource":{"text":"a ***","uri":"x:1","mimeType":"text/x"},"annotations":{}}]}`},
		{"a block of a type unknown to us stays one if it is still JSON", toolLayout,
			`{"content":[{"type":"hologram","says":"hunter2","_meta":{"mcpctl/ref":"r","x":1}}]}`,
			`{"type":"hologram","says":"hunter2","_meta":{"mcpctl/ref":"r","x":1}}`,
			`{"content":[{"type":"hologram","says":"***","_meta":{"x":1}}]}`},
		{"a text that is none, a block that is none", toolLayout,
			`{"content":[{"type":"text","text":["hunter2"]},"hunter2"]}`,
			`{"type":"text","text":["hunter2"]}|"hunter2"`,
			`{"content":[{"type":"text","text":["***"]},"***"]}`},
		{"content that is no list", toolLayout, `{"content":"hunter2"}`, "hunter2", `{"content":"***"}`},
		{"content that is no list beside structuredContent that changed", toolLayout,
			`{"content":{"p":"hunter2"},"structuredContent":["hunter2"]}`, `["HUNTER2"]|{"p":"hunter2"}`,
			`{"content":[{"type":"text","text":"[\"***\"]"}]}`},
		{"what a failing tool says", toolLayout,
			`{"content":[{"type":"text","text":"hunter2"}],"isError":true}`, `HUNTER2`,
			`{"content":[{"type":"text","text":"***"}],"isError":true}`},
		{"images, audio, links and blobs hold no text", toolLayout,
			`{"content":[{"type":"image","data":"hunter2"},{"type":"audio","data":"a"},{"type":"resource_link","uri":"x:hunter2"},{"type":"resource","resource":{"uri":"x:1","blob":"AA=="}},null]}`, ``, ``},
		{"a prompt: description, texts, embedded resources", promptLayout,
			`{"description":"d hunter2","messages":[{"role":"user","content":{"type":"text","text":"hunter2"}},{"role":"user","content":{"type":"resource","resource":{"uri":"x:1","text":"r hunter2"}}}]}`,
			`d hunter2|HUNTER2|R HUNTER2`,
			`{"description":"d ***","messages":[{"role":"user","content":{"type":"text","text":"***"}},{"role":"user","content":{"type":"resource","resource":{"uri":"x:1","text":"r ***"}}}]}`},
		{"a resource", resourceLayout,
			`{"contents":[{"uri":"x:1","text":"hunter2"},{"uri":"x:2","blob":"AA=="},{"uri":"x:3","text":["hunter2"]}]}`,
			`HUNTER2|["hunter2"]`,
			`{"contents":[{"uri":"x:1","text":"***"},{"uri":"x:2","blob":"AA=="},{"uri":"x:3","text":["***"]}]}`},
		{"an error: message and data", anyErrorLayout,
			`{"code":-31999,"message":"no hunter2","data":{"sql":"hunter2","n":9007199254740993},"x":1e2}`,
			`no hunter2|{"sql":"hunter2","n":9007199254740993}`,
			`{"code":-31999,"message":"no ***","data":{"sql":"***","n":9007199254740993},"x":1e2}`},
		{"an error whose data is a text", anyErrorLayout,
			`{"code":1,"message":"m","data":"a\nhunter2"}`, "m|a\nhunter2", `{"code":1,"message":"m","data":"a\n***"}`},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			p := &testPipeline{stage: redact, stored: map[string]flow.Content{}}
			res := show(t.Context(), p, flow.Scope{}, source{kind: abi.ToolResult, name: "s/t"}, tc.read([]byte(tc.raw), true))
			if tc.want == "" {
				tc.want = tc.raw
			}
			if got := string(res.reply.Result); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
			var seen []string
			for _, c := range p.seen {
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
		read reader
		raw  string
		want string
	}{
		{"a block becomes a text", toolLayout, `{"content":[{"type":"hologram"},{"type":"image","data":""}]}`,
			`{"content":[{"type":"text","text":"removed"},{"type":"image","data":""}]}`},
		{"data becomes a string", anyErrorLayout, `{"code":1,"data":{"a":1}}`, `{"code":1,"data":"removed"}`},
	} {
		p := &testPipeline{stored: map[string]flow.Content{}, stage: func(flow.Content) (flow.Shown, error) {
			return flow.Shown{Changed: true, Text: []byte("removed")}, nil
		}}
		res := show(t.Context(), p, flow.Scope{}, source{}, tc.read([]byte(tc.raw), true))
		if got := string(res.reply.Result); got != tc.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tc.rule, got, tc.want)
		}
	}
}

// failing is a server whose answers to a call, a prompt and a resource quote a
// secret each in its own way.
func failing(said string) *fakeServer {
	return scripted(map[string]string{
		"tools/list": `{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}`, "prompts/list": `{"prompts":[{"name":"p"}]}`, "resources/list": `{"resources":[{"uri":"x:1"}]}`,
		"tools/call": said, "prompts/get": said, "resources/read": said, "tasks/result": said,
	})
}

// Whatever is asked, an error of the server passes the filters or is withheld.
// covers T25
func TestErrorsPassTheFilters(t *testing.T) {
	questions := map[string]string{"tools/call": `{"name":"s__t"}`, "prompts/get": `{"name":"s__p"}`, "resources/read": `{"uri":"x:1"}`, "tasks/result": `{"taskId":"1"}`}
	for _, tc := range []struct {
		rule   string
		server string
		stage  func(flow.Content) (flow.Shown, error)
		models Model
		want   string
	}{
		{"a filter", `error:{"code":-31999,"message":"no hunter2"}`, redact, Model{Runs: true, Filters: true}, "no ***"},
		{"a filter that blocks", `error:{"code":-31999,"message":"no hunter2"}`,
			func(flow.Content) (flow.Shown, error) { return flow.Shown{Blocked: "withheld"}, nil }, Model{Runs: true, Filters: true}, "withheld"},
		{"half a surrogate pair, which no filter can read", `error:{"code":-31999,"message":"hunter2 \ud800"}`, redact, Model{Runs: true, Filters: true}, "withheld"},
		{"stages alone: as it came", `error:{"code":-31999,"message":"no hunter2"}`, redact, Model{Runs: true}, "no hunter2"},
		{"nothing: as it came", `error:{"code":-31999,"message":"no hunter2"}`, redact, Model{}, "no hunter2"},
	} {
		for method, params := range questions {
			t.Run(tc.rule+", "+method, func(t *testing.T) {
				r := newRig(t, fakeUpstreams{"s": failing(tc.server)}, Project{Servers: []Server{{Name: "s"}}, Models: testModels{"*": tc.models}}, Options{})
				r.pipeline.stage = tc.stage
				got := r.open(t, "").ask(method, params)
				ev := r.events.last()
				if !strings.Contains(got, tc.want) || !strings.Contains(ev.Error, tc.want) {
					t.Errorf("got %s, event %q, want %q in it", got, ev.Error, tc.want)
				}
				if leaks := strings.Contains(got+ev.Error, "hunter2"); leaks != !tc.models.Filters {
					t.Errorf("the secret is there: %t: %s %s", leaks, got, ev.Error)
				}
			})
		}
	}
}

// A connection that breaks may quote what the server said instead of an answer.
func TestErrorsOfTheConnectionPassTheFilters(t *testing.T) {
	server := failing(``)
	r := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}, Models: testModels{"*": {Runs: true, Filters: true}}}, Options{})
	r.pipeline.stage = func(c flow.Content) (flow.Shown, error) {
		return flow.Shown{Changed: true, Text: bytes.ReplaceAll(c.Bytes, []byte("connection closed"), []byte("***"))}, nil
	}
	server.becomes(func(_ context.Context, c fakeCall) flow.Reply {
		if c.method == "tools/list" {
			return flow.Reply{Result: []byte(`{"tools":[{"name":"t"}]}`)}
		}
		return flow.Reply{}
	})
	got := r.open(t, "").ask("tools/call", `{"name":"s__t"}`)
	if at(got, "/result/isError") != "true" || !strings.Contains(got, "unavailable: ***") {
		t.Errorf("got %s", got)
	}
	if ev := r.events.last(); !ev.Failed || !strings.Contains(ev.Error, "unavailable: ***") {
		t.Errorf("event: %+v", ev)
	}
}

// What runs over a resource was decided by the URI that was asked for: a server
// that answers with another one does not choose its proxymodel.
func TestResourceIsWhatWasAskedFor(t *testing.T) {
	server := scripted(map[string]string{"resources/list": `{"resources":[{"uri":"x:1"}]}`, "resources/read": `{"contents":[{"uri":"x:public","text":"a"}]}`})
	r := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}, Models: testModels{"x:1": {Runs: true}}}, Options{})
	r.open(t, "").ask("resources/read", `{"uri":"x:1"}`)
	if c := r.pipeline.seen; len(c) != 1 || c[0].Source != "x:1" || c[0].Hint != "x:public" {
		t.Errorf("given as %+v", c)
	}
}

// A result of a million texts is no million runs and no million files: stages
// are given the first, filters all of them.
func TestManyParts(t *testing.T) {
	const most = maxParts + 10
	raw := `{"content":[` + strings.Repeat(`{"type":"text","text":"a"},`, most-1) + `{"type":"text","text":"hunter2"}]}`
	for _, tc := range []struct {
		filtered bool
		runs     int
		last     string
		alone    int // runs of filters alone
	}{{false, maxParts, "hunter2", 0}, {true, most, "***", most - maxParts}} {
		p := &testPipeline{stage: redact, stored: map[string]flow.Content{}}
		res := show(t.Context(), p, flow.Scope{}, source{kind: abi.ToolResult}, toolLayout([]byte(raw), tc.filtered))
		only := 0
		for _, c := range p.seen {
			if c.OnlyFilters {
				only++
			}
		}
		if len(p.seen) != tc.runs || only != tc.alone || !strings.HasSuffix(string(res.reply.Result), `"`+tc.last+`"}]}`) {
			t.Errorf("filtered %t: %d runs, %d of filters alone, ends %.20q", tc.filtered, len(p.seen), only, res.reply.Result[len(res.reply.Result)-20:])
		}
	}
}

// What a task answers passes the filters of the tool that it is a call of, also
// in the session after the one that made it.
func TestTaskPassesTheFiltersOfItsTool(t *testing.T) {
	server := scripted(map[string]string{
		"tools/list": `{"tools":[{"name":"t"},{"name":"u"}]}`, "tools/call": `{"task":{"taskId":"7","status":"working"}}`,
		"tasks/result": `{"content":[{"type":"text","text":"hunter2"}]}`,
	})
	r := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}, Models: testModels{"s/t": {Runs: true, Filters: true}}}, Options{})
	r.pipeline.stage = redact
	first := r.open(t, "")
	first.ask("tools/call", `{"name":"s__t","task":{}}`)
	for _, c := range []*testClient{first, r.open(t, "")} {
		if got := at(c.ask("tasks/result", `{"taskId":"7"}`), "/result/content/0/text"); got != `"***"` {
			t.Errorf("got %s", got)
		}
	}
	if got := at(first.ask("tasks/result", `{"taskId":"8"}`), "/result/content/0/text"); got != `"hunter2"` {
		t.Errorf("another task, which has no filter: %s", got)
	}
}

// The text of a task's state passes no filter, so it is withheld where one reads the call
// that became the task, and goes on elsewhere.
func TestStatusTextOfATaskIsWithheld(t *testing.T) {
	for filters, want := range map[bool]string{true: `{"taskId":"7","status":"working"}`, false: `{"taskId":"7","status":"working","statusMessage":"hunter2"}`} {
		const state = `{"taskId":"7","status":"working","statusMessage":"hunter2"}`
		server := scripted(map[string]string{"tools/list": `{"tools":[{"name":"t"}]}`, "tools/call": `{"task":` + state + `}`,
			"tasks/get": state, "tasks/cancel": state, "tasks/result": `{"content":[]}`})
		answer := server.answer
		server.answer = func(ctx context.Context, c fakeCall) flow.Reply {
			if c.method == "tasks/result" {
				c.peer.Notify(taskStatus, json.RawMessage(state))
			}
			return answer(ctx, c)
		}
		r := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}, Models: testModels{"s/t": {Runs: true, Filters: filters}}}, Options{})
		r.pipeline.stage = redact
		c := r.open(t, "")
		if made := c.ask("tools/call", `{"name":"s__t","task":{}}`); strings.Contains(made, "hunter2") == filters {
			t.Errorf("tools/call, filters %t: %s", filters, made)
		}
		for _, method := range []string{"tasks/get", "tasks/cancel"} {
			if got := at(c.ask(method, `{"taskId":"7"}`), "/result"); got != want {
				t.Errorf("%s, filters %t: %s", method, filters, got)
			}
		}
		res := c.post(`{"jsonrpc":"2.0","id":"r","method":"tasks/result","params":{"taskId":"7"}}`)
		stream := &events{r: bufio.NewReader(res.Body), c: res.Body}
		if got := at(stream.must(t), "/params"); got != want {
			t.Errorf("notification, filters %t: %s", filters, got)
		}
	}
}
