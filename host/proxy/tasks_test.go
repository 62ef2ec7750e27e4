package proxy

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	gomcp "github.com/mark3labs/mcp-go/mcp"
	goserver "github.com/mark3labs/mcp-go/server"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/upstream"
)

// taskServer is a real server with one tool that runs as a task, and one task per page.
func taskServer(t *testing.T, answer string) *httptest.Server {
	s := goserver.NewMCPServer(answer, "1", goserver.WithTaskCapabilities(true, true, true), goserver.WithPaginationLimit(1))
	tool := gomcp.NewTool("slow", gomcp.WithTaskSupport(gomcp.TaskSupportRequired))
	s.AddTool(tool, func(context.Context, gomcp.CallToolRequest) (*gomcp.CallToolResult, error) {
		return gomcp.NewToolResultText(answer), nil
	})
	web := httptest.NewServer(goserver.NewStreamableHTTPServer(s))
	t.Cleanup(web.Close)
	return web
}

// With two real servers with tasks and one without: requests reach the task's server, the
// lists are joined, and an unavailable server is named.
func TestTasksOfSeveralServers(t *testing.T) {
	x, y := taskServer(t, "of x"), taskServer(t, "of y")
	plain := httptest.NewServer(goserver.NewStreamableHTTPServer(goserver.NewMCPServer("z", "1", goserver.WithToolCapabilities(true))))
	t.Cleanup(plain.Close)
	r := newRig(t, realUpstreams{"x": upstream.Config{URL: x.URL}, "y": upstream.Config{URL: y.URL}, "z": upstream.Config{URL: plain.URL}},
		Project{Servers: []Server{{Name: "x"}, {Name: "y"}, {Name: "z"}}}, Options{})
	c := r.dial(t)
	if hello := c.initialize(""); at(hello, "/result/capabilities/tasks") != `{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}` {
		t.Fatalf("capability tasks: %s", at(hello, "/result/capabilities"))
	}
	ids := map[string]string{}
	for _, server := range []string{"x", "x", "y"} {
		made := c.ask("tools/call", `{"name":"`+server+`__slow","arguments":{},"task":{"ttl":60000}}`)
		ids[server] = at(made, "/result/task/taskId")
		if ids[server] == "" {
			t.Fatalf("no task: %s", made)
		}
	}
	for server, id := range ids {
		if got := c.ask("tasks/result", `{"taskId":`+id+`}`); at(got, "/result/content/0/text") != `"of `+server+`"` {
			t.Errorf("tasks/result of %s: %s", server, got)
		}
		if got := c.ask("tasks/get", `{"taskId":`+id+`}`); at(got, "/result/taskId") != id {
			t.Errorf("tasks/get of %s: %s", server, got)
		}
	}
	list := c.ask("tasks/list", `{}`)
	if !strings.Contains(list, ids["x"]) || !strings.Contains(list, ids["y"]) || at(list, "/result/tasks/2") == "" || at(list, "/result/nextCursor") != "" {
		t.Errorf("tasks/list: %s", list)
	}
	if got := c.ask("tasks/cancel", `{"taskId":"no-such"}`); at(got, "/error/message") != `"task not found: \"no-such\""` || at(got, "/error/code") != "-32602" {
		t.Errorf("cancel of an unknown task: %s", got)
	}
	y.CloseClientConnections()
	y.Close()
	got := c.ask("tasks/result", `{"taskId":`+ids["y"]+`}`)
	if !strings.Contains(at(got, "/error/message"), `server \"y\": tasks/result: unavailable`) {
		t.Errorf("tasks/result of an unavailable server: %s", got)
	}
	if list := c.ask("tasks/list", `{}`); !strings.Contains(list, ids["x"]) || strings.Contains(list, ids["y"]) {
		t.Errorf("tasks/list without y: %s", list)
	}
	if last := r.events.last(); len(last.Stale) != 1 || last.Stale[0] != "y" {
		t.Errorf("the event does not name the omitted server: %+v", last)
	}
}

// pollableServer returns a server with one task. When the result of the task is
// requested, it calls the function during.
func pollableServer(id string, during func(ctx context.Context, p Peer)) *fakeServer {
	server := scriptedServer(map[string]string{"tools/list": `{"tools":[{"name":"t"}]}`, "tools/call": `{"task":{"taskId":"` + id + `","status":"working"}}`,
		"tasks/get": `{"taskId":"` + id + `"}`, "tasks/result": `{"content":[]}`})
	answer := server.answer
	server.answer = func(ctx context.Context, c fakeCall) flow.Reply {
		if c.method == "tasks/result" {
			during(ctx, c.peer)
		}
		return answer(ctx, c)
	}
	return server
}

// A task id that differs between client and server is replaced in every message, in both
// directions. Other messages are unchanged.
func TestTaskIDIsReplacedInAllMessages(t *testing.T) {
	const related = `"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"1"}}`
	replied := make(chan flow.Reply, 1)
	speak := func(ctx context.Context, p Peer) {
		p.Notify("notifications/tasks/status", json.RawMessage(`{"taskId":"1","status":"working",`+related+`}`))
		p.Notify("notifications/message", json.RawMessage(`{"level":"info","data":"1",`+related+`}`))
		replied <- p.Request(ctx, "elicitation/create", json.RawMessage(`{"message":"1",`+related+`}`))
	}
	x, y := pollableServer("1", speak), pollableServer("1", speak)
	c := newRig(t, fakeUpstreams{"x": x, "y": y}, Project{Servers: []Server{{Name: "x"}, {Name: "y"}}}, Options{}).open(t, `{"elicitation":{}}`)
	c.ask("tools/call", `{"name":"x__t","task":{}}`)
	c.ask("tools/call", `{"name":"y__t","task":{}}`)
	for _, wire := range []string{"1", "1@y"} {
		res := c.post(`{"jsonrpc":"2.0","id":"r` + wire + `","method":"tasks/result","params":{"taskId":"` + wire + `"}}`)
		stream := &events{r: bufio.NewReader(res.Body), c: res.Body}
		meta := `"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"` + wire + `"}}`
		for _, want := range []string{`{"taskId":"` + wire + `","status":"working",` + meta + `}`, `{"level":"info","data":"1",` + meta + `}`, `{"message":"1",` + meta + `}`} {
			got := stream.must(t)
			if at(got, "/params") != want {
				t.Errorf("task %s: the client got\n     %s\nwant %s", wire, got, want)
			}
			if id := at(got, "/id"); id != "" {
				c.body(c.post(`{"jsonrpc":"2.0","id":` + id + `,"result":{"action":"decline",` + meta + `}}`))
			}
		}
		if got := <-replied; string(got.Result) != `{"action":"decline",`+related+`}` {
			t.Errorf("task %s: the server got the answer %s", wire, got.Result)
		}
		stream.must(t)
		c.ask("tools/call", `{"name":"y__t",`+meta+`}`)
		if got := y.got("tools/call"); wire == "1@y" && !strings.Contains(got[len(got)-1], `{"taskId":"1"}`) {
			t.Errorf("the server got %s", got[len(got)-1])
		}
	}
}

// The status notification of a client's own task goes to the server that requested it.
func TestStatusOfClientTaskGoesToItsServer(t *testing.T) {
	replied := make(chan flow.Reply, 1)
	x := pollableServer("1", func(context.Context, Peer) {})
	y := pollableServer("2", func(ctx context.Context, p Peer) {
		replied <- p.Request(ctx, "elicitation/create", json.RawMessage(`{"message":"?","task":{}}`))
	})
	c := newRig(t, fakeUpstreams{"x": x, "y": y}, Project{Servers: []Server{{Name: "x"}, {Name: "y"}}}, Options{}).open(t, `{"elicitation":{}}`)
	c.ask("tools/call", `{"name":"y__t","task":{}}`)
	res := c.post(`{"jsonrpc":"2.0","id":"r","method":"tasks/result","params":{"taskId":"2"}}`)
	stream := &events{r: bufio.NewReader(res.Body), c: res.Body}
	id := at(stream.must(t), "/id")
	c.body(c.post(`{"jsonrpc":"2.0","id":` + id + `,"result":{"task":{"taskId":"mine","status":"working"}}}`))
	<-replied
	c.body(c.post(`{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"mine","status":"completed"}}`))
	if got := y.got("notifications/tasks/status"); len(got) != 1 || got[0] != `{"taskId":"mine","status":"completed"}` {
		t.Errorf("y got %q", got)
	}
	if got := x.got("notifications/tasks/status"); len(got) != 0 {
		t.Errorf("x got %q", got)
	}
}
