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

// A client whose session is gone sends its call again without a look at the list:
// it is answered, with the briefing, and never left without a way on.
// covers G-007, G-042 "State machine: gated → tools/call intercepted → ungated (fallback path)"
func TestCallAfterALostSessionIsAnswered(t *testing.T) {
	f := scriptedControllers("hide s/t\nbefore s/t briefing\nnote s/t notifications/tools/list_changed")
	server := oneTool(func(context.Context, fakeCall) string { return `{"content":[{"type":"text","text":"real"}]}` }, "t")
	r := newSteeredRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{}, f, nil)
	c := r.open(t, "")
	c.session = "gone"
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"s__t"}}`
	if res := c.post(call); res.StatusCode != 404 {
		t.Fatalf("a session that is gone: status %d", res.StatusCode)
	}
	c = r.open(t, "")
	f.saw()
	want := `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"briefing"},{"type":"text","text":"real"}]}}`
	if got := c.body(c.post(call)); got != want {
		t.Errorf("the call sent again\n got %s\nwant %s", got, want)
	}
	if got, want := f.saw(), "on_tools_list lookup s__t\non_tool_call s/t {} listed false"; got != want {
		t.Errorf("hooks\n got %s\nwant %s", got, want)
	}
}

// covers C10: what a client may hold an outputSchema of, also from a session before, keeps its
// structuredContent; the event says that the model may not have read the blocks
func TestBlocksThatMayNotBeReadAreReported(t *testing.T) {
	const schema = `{"name":"w","outputSchema":{"type":"object"}}`
	for _, tc := range []struct {
		rule   string
		tool   flow.ListedTool
		listed bool
		want   bool
	}{
		{"listed with one", flow.ListedTool{Definition: json.RawMessage(schema)}, true, true},
		{"listed without", flow.ListedTool{Definition: json.RawMessage(`{"name":"w"}`)}, true, false},
		{"listed with null", flow.ListedTool{Definition: json.RawMessage(`{"name":"w","outputSchema":null}`)}, true, false},
		{"hidden in the list", flow.ListedTool{Definition: json.RawMessage(schema), Hidden: true}, true, false},
		{"not listed in this session", flow.ListedTool{Definition: json.RawMessage(schema), Hidden: true}, false, true},
		{"its server does not list it", flow.ListedTool{}, true, false},
	} {
		if got := mayHaveSchema(flow.SteeredCall{Tool: tc.tool, Listed: tc.listed}); got != tc.want {
			t.Errorf("%s: %v", tc.rule, got)
		}
	}
	f := scriptedControllers("before s/t briefing")
	server := scripted(map[string]string{"tools/list": `{"tools":[{"name":"t","outputSchema":{"type":"object"}}]}`, "tools/call": `{"content":[],"structuredContent":{"a":1}}`})
	r := newSteeredRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{}, f, nil)
	r.open(t, "").ask("tools/call", `{"name":"s__t"}`)
	if ev := r.events.last(); !ev.BlockUnseen || !ev.Changed || ev.OutTokens == 0 {
		t.Errorf("event %+v", ev)
	}
}

// A task has no place for blocks: it goes on as it came.
func TestBlocksOfATask(t *testing.T) {
	const task = `{"task":{"taskId":"1","status":"working"}}`
	f := scriptedControllers("before s/t briefing")
	server := scripted(map[string]string{"tools/list": `{"tools":[{"name":"t"}]}`, "tools/call": task})
	r := newSteeredRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{}, f, nil)
	got := r.open(t, "").ask("tools/call", `{"name":"s__t","task":{}}`)
	if ev := r.events.last(); at(got, "/result") != task || !ev.BlockUnseen {
		t.Errorf("got %s, unseen %v", got, ev.BlockUnseen)
	}
}

// covers P-181: both calls are in the event, the one that was made and the one that was sent on
func TestEventOfARewrittenCall(t *testing.T) {
	f := scriptedControllers(`add {"name":"dispatch"}
		rewrite dispatch s/t {"x":1}
		wrap dispatch block`)
	server := oneTool(func(context.Context, fakeCall) string { return emptyResult }, "t")
	r := newSteeredRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{}, f, nil)
	r.open(t, "").ask("tools/call", `{"name":"dispatch","arguments":{"tool":"t"}}`)
	ev := r.events.last()
	if ev.Label != "s/t" || ev.Called != "dispatch" || string(ev.Args) != `{"tool":"t"}` || string(ev.RoutedArgs) != `{"x":1}` {
		t.Errorf("label %s, called %s, arguments %s, sent on %s", ev.Label, ev.Called, ev.Args, ev.RoutedArgs)
	}
	var hooks []string
	for _, h := range ev.Hooks {
		hooks = append(hooks, string(h.Hook))
	}
	if got := strings.Join(hooks, " "); got != "on_tools_list on_tool_call on_tool_result" {
		t.Errorf("hooks %s", got)
	}
}

// A rewritten call is a call like any other: progress and questions of the real
// server reach the client while it runs.
func TestRewrittenCallIsAskedForItself(t *testing.T) {
	f := scriptedControllers(`add {"name":"dispatch"}
		rewrite dispatch s/ask {"who":7}`)
	r := newSteeredRig(t, fakeUpstreams{"s": asking("elicitation/create")}, Project{Servers: []Server{{Name: "s"}}}, Options{}, f, nil)
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

// A result that comes again is shown as before only where no controller looks at
// it, and without the blocks that stood round it.
// covers P-100
func TestMemoHidesNothingFromControllers(t *testing.T) {
	f := scriptedControllers("before s/t briefing")
	server := oneTool(func(context.Context, fakeCall) string { return `{"content":[{"type":"text","text":"hello"}]}` }, "t")
	pipe := &repeater{}
	r := newSteeredRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}, Models: testModels{"*": {Runs: true}}}, Options{}, f, nil)
	r.viewer = view.New(pipe, r.Reader)
	c := r.open(t, "")
	ask := func() string { return at(c.ask("tools/call", `{"name":"s__t"}`), "/result/content") }
	if got := ask(); got != `[{"type":"text","text":"briefing"},{"type":"text","text":"5 bytes, run 1"}]` {
		t.Errorf("the first: %s", got)
	}
	f.becomes("before other x")
	if got := ask(); got != `[{"type":"text","text":"5 bytes, run 1"}]` || pipe.repeats != 1 {
		t.Errorf("again: %s", got)
	}
	f.becomes("wrap s/t seen")
	f.saw()
	if got := ask(); !strings.Contains(got, "run 2") || !strings.Contains(got, "seen") || !strings.Contains(f.saw(), "on_tool_result s/t") {
		t.Errorf("under a result hook: %s", got)
	}
}

// Filters run once over a result, and the result hook stands between them and the
// stages.
// covers P-178
func TestFiltersRunOnceUnderAResultHook(t *testing.T) {
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
		order = append(order, f.saw()[:len("on_tool_result")]+" stage "+string(c.Bytes))
		f.see("on_tool_result seen")
		return flow.Shown{}, nil
	}
	r.open(t, "").ask("tools/call", `{"name":"s__t"}`)
	if got, want := strings.Join(order, ", "), "filter a, filter b, on_tool_result stage filtered a, on_tool_result stage filtered b"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// covers P-182: what a controller answered is seen by the result hooks, too, and
// is no server's; the event counts what the model did not have to read
func TestResultHookSeesAnswers(t *testing.T) {
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
	if got := f.saw(); !strings.HasSuffix(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if ev := r.events.last(); ev.InTokens != 0 || ev.OutTokens != result.TextTokens([]byte(`{"content":[{"text":"written"},{"text":"x"},{"text":"x"}]}`)) {
		t.Errorf("an answer: tokens %d, %d", ev.InTokens, ev.OutTokens)
	}
	c.ask("tools/call", `{"name":"s__big"}`)
	if ev := r.events.last(); ev.InTokens != abi.EstimateTokens([]byte(big)) || ev.OutTokens != abi.EstimateTokens([]byte("head")) || len(ev.Refs) != 1 || !ev.Changed {
		t.Errorf("a read-back: tokens %d, %d, refs %v", ev.InTokens, ev.OutTokens, ev.Refs)
	}
}

// A project may be given controllers, or lose them, while a session is open: its
// next call knows.
func TestControllersComeAndGo(t *testing.T) {
	const gate = `add {"name":"begin"}
		answer begin {"content":[]}`
	f := scriptedControllers("off")
	r := newSteeredRig(t, fakeUpstreams{"s": oneTool(nil, "t")}, Project{Servers: []Server{{Name: "s"}}}, Options{}, f, nil)
	c := r.open(t, "")
	wantTools(t, c, "s__t")
	for range 2 {
		f.becomes(gate)
		if got := c.ask("tools/call", `{"name":"begin"}`); at(got, "/result") != emptyResult {
			t.Errorf("with controllers: %s", got)
		}
		f.becomes("off")
		if got := c.ask("tools/call", `{"name":"begin"}`); at(got, "/error/message") != `"unknown tool: \"begin\""` {
			t.Errorf("without: %s", got)
		}
	}
}

// covers P-174: on_close says why
func TestCloseSaysWhy(t *testing.T) {
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
				if got := f.saw(); got != "on_close "+tc.reason {
					t.Errorf("got %q", got)
				}
			})
		})
	}
}

// What controllers may know of a session: the client by its profile, all tools
// with those that are hidden or no longer added, the servers and how they are.
// covers P-176
func TestWhatControllersSee(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := scriptedControllers("add {\"name\":\"begin\"}\nhide up/t")
		ups := fakeUpstreams{"up": listingServer(&[]string{"t"}), "late": listingServer(&[]string{"x"})}
		ups["late"].up = make(chan struct{})
		r := newSteeredRig(t, ups, Project{Servers: []Server{{Name: "up"}, {Name: "late"}, {Name: "none"}}, Sections: true}, Options{}, f, nil)
		c := r.open(t, "")
		c.ask("tools/list", `{}`)
		f.becomes("hide none")
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

// A server that another session knows and that takes its time to start for this one
// is starting, and has not failed.
func TestAKnownServerStartsOnceMore(t *testing.T) {
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
			t.Errorf("before its handshake: %s", got)
		}
		close(ups["late"].up)
		synctest.Wait()
		if got := fmt.Sprint(states()); got != "[{late ready 1 }]" {
			t.Errorf("after it: %s", got)
		}
	})
}

// A change at a server that controllers hide is none to the client.
// covers d-5
func TestListChangedIsOfTheListAsItIsShown(t *testing.T) {
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
			t.Errorf("told of a tool that is hidden: %s", <-heard)
		}
		if changed("a", "b", "c"); len(heard) != 1 {
			t.Errorf("%d notifications of a tool that is shown", len(heard))
		}
		wantTools(t, c, "begin s__c")
	})
}

// A controller that says at each list that it has changed would have the client
// read it for ever. What else it says is passed on.
func TestListThatIsReadHasNotChanged(t *testing.T) {
	f := scriptedControllers("listnote notifications/tools/list_changed\nlistnote notifications/prompts/list_changed")
	r := newSteeredRig(t, fakeUpstreams{"s": oneTool(nil, "t")}, Project{Servers: []Server{{Name: "s"}}}, Options{}, f, nil)
	c := r.open(t, "")
	stream := c.stream()
	for range 2 {
		wantTools(t, c, "s__t")
		if got := stream.must(t); at(got, "/method") != `"notifications/prompts/list_changed"` {
			t.Errorf("told %s", got)
		}
	}
}

// covers A-016: no tool of a server is ever listed under a name of a controller's
func TestNamesOfControllersAreTheirs(t *testing.T) {
	for _, tc := range []struct{ rule, virtual, want string }{
		{"bare", "t", "t one__t"},
		{"shown alike", "x_y", "x_y one__x_y"},
		{"no name of a server's", "own", "own t"},
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
		f.becomes(`add {"name":"` + tc.virtual + `"}`)
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
		t.Errorf("a name that looks like a server's: %v", got)
	}
}

// covers P-178: filters run over what controllers say in the instructions, and one
// that withholds it says so there
func TestInstructionsGoThroughFilters(t *testing.T) {
	f := scriptedControllers("instructions the secret word")
	server := oneTool(func(context.Context, fakeCall) string { return emptyResult }, "t")
	r := newSteeredRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}, Models: testModels{"instructions": {Runs: true, Filters: true}}}, Options{}, f, nil)
	greeted := func() string {
		return at(r.dial(t).ask("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`), "/result/instructions")
	}
	r.pipeline.Redact = hush
	if got := greeted(); got != `"the *** word"` {
		t.Errorf("instructions %s", got)
	}
	r.pipeline.Redact = func(flow.Content) flow.Shown { return flow.Shown{Blocked: "withheld"} }
	if got := greeted(); got != `"withheld"` {
		t.Errorf("instructions %s", got)
	}
}

// What a call answers later, as a task, the result hooks see as if it had answered at
// once; a task is no way past them.
func TestResultOfATaskIsSeenByControllers(t *testing.T) {
	f := scriptedControllers("wrap s/t seen")
	server := scripted(map[string]string{"tools/list": `{"tools":[{"name":"t"}]}`, "tools/call": `{"task":{"taskId":"1","status":"working"}}`,
		"tasks/result": `{"content":[{"type":"text","text":"done"}]}`})
	r := newSteeredRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{}, f, nil)
	c := r.open(t, "")
	c.ask("tools/call", `{"name":"s__t","task":{}}`)
	f.saw()
	want := `[{"type":"text","text":"seen"},{"type":"text","text":"done"},{"type":"text","text":"seen"}]`
	if got := c.ask("tasks/result", `{"taskId":"1"}`); at(got, "/result/content") != want {
		t.Errorf("got %s", got)
	}
	if got := f.saw(); !strings.HasPrefix(got, "on_tool_result s/t by s ") {
		t.Errorf("saw %s", got)
	}
	if got := r.open(t, "").ask("tasks/result", `{"taskId":"2"}`); at(got, "/result/content/0/text") != `"done"` {
		t.Errorf("of a task that nobody knows: %s", got)
	}
}
