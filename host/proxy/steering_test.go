package proxy

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy/catalog"
	"github.com/mcpctl/mcpctl/host/proxy/result"
	"github.com/mcpctl/mcpctl/host/proxy/view"
)

// A client that lost its session repeats its call without listing the tools. The call is
// answered, with the briefing.
func TestCallAfterLostSession(t *testing.T) {
	f := scriptedControllers("hide s/t\nbefore s/t briefing\nnote s/t notifications/tools/list_changed")
	server := oneTool(func(context.Context, fakeCall) string { return `{"content":[{"type":"text","text":"real"}]}` }, "t")
	r := newSteeredRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{}, f, nil)
	c := r.open(t, "")
	c.session = "gone"
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"s__t"}}`
	if res := c.post(call); res.StatusCode != 404 {
		t.Fatalf("unknown session: status %d", res.StatusCode)
	}
	c = r.open(t, "")
	f.takeSeen()
	want := `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"briefing"},{"type":"text","text":"real"}]}}`
	if got := c.body(c.post(call)); got != want {
		t.Errorf("the repeated call\n got %s\nwant %s", got, want)
	}
	if got, want := f.takeSeen(), "on_tools_list lookup s__t\non_tool_call s/t {} listed false"; got != want {
		t.Errorf("hooks\n got %s\nwant %s", got, want)
	}
}

// If the client may have an outputSchema of the tool, also from an earlier session, the
// result keeps its structuredContent, and the event reports that the model may not have
// read the blocks.
func TestUnseenBlocksAreReported(t *testing.T) {
	const schema = `{"name":"w","outputSchema":{"type":"object"}}`
	for _, tc := range []struct {
		rule   string
		tool   flow.ListedTool
		listed bool
		want   bool
	}{
		{"listed with a schema", flow.ListedTool{Definition: json.RawMessage(schema)}, true, true},
		{"listed without a schema", flow.ListedTool{Definition: json.RawMessage(`{"name":"w"}`)}, true, false},
		{"listed with null", flow.ListedTool{Definition: json.RawMessage(`{"name":"w","outputSchema":null}`)}, true, false},
		{"hidden", flow.ListedTool{Definition: json.RawMessage(schema), Hidden: true}, true, false},
		{"not listed in this session", flow.ListedTool{Definition: json.RawMessage(schema), Hidden: true}, false, true},
		{"not listed by its server", flow.ListedTool{}, true, false},
	} {
		if got := mayHaveSchema(flow.SteeredCall{Tool: tc.tool, Listed: tc.listed}); got != tc.want {
			t.Errorf("%s: %v", tc.rule, got)
		}
	}
	f := scriptedControllers("before s/t briefing")
	server := scriptedServer(map[string]string{"tools/list": `{"tools":[{"name":"t","outputSchema":{"type":"object"}}]}`, "tools/call": `{"content":[],"structuredContent":{"a":1}}`})
	r := newSteeredRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{}, f, nil)
	r.open(t, "").ask("tools/call", `{"name":"s__t"}`)
	if ev := r.events.last(); !ev.BlockUnseen || !ev.Changed || ev.OutTokens == 0 {
		t.Errorf("event %+v", ev)
	}
}

// No blocks are added to a task.
func TestTaskGetsNoBlocks(t *testing.T) {
	const task = `{"task":{"taskId":"1","status":"working"}}`
	f := scriptedControllers("before s/t briefing")
	server := scriptedServer(map[string]string{"tools/list": `{"tools":[{"name":"t"}]}`, "tools/call": task})
	r := newSteeredRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{}, f, nil)
	got := r.open(t, "").ask("tools/call", `{"name":"s__t","task":{}}`)
	if ev := r.events.last(); at(got, "/result") != task || !ev.BlockUnseen {
		t.Errorf("got %s, unseen %v", got, ev.BlockUnseen)
	}
}

// The event contains the original and the rewritten call.
func TestEventOfRewrittenCall(t *testing.T) {
	f := scriptedControllers(`add {"name":"dispatch"}
		rewrite dispatch s/t {"x":1}
		wrap dispatch block`)
	server := oneTool(func(context.Context, fakeCall) string { return emptyResult }, "t")
	r := newSteeredRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{}, f, nil)
	r.open(t, "").ask("tools/call", `{"name":"dispatch","arguments":{"tool":"t"}}`)
	ev := r.events.last()
	if ev.Label != "s/t" || ev.Called != "dispatch" || string(ev.Args) != `{"tool":"t"}` || string(ev.RoutedArgs) != `{"x":1}` {
		t.Errorf("label %s, called %s, arguments %s, rewritten %s", ev.Label, ev.Called, ev.Args, ev.RoutedArgs)
	}
	var hooks []string
	for _, h := range ev.Hooks {
		hooks = append(hooks, string(h.Hook))
	}
	if got := strings.Join(hooks, " "); got != "on_tools_list on_tool_call on_tool_result" {
		t.Errorf("hooks %s", got)
	}
}

// Progress and requests of the server of a rewritten call reach the client.
func TestRewrittenCallReachesClient(t *testing.T) {
	f := scriptedControllers(`add {"name":"dispatch"}
		rewrite dispatch s/ask {"who":7}`)
	r := newSteeredRig(t, fakeUpstreams{"s": requestingServer("elicitation/create")}, Project{Servers: []Server{{Name: "s"}}}, Options{}, f, nil)
	c := r.open(t, `{"elicitation":{}}`)
	res := c.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"dispatch","_meta":{"progressToken":7}}}`)
	e := &events{r: bufio.NewReader(res.Body), c: res.Body}
	if got := e.must(t); at(got, "/params/progressToken") != "7" {
		t.Errorf("progress: %s", got)
	}
	ask := e.must(t)
	c.body(c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"yes":1}}`, at(ask, "/id"))))
	if got := e.must(t); at(got, "/result/said") != `{"yes":1}` {
		t.Errorf("answer: %s", got)
	}
}

// A repeated result is shown from memory only if no controller has a result hook, and
// without the blocks of the first answer.
func TestMemoAndControllers(t *testing.T) {
	f := scriptedControllers("before s/t briefing")
	server := oneTool(func(context.Context, fakeCall) string { return `{"content":[{"type":"text","text":"hello"}]}` }, "t")
	pipe := &repeater{}
	r := newSteeredRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}, Models: testModels{"*": {Runs: true}}}, Options{}, f, nil)
	r.viewer = view.New(pipe, r.Reader)
	c := r.open(t, "")
	ask := func() string { return at(c.ask("tools/call", `{"name":"s__t"}`), "/result/content") }
	if got := ask(); got != `[{"type":"text","text":"briefing"},{"type":"text","text":"5 bytes, run 1"}]` {
		t.Errorf("first answer: %s", got)
	}
	f.setScript("before other x")
	if got := ask(); got != `[{"type":"text","text":"5 bytes, run 1"}]` || pipe.repeats != 1 {
		t.Errorf("second answer: %s", got)
	}
	f.setScript("wrap s/t seen")
	f.takeSeen()
	if got := ask(); !strings.Contains(got, "run 2") || !strings.Contains(got, "seen") || !strings.Contains(f.takeSeen(), "on_tool_result s/t") {
		t.Errorf("with a result hook: %s", got)
	}
}

// Filters run once over a result, and the result hook runs between filters and stages.
func TestFiltersRunOnceWithResultHook(t *testing.T) {
	f := scriptedControllers("wrap other x")
	server := oneTool(func(context.Context, fakeCall) string {
		return `{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`
	}, "t")
	r := newSteeredRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}, Models: testModels{"*": {Runs: true, Filters: true}}}, Options{}, f, nil)
	var order []string
	r.pipeline.Redact = func(c flow.Content) flow.Shown {
		order = append(order, "filter "+string(c.Bytes))
		return flow.Shown{Changed: true, Text: append([]byte("filtered "), c.Bytes...)}
	}
	r.pipeline.Stage = func(c flow.Content) (flow.Shown, error) {
		order = append(order, f.takeSeen()[:len("on_tool_result")]+" stage "+string(c.Bytes))
		f.recordSeen("on_tool_result seen")
		return flow.Shown{}, nil
	}
	r.open(t, "").ask("tools/call", `{"name":"s__t"}`)
	if got, want := strings.Join(order, ", "), "filter a, filter b, on_tool_result stage filtered a, on_tool_result stage filtered b"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Result hooks get the answers of controllers, without a server. The event counts the tokens
// that the model did not have to read.
func TestResultHookGetsAnswersOfControllers(t *testing.T) {
	f := scriptedControllers(`answer s/own {"content":[{"type":"text","text":"written"}]}
		wrap s/own x
		result s/big {"content":[{"type":"text","text":"head"}]}`)
	big := strings.Repeat("many words ", 100)
	server := oneTool(func(context.Context, fakeCall) string {
		return fmt.Sprintf(`{"content":[{"type":"text","text":%q}]}`, big)
	}, "own", "big")
	r := newSteeredRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{}, f, nil)
	c := r.open(t, "")
	c.ask("tools/call", `{"name":"s__own"}`)
	const want = `on_tool_result s/own by fake isError false protocolError false contents []: {"content":[{"type":"text","text":"written"}]}`
	if got := f.takeSeen(); !strings.HasSuffix(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if ev := r.events.last(); ev.InTokens != 0 || ev.OutTokens != result.TextTokens([]byte(`{"content":[{"text":"written"},{"text":"x"},{"text":"x"}]}`)) {
		t.Errorf("answer of a controller: tokens %d, %d", ev.InTokens, ev.OutTokens)
	}
	c.ask("tools/call", `{"name":"s__big"}`)
	if ev := r.events.last(); ev.InTokens != abi.EstimateTokens([]byte(big)) || ev.OutTokens != abi.EstimateTokens([]byte("head")) || len(ev.Refs) != 1 || !ev.Changed {
		t.Errorf("replaced answer: tokens %d, %d, refs %v", ev.InTokens, ev.OutTokens, ev.Refs)
	}
}

// If controllers are added to a project, or removed, the next call of an open session
// follows.
func TestControllersChangeDuringSession(t *testing.T) {
	const gate = `add {"name":"begin"}
		answer begin {"content":[]}`
	f := scriptedControllers("off")
	r := newSteeredRig(t, fakeUpstreams{"s": oneTool(nil, "t")}, Project{Servers: []Server{{Name: "s"}}}, Options{}, f, nil)
	c := r.open(t, "")
	wantTools(t, c, "s__t")
	for range 2 {
		f.setScript(gate)
		if got := c.ask("tools/call", `{"name":"begin"}`); at(got, "/result") != emptyResult {
			t.Errorf("with controllers: %s", got)
		}
		f.setScript("off")
		if got := c.ask("tools/call", `{"name":"begin"}`); at(got, "/error/message") != `"unknown tool: \"begin\""` {
			t.Errorf("without controllers: %s", got)
		}
	}
}

// The hook on_close gets the reason.
func TestCloseReason(t *testing.T) {
	for _, tc := range []struct {
		reason string
		end    func(r *rig, c *testClient)
	}{
		{"client", func(_ *rig, c *testClient) {
			res, err := c.http.Do(c.request(context.Background(), "DELETE", ""))
			if err != nil {
				c.t.Fatal(err)
			}
			c.body(res)
		}},
		{"idle", func(r *rig, _ *testClient) { time.Sleep(r.opts.IdleAfter + time.Second) }},
		{"shutdown", func(r *rig, _ *testClient) { r.Close() }},
		{"shutdown", func(r *rig, _ *testClient) { r.Drain(context.Background()) }},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := scriptedControllers("off")
				server := oneTool(func(context.Context, fakeCall) string { return emptyResult }, "t")
				r := newSteeredRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{}, f, nil)
				tc.end(r, r.open(t, ""))
				synctest.Wait()
				if got := f.takeSeen(); got != "on_close "+tc.reason {
					t.Errorf("got %q", got)
				}
			})
		})
	}
}

// Controllers get the client with its profile, all tools including hidden ones and those no
// longer added, and the states of the servers.
func TestViewOfControllers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := scriptedControllers("add {\"name\":\"begin\"}\nhide up/t")
		ups := fakeUpstreams{"up": listingServer(&[]string{"t"}), "late": listingServer(&[]string{"x"})}
		ups["late"].up = make(chan struct{})
		r := newSteeredRig(t, ups, Project{Servers: []Server{{Name: "up"}, {Name: "late"}, {Name: "none"}}, Sections: true}, Options{}, f, nil)
		c := r.open(t, "")
		c.ask("tools/list", `{}`)
		f.setScript("hide none")
		c.ask("tools/list", `{}`)
		s := f.views[0]
		if s.Scope.Project != testProject || s.Client.Name != "test" || !s.Client.ListChanged || s.Client.InstructionsChars != 2048 || s.Protocol != "2025-11-25" {
			t.Errorf("session %+v", s)
		}
		var tools []string
		for _, tool := range s.Tools() {
			tools = append(tools, fmt.Sprintf("%s %s %v", tool.Kind, tool.Label, tool.Hidden))
		}
		if got := strings.Join(tools, ", "); got != "virtual begin true, upstream up/t false, host read_section false" {
			t.Errorf("tools: %s", got)
		}
		if got := fmt.Sprint(s.Servers()); got != "[{up ready 1 } {late starting 0 } {none failed 0 not found}]" {
			t.Errorf("servers: %s", got)
		}
	})
}

// A server that another session knows, and that starts slowly for this one, is reported as
// starting.
func TestKnownServerIsStarting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := scriptedControllers("add {\"name\":\"begin\"}")
		ups := fakeUpstreams{"late": listingServer(&[]string{"x"})}
		r := newSteeredRig(t, ups, Project{Servers: []Server{{Name: "late"}}}, Options{}, f, nil)
		r.open(t, "").ask("tools/list", `{}`)
		ups["late"] = listingServer(&[]string{"x"})
		ups["late"].up = make(chan struct{})
		r.open(t, "").ask("tools/list", `{}`)
		states := f.views[1].Servers
		if got := fmt.Sprint(states()); got != "[{late starting 1 }]" {
			t.Errorf("before the handshake: %s", got)
		}
		close(ups["late"].up)
		synctest.Wait()
		if got := fmt.Sprint(states()); got != "[{late ready 1 }]" {
			t.Errorf("after the handshake: %s", got)
		}
	})
}

// A change of hidden tools is not announced.
func TestChangeOfHiddenToolsIsNotAnnounced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		names := []string{"a"}
		server := listingServer(&names)
		f := scriptedControllers("add {\"name\":\"begin\"}\nhide s/a\nhide s/b")
		r := newSteeredRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{}, f, nil)
		c := r.open(t, "")
		wantTools(t, c, "begin")
		synctest.Wait()
		stream := c.stream()
		defer stream.c.Close()
		heard := make(chan string, 10)
		go func() {
			for text, err := stream.next(); err == nil; text, err = stream.next() {
				heard <- text
			}
		}()
		changed := func(to ...string) {
			names = to
			server.peers[0].Notify(catalog.Tools.Changed(), nil)
			time.Sleep(time.Second)
			synctest.Wait()
		}
		if changed("a", "b"); len(heard) != 0 {
			t.Errorf("notified of a hidden tool: %s", <-heard)
		}
		if changed("a", "b", "c"); len(heard) != 1 {
			t.Errorf("%d notifications of a shown tool", len(heard))
		}
		wantTools(t, c, "begin s__c")
	})
}

// A list_changed for tools from the hook for the list is dropped, because it would make the
// client read the list in an endless loop. Other notifications are passed on.
func TestListHookCannotAnnounceItsList(t *testing.T) {
	f := scriptedControllers("listnote notifications/tools/list_changed\nlistnote notifications/prompts/list_changed")
	r := newSteeredRig(t, fakeUpstreams{"s": oneTool(nil, "t")}, Project{Servers: []Server{{Name: "s"}}}, Options{}, f, nil)
	c := r.open(t, "")
	stream := c.stream()
	for range 2 {
		wantTools(t, c, "s__t")
		if got := stream.must(t); at(got, "/method") != `"notifications/prompts/list_changed"` {
			t.Errorf("got %s", got)
		}
	}
}

// No tool of a server gets the name of a controller's tool.
func TestNamesOfControllersAreReserved(t *testing.T) {
	for _, tc := range []struct{ rule, virtual, want string }{
		{"bare", "t", "t one__t"},
		{"names that clients show alike", "x_y", "x_y one__x_y"},
		{"different names", "own", "own t"},
	} {
		f := scriptedControllers("instructions x")
		tool := "t"
		if tc.virtual == "x_y" {
			tool = "x.y"
		}
		server := oneTool(func(context.Context, fakeCall) string { return emptyResult }, tool)
		r := newSteeredRig(t, fakeUpstreams{"one": server}, Project{Servers: []Server{{Name: "one"}}, Bare: true}, Options{}, f, nil)
		c := r.open(t, "")
		wantTools(t, c, tool)
		f.setScript(`add {"name":"` + tc.virtual + `"}`)
		for range 2 {
			if got := listedNames(c.ask("tools/list", `{}`)); got != tc.want {
				t.Errorf("%s: %s, want %s", tc.rule, got, tc.want)
			}
		}
		names := strings.Fields(tc.want)
		if got := c.ask("tools/call", fmt.Sprintf(`{"name":%q}`, names[1])); at(got, "/result") != emptyResult {
			t.Errorf("%s: the server's tool: %s", tc.rule, got)
		}
	}
	f := scriptedControllers(`add {"name":"s__t"}`)
	r := newSteeredRig(t, fakeUpstreams{"s": oneTool(nil, "t")}, Project{Servers: []Server{{Name: "s"}}}, Options{}, f, nil)
	got := strings.Fields(listedNames(r.open(t, "").ask("tools/list", `{}`)))
	if len(got) != 2 || got[0] != "s__t" || !strings.HasPrefix(got[1], "s__t_") || slices.Contains(got[1:], "s__t") {
		t.Errorf("a name with the prefix of a server: %v", got)
	}
}

// Filters run over the instructions of controllers. If a filter withholds the text, its
// reason is shown.
func TestInstructionsPassFilters(t *testing.T) {
	f := scriptedControllers("instructions the secret word")
	server := oneTool(func(context.Context, fakeCall) string { return emptyResult }, "t")
	r := newSteeredRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}, Models: testModels{"instructions": {Runs: true, Filters: true}}}, Options{}, f, nil)
	greeted := func() string {
		return at(r.dial(t).ask("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`), "/result/instructions")
	}
	r.pipeline.Redact = hideFilter
	if got := greeted(); got != `"the *** word"` {
		t.Errorf("instructions %s", got)
	}
	r.pipeline.Redact = func(flow.Content) flow.Shown { return flow.Shown{Blocked: "withheld"} }
	if got := greeted(); got != `"withheld"` {
		t.Errorf("instructions %s", got)
	}
}

// Result hooks get the result of a task as if it were the answer to the call.
func TestResultHookGetsResultOfTask(t *testing.T) {
	f := scriptedControllers("wrap s/t seen")
	server := scriptedServer(map[string]string{"tools/list": `{"tools":[{"name":"t"}]}`, "tools/call": `{"task":{"taskId":"1","status":"working"}}`,
		"tasks/result": `{"content":[{"type":"text","text":"done"}]}`})
	r := newSteeredRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{}, f, nil)
	c := r.open(t, "")
	c.ask("tools/call", `{"name":"s__t","task":{}}`)
	f.takeSeen()
	want := `[{"type":"text","text":"seen"},{"type":"text","text":"done"},{"type":"text","text":"seen"}]`
	if got := c.ask("tasks/result", `{"taskId":"1"}`); at(got, "/result/content") != want {
		t.Errorf("got %s", got)
	}
	if got := f.takeSeen(); !strings.HasPrefix(got, "on_tool_result s/t by s ") {
		t.Errorf("hooks %s", got)
	}
	if got := r.open(t, "").ask("tasks/result", `{"taskId":"2"}`); at(got, "/result/content/0/text") != `"done"` {
		t.Errorf("result of an unknown task: %s", got)
	}
}
