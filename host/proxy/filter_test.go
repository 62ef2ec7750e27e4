package proxy

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy/proxytest"
)

// failingServer returns a server with the same answer to a call, a prompt, a resource and a
// task.
func failingServer(answer string) *fakeServer {
	return scriptedServer(map[string]string{
		"tools/list": `{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}`, "prompts/list": `{"prompts":[{"name":"p"}]}`, "resources/list": `{"resources":[{"uri":"x:1"}]}`,
		"tools/call": answer, "prompts/get": answer, "resources/read": answer, "tasks/result": answer,
	})
}

// An error of the server passes the filters or is withheld, for every kind of request.
func TestErrorsPassFilters(t *testing.T) {
	questions := map[string]string{"tools/call": `{"name":"s__t"}`, "prompts/get": `{"name":"s__p"}`, "resources/read": `{"uri":"x:1"}`, "tasks/result": `{"taskId":"1"}`}
	for _, tc := range []struct {
		rule   string
		server string
		stage  func(flow.Content) (flow.Shown, error)
		models Model
		want   string
	}{
		{"filter", `error:{"code":-31999,"message":"no hunter2"}`, proxytest.Hide, Model{Runs: true, Filters: true}, "no ***"},
		{"blocking filter", `error:{"code":-31999,"message":"no hunter2"}`,
			func(flow.Content) (flow.Shown, error) { return flow.Shown{Blocked: "withheld"}, nil }, Model{Runs: true, Filters: true}, "withheld"},
		{"half a surrogate pair", `error:{"code":-31999,"message":"hunter2 \ud800"}`, proxytest.Hide, Model{Runs: true, Filters: true}, "withheld"},
		{"stages only", `error:{"code":-31999,"message":"no hunter2"}`, proxytest.Hide, Model{Runs: true}, "no hunter2"},
		{"no pipeline", `error:{"code":-31999,"message":"no hunter2"}`, proxytest.Hide, Model{}, "no hunter2"},
	} {
		for method, params := range questions {
			t.Run(tc.rule+", "+method, func(t *testing.T) {
				r := newRig(t, fakeUpstreams{"s": failingServer(tc.server)}, Project{Servers: []Server{{Name: "s"}}, Models: testModels{"*": tc.models}}, Options{})
				r.pipeline.Stage = tc.stage
				got := r.open(t, "").ask(method, params)
				ev := r.events.last()
				if !strings.Contains(got, tc.want) || !strings.Contains(ev.Error, tc.want) {
					t.Errorf("got %s, event %q, want %q in it", got, ev.Error, tc.want)
				}
				if leaks := strings.Contains(got+ev.Error, "hunter2"); leaks != !tc.models.Filters {
					t.Errorf("contains the secret: %t: %s %s", leaks, got, ev.Error)
				}
			})
		}
	}
}

// The error of a broken connection may quote the server.
func TestErrorsOfConnectionPassFilters(t *testing.T) {
	server := failingServer(``)
	r := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}, Models: testModels{"*": {Runs: true, Filters: true}}}, Options{})
	r.pipeline.Stage = func(c flow.Content) (flow.Shown, error) {
		return flow.Shown{Changed: true, Text: bytes.ReplaceAll(c.Bytes, []byte("connection closed"), []byte("***"))}, nil
	}
	server.setAnswer(func(_ context.Context, c fakeCall) flow.Reply {
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

// The requested URI decides which proxymodel runs. A server that answers with another URI
// does not change it.
func TestRequestedURISelectsProxyModel(t *testing.T) {
	server := scriptedServer(map[string]string{"resources/list": `{"resources":[{"uri":"x:1"}]}`, "resources/read": `{"contents":[{"uri":"x:public","text":"a"}]}`})
	r := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}, Models: testModels{"x:1": {Runs: true}}}, Options{})
	r.open(t, "").ask("resources/read", `{"uri":"x:1"}`)
	if c := r.pipeline.Seen(); len(c) != 1 || c[0].Source != "x:1" || c[0].Hint != "x:public" {
		t.Errorf("contents: %+v", c)
	}
}

// The result of a task passes the filters of its tool, also in a later session.
func TestTaskPassesFiltersOfItsTool(t *testing.T) {
	server := scriptedServer(map[string]string{
		"tools/list": `{"tools":[{"name":"t"},{"name":"u"}]}`, "tools/call": `{"task":{"taskId":"7","status":"working"}}`,
		"tasks/result": `{"content":[{"type":"text","text":"hunter2"}]}`,
	})
	r := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}, Models: testModels{"s/t": {Runs: true, Filters: true}}}, Options{})
	r.pipeline.Stage = proxytest.Hide
	first := r.open(t, "")
	first.ask("tools/call", `{"name":"s__t","task":{}}`)
	for _, c := range []*testClient{first, r.open(t, "")} {
		if got := at(c.ask("tasks/result", `{"taskId":"7"}`), "/result/content/0/text"); got != `"***"` {
			t.Errorf("got %s", got)
		}
	}
	if got := at(first.ask("tasks/result", `{"taskId":"8"}`), "/result/content/0/text"); got != `"hunter2"` {
		t.Errorf("another task without filters: %s", got)
	}
}

// No filter reads the text of a task's state. It is withheld if a filter reads the call
// that became the task.
func TestStatusTextOfTaskIsWithheld(t *testing.T) {
	for filters, want := range map[bool]string{true: `{"taskId":"7","status":"working"}`, false: `{"taskId":"7","status":"working","statusMessage":"hunter2"}`} {
		const state = `{"taskId":"7","status":"working","statusMessage":"hunter2"}`
		server := scriptedServer(map[string]string{"tools/list": `{"tools":[{"name":"t"}]}`, "tools/call": `{"task":` + state + `}`,
			"tasks/get": state, "tasks/cancel": state, "tasks/result": `{"content":[]}`})
		answer := server.answer
		server.answer = func(ctx context.Context, c fakeCall) flow.Reply {
			if c.method == "tasks/result" {
				c.peer.Notify(taskStatus, json.RawMessage(state))
			}
			return answer(ctx, c)
		}
		r := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}, Models: testModels{"s/t": {Runs: true, Filters: filters}}}, Options{})
		r.pipeline.Stage = proxytest.Hide
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
