package proxy

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
	"github.com/mcpctl/mcpctl/host/stateless"
)

// statelessClient sends requests of the version without sessions to an endpoint.
type statelessClient struct {
	t   *testing.T
	url string
}

// describing is how the client of these tests describes itself.
var describing = stateless.Client{Info: []byte(`{"name":"test","version":"1"}`), Capabilities: []byte(`{"elicitation":{},"sampling":{}}`)}

// send posts a request with its headers, which edit may change.
func (c statelessClient) send(ctx context.Context, msg jsonrpc.Message, edit func(http.Header)) *http.Response {
	c.t.Helper()
	msg.Params = describing.Describe(msg.Params)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(msg.Append(nil)))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	stateless.SetHeaders(req.Header, stateless.Version, msg.Method, msg.Params)
	if edit != nil {
		edit(req.Header)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	return resp
}

// ask sends a request and returns the status and the answer.
func (c statelessClient) ask(msg jsonrpc.Message) (status int, answer []byte) {
	c.t.Helper()
	resp := c.send(c.t.Context(), msg, nil)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		_, last, _ := bytes.Cut(body, []byte("data: "))
		for rest := last; len(rest) > 0; {
			last = rest
			_, rest, _ = bytes.Cut(rest, []byte("data: "))
		}
		body = bytes.TrimSpace(last)
	}
	return resp.StatusCode, body
}

// call calls the tool s__t.
func (c statelessClient) call(id int64, more ...jsonedit.Field) (status int, answer []byte) {
	c.t.Helper()
	fields := append([]jsonedit.Field{jsonedit.String("name", "s__t"), jsonedit.Raw("arguments", []byte(`{}`))}, more...)
	return c.ask(jsonrpc.Message{ID: jsonrpc.NumberID(id), Method: "tools/call", Params: jsonedit.Object(fields...)})
}

// want checks that an answer has a status and contains all texts.
func (c statelessClient) want(rule string, status int, answer []byte, wantStatus int, texts ...string) {
	c.t.Helper()
	if status != wantStatus {
		c.t.Errorf("%s: status %d, want %d: %s", rule, status, wantStatus, answer)
	}
	for _, text := range texts {
		if !bytes.Contains(answer, []byte(text)) {
			c.t.Errorf("%s: got %s, want %s in it", rule, answer, text)
		}
	}
}

// member returns a member of the result of an answer.
func member(answer []byte, name string) string {
	result := jsonedit.Member(answer, "result")
	return jsonedit.MemberText(answer[result.Start:result.End], name)
}

// asking returns a server with one tool. A call of the tool asks the client a number of
// questions and returns the params and the answers; with a negative number it waits for its
// cancellation. A header repeats one argument of the tool.
func asking(questions int) *fakeServer {
	const tools = `{"tools":[{"name":"t","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}}]}`
	return &fakeServer{answer: func(ctx context.Context, c fakeCall) flow.Reply {
		if c.method == "tools/list" {
			return flow.Reply{Result: []byte(tools)}
		}
		told := []string{c.params}
		for i := range questions {
			reply := c.peer.Request(flow.WithQuestionKey(ctx, fmt.Sprint("key", i+1)), "elicitation/create", []byte(`{"message":"?"}`))
			told = append(told, string(reply.Result)+string(reply.Error))
		}
		if questions < 0 { // waits for its cancellation
			<-ctx.Done()
			told = append(told, "cancelled")
		}
		text := jsonedit.Object(jsonedit.String("type", "text"), jsonedit.String("text", strings.Join(told, " ")))
		return flow.Reply{Result: jsonedit.Object(jsonedit.Raw("content", jsonedit.Array(text)))}
	}}
}

func newStatelessRig(t *testing.T, server *fakeServer) (*rig, statelessClient) {
	r := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{})
	return r, statelessClient{t, r.serve(t)}
}

// A request needs its description and headers that agree with it. What the version does not
// have is refused with the status that clients expect.
func TestStatelessRefusals(t *testing.T) {
	_, c := newStatelessRig(t, asking(0))
	if status, answer := c.ask(jsonrpc.Message{ID: jsonrpc.NumberID(1), Method: "tools/list"}); status != 200 {
		t.Fatalf("tools/list: %d %s", status, answer)
	}
	const call = `{"name":"s__t","arguments":{"region":"eu"}}`
	withRegion := func(value string) func(http.Header) {
		return func(h http.Header) { h.Set("Mcp-Param-Region", value) }
	}
	for _, tc := range []struct {
		rule, method, params string
		edit                 func(http.Header)
		status               int
		want                 string
	}{
		{"another version in the header", "tools/list", `{}`, func(h http.Header) { h.Set("Mcp-Protocol-Version", "2025-11-25") }, 400, `"code":-32020`},
		{"no version in the header", "tools/list", `{}`, func(h http.Header) { h.Del("Mcp-Protocol-Version") }, 400, `"code":-32020`},
		{"another method in the header", "tools/list", `{}`, func(h http.Header) { h.Set("Mcp-Method", "tools/call") }, 400, `header Mcp-Method is \"tools/call\", but the body has \"tools/list\"`},
		{"no method in the header", "tools/list", `{}`, func(h http.Header) { h.Del("Mcp-Method") }, 400, `"code":-32020`},
		{"two methods in the header", "tools/list", `{}`, func(h http.Header) { h.Add("Mcp-Method", "tools/list") }, 400, `2 headers Mcp-Method, want one`},
		{"another name in the header", "tools/call", call, func(h http.Header) { h.Set("Mcp-Name", "s__u") }, 400, `"code":-32020`},
		{"a method in Base64", "tools/list", `{}`, func(h http.Header) { h.Set("Mcp-Method", "=?base64?dG9vbHMvbGlzdA==?=") }, 400, `"code":-32020`},
		{"an argument that is not repeated", "tools/call", call, nil, 400, `0 headers Mcp-Param-Region, want one with the argument region`},
		{"an argument that is repeated wrongly", "tools/call", call, withRegion("us"), 400, `header Mcp-Param-Region is \"us\", but the argument region is \"eu\"`},
		{"an argument that is not valid Base64", "tools/call", call, withRegion("=?base64?ZXU?="), 400, `is no valid Base64`},
		{"an argument in Base64", "tools/call", call, withRegion("=?base64?ZXU=?="), 200, `"content"`},
		{"a method of earlier versions", "ping", `{}`, nil, 404, `"code":-32601`},
		{"initialize", "initialize", `{}`, nil, 404, `"code":-32601`},
		{"a method that nobody knows", "x/own", `{}`, nil, 404, `"code":-32601`},
		{"an unknown tool", "tools/call", `{"name":"nobody"}`, nil, 200, `"code":-32602`},
		{"input that is no object", "tools/call", `{"name":"s__t","inputResponses":[]}`, nil, 400, `params.inputResponses is of kind array, want object`},
		{"a state that is no text", "tools/call", `{"name":"s__t","requestState":1}`, nil, 400, `params.requestState is no text`},
		{"a state of nobody", "tools/call", `{"name":"s__t","requestState":"x"}`, nil, 400, `send the request without it`},
		{"a subscription without a filter", "subscriptions/listen", `{}`, nil, 400, `params.notifications is missing`},
	} {
		resp := c.send(t.Context(), jsonrpc.Message{ID: jsonrpc.NumberID(7), Method: tc.method, Params: []byte(tc.params)}, tc.edit)
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		c.want(tc.rule, resp.StatusCode, body, tc.status, tc.want, `"id":7`)
	}
}

// A project that is pinned to one kind of version refuses the other, and names its own.
func TestPinnedProtocol(t *testing.T) {
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	for _, tc := range []struct{ protocol, sessions, stateless string }{
		{"", `"protocolVersion":"2025-11-25"`, `"supportedVersions":["2026-07-28","2025-11-25"`},
		{"2025-11-25", `"protocolVersion":"2025-11-25"`, `"data":{"supported":["2025-11-25","2025-06-18","2025-03-26"],"requested":"2026-07-28"}`},
		{"2026-07-28", `"data":{"supported":["2026-07-28"],"requested":"2025-11-25"}`, `"supportedVersions":["2026-07-28"]`},
	} {
		r := newRig(t, fakeUpstreams{"s": asking(0)}, Project{Servers: []Server{{Name: "s"}}, Protocol: tc.protocol}, Options{})
		c := statelessClient{t, r.serve(t)}
		resp, err := http.Post(c.url, "application/json", strings.NewReader(hello))
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		c.want(tc.protocol+" with a session", 0, body, 0, tc.sessions)
		_, answer := c.ask(jsonrpc.Message{ID: jsonrpc.NumberID(1), Method: "server/discover"})
		c.want(tc.protocol+" without", 0, answer, 0, tc.stateless)
		get, err := http.Get(c.url)
		if err != nil {
			t.Fatal(err)
		}
		get.Body.Close()
		if isRefused := get.StatusCode == http.StatusMethodNotAllowed; isRefused != (tc.protocol == stateless.Version) {
			t.Errorf("%s: status %d for GET", tc.protocol, get.StatusCode)
		}
	}
}

// Two clients that use the same id at the same time get their own answers, and none the
// session of the other.
func TestStatelessIDsCollide(t *testing.T) {
	r, c := newStatelessRig(t, asking(1))
	for i := range 4 {
		_, first := c.call(1)
		state := member(first, "requestState")
		status, answer := c.call(1, jsonedit.String("requestState", state), jsonedit.Raw("inputResponses", []byte(fmt.Sprintf(`{"key1":{"n":%d}}`, i))))
		c.want("second round", status, answer, 200, fmt.Sprintf(`{\"n\":%d}`, i))
	}
	if n := len(r.sessions.of("")); n != 1 {
		t.Errorf("%d sessions, want 1", n)
	}
}

// A server's questions become results that ask for input, with the server's own keys. The
// state is used once, by the same request.
func TestStatelessInput(t *testing.T) {
	_, c := newStatelessRig(t, asking(2))
	status, answer := c.call(1)
	c.want("first round", status, answer, 200, `"resultType":"input_required"`, `"inputRequests":{"key1":{"method":"elicitation/create","params":{"message":"?"}}}`)
	state := jsonedit.String("requestState", member(answer, "requestState"))

	status, other := c.ask(jsonrpc.Message{ID: jsonrpc.NumberID(2), Method: "tools/call", Params: jsonedit.Object(jsonedit.String("name", "s__other"), state)})
	c.want("state of another tool", status, other, 400, `belongs to another request`)
	status, other = c.call(2, jsonedit.String("requestState", member(answer, "requestState")[1:]+"A"))
	c.want("shortened and lengthened state", status, other, 400, `is unknown`)

	status, other = c.ask(jsonrpc.Message{ID: jsonrpc.NumberID(2), Method: "tools/call", Params: jsonedit.Object(jsonedit.String("name", "s__t"), jsonedit.Raw("arguments", []byte(`{"a":1}`)), state)})
	c.want("state with other arguments", status, other, 400, `belongs to another request`)

	status, answer = c.call(3, state, jsonedit.Raw("inputResponses", []byte(`{"other":{}}`)))
	c.want("input that nobody asked for", status, answer, 200, `"inputRequests":{"key1"`)
	status, other = c.call(4, state)
	c.want("state that was used", status, other, 400, `is unknown`)

	state = jsonedit.String("requestState", member(answer, "requestState"))
	status, answer = c.call(5, state, jsonedit.Raw("inputResponses", []byte(`{"key1":{"a":9007199254740993},"other":1}`)))
	c.want("second round", status, answer, 200, `"inputRequests":{"key2"`)
	state = jsonedit.String("requestState", member(answer, "requestState"))
	status, answer = c.call(6, state, jsonedit.Raw("inputResponses", []byte(`{"key2":{"b":1}}`)))
	c.want("answer", status, answer, 200, `"resultType":"complete"`, `{\"a\":9007199254740993} {\"b\":1}`, `"id":6`)

	status, answer = c.call(7, jsonedit.Raw("inputResponses", []byte(`{"key1":{},"key2":{}}`)))
	c.want("input that comes with the first request", status, answer, 200, `"resultType":"complete"`)
	status, answer = c.call(8, jsonedit.Raw("inputResponses", []byte(`{"key1":{}}`)))
	c.want("a part of the input with the first request", status, answer, 200, `"inputRequests":{"key2"`)
}

// A server that needs what the client has not declared gets an error, and so does the client.
func TestStatelessMissingCapability(t *testing.T) {
	reply := (&peer{s: &Session{client: newClient(stateless.Version, nil, []byte(`{"sampling":{}}`))}}).Request(t.Context(), "elicitation/create", nil)
	if got, want := string(reply.Error), `"data":{"requiredCapabilities":{"elicitation":{}}}`; !strings.Contains(got, `"code":-32021`) || !strings.Contains(got, want) {
		t.Errorf("got %s, want %s in it", got, want)
	}
}

// A client that never answers cannot pause calls without end.
func TestStatelessPausesAreLimited(t *testing.T) {
	_, c := newStatelessRig(t, asking(1))
	for i := range maxPausedOfOne {
		if _, answer := c.call(int64(i)); member(answer, "requestState") == "" {
			t.Fatalf("call %d: %s", i, answer)
		}
	}
	status, answer := c.call(1)
	c.want("one more", status, answer, 200, `"code":-32000`, `too many calls wait for input`)
}

// The state of a call is of no use to another project.
func TestStatelessStateOfAnotherProject(t *testing.T) {
	r, c := newStatelessRig(t, asking(1))
	r.projects.set(Project{Name: "other", Servers: []Server{{Name: "s"}}})
	_, answer := c.call(1)
	other := statelessClient{t, strings.Replace(c.url, "/"+testProject+"/", "/other/", 1)}
	status, refused := other.call(1, jsonedit.String("requestState", member(answer, "requestState")), jsonedit.Raw("inputResponses", []byte(`{"key1":{}}`)))
	c.want("another project", status, refused, 400, `belongs to another request`)
}

// A client that disconnects cancels its request.
func TestStatelessDisconnectCancels(t *testing.T) {
	cancelled := make(chan struct{})
	server := asking(-1)
	answer := server.answer
	server.answer = func(ctx context.Context, f fakeCall) flow.Reply {
		reply := answer(ctx, f)
		if strings.HasPrefix(f.method, "tools/call") {
			close(cancelled)
		}
		return reply
	}
	_, c := newStatelessRig(t, server)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for len(server.got("tools/call")) == 0 {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	req, _ := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(jsonrpc.Message{ID: jsonrpc.NumberID(1), Method: "tools/call", Params: describing.Describe([]byte(`{"name":"s__t"}`))}.Append(nil)))
	req.Header.Set("Content-Type", "application/json")
	stateless.SetHeaders(req.Header, stateless.Version, "tools/call", []byte(`{"name":"s__t"}`))
	if resp, err := http.DefaultClient.Do(req); err == nil {
		resp.Body.Close()
	}
	within(t, "cancellation", cancelled)
}

// A subscription begins with its acknowledgement, and gets what it asks for and nothing else,
// with its id.
func TestStatelessListen(t *testing.T) {
	server := scriptedServer(map[string]string{"tools/list": `{"tools":[{"name":"t"}]}`, "prompts/list": `{"prompts":[]}`, "resources/list": `{"resources":[{"uri":"x:1","name":"r"}]}`, "resources/templates/list": `{"resourceTemplates":[]}`, "resources/subscribe": `{}`, "resources/unsubscribe": `{}`})
	_, c := newStatelessRig(t, server)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	resp := c.send(ctx, jsonrpc.Message{ID: jsonrpc.StringID("sub"), Method: "subscriptions/listen", Params: []byte(`{"notifications":{"promptsListChanged":true,"toolsListChanged":false,"resourceSubscriptions":["x:1"]}}`)}, nil)
	defer resp.Body.Close()
	events := bufio.NewScanner(resp.Body)
	next := func() string {
		for events.Scan() {
			if text, ok := strings.CutPrefix(events.Text(), "data: "); ok {
				return text
			}
		}
		t.Fatal("the stream has ended")
		return ""
	}
	const tag = `"_meta":{"io.modelcontextprotocol/subscriptionId":"sub"}`
	if got, want := next(), `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"promptsListChanged":true,"resourceSubscriptions":["x:1"]},`+tag+`}}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if len(server.got("resources/subscribe")) == 0 || len(server.got("prompts/list")) == 0 {
		t.Errorf("acknowledged before the servers know it: %d subscriptions, %d lists of prompts", len(server.got("resources/subscribe")), len(server.got("prompts/list")))
	}
	server.mu.Lock()
	peer := server.peers[0]
	server.mu.Unlock()
	peer.Notify("notifications/message", []byte(`{"level":"error","data":"x"}`))
	peer.Notify("notifications/resources/updated", []byte(`{"uri":"x:2"}`))
	peer.Notify("notifications/resources/updated", []byte(`{"uri":"x:1","_meta":{"k":1}}`))
	if got, want := next(), `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"x:1","_meta":{"k":1,"io.modelcontextprotocol/subscriptionId":"sub"}}}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	server.setAnswer(scriptedServer(map[string]string{"tools/list": `{"tools":[]}`, "prompts/list": `{"prompts":[{"name":"p"}]}`, "resources/unsubscribe": `{}`}).answer)
	peer.Notify("notifications/tools/list_changed", nil)
	peer.Notify("notifications/prompts/list_changed", nil)
	if got, want := next(), `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed","params":{`+tag+`}}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	cancel()
	for deadline := time.Now().Add(time.Minute); len(server.got("resources/unsubscribe")) == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("nobody has unsubscribed")
		}
	}
}

// The list of tools does not depend on calls. begin_session opens a conversation with a
// handle, and the calls with the handle belong to it.
func TestStatelessConversations(t *testing.T) {
	f := scriptedControllers(`add {"name":"begin_session"}
		answer begin_session {"content":[{"type":"text","text":"welcome"}]}
		note s/t notifications/tools/list_changed`)
	server := asking(0)
	r := newSteeredRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{}, f, nil)
	c := statelessClient{t, r.serve(t)}
	list := jsonrpc.Message{ID: jsonrpc.NumberID(1), Method: "tools/list"}
	_, before := c.ask(list)
	begin := jsonrpc.Message{ID: jsonrpc.NumberID(1), Method: "tools/call", Params: []byte(`{"name":"begin_session"}`)}
	handles := map[string]bool{}
	for range 2 {
		status, answer := c.ask(begin)
		c.want("begin_session", status, answer, 200, "welcome", `Add \"_session\":\"`)
		_, rest, _ := strings.Cut(string(answer), `_session\":\"`)
		handle, _, _ := strings.Cut(rest, `\"`)
		handles[handle] = true
		status, answer = c.ask(jsonrpc.Message{ID: jsonrpc.NumberID(1), Method: "tools/call", Params: []byte(`{"name":"s__t","arguments":{"_session":"` + handle + `","a":1},"_meta":{"k":1}}`)})
		c.want("a call with the handle", status, answer, 200, `{\"name\":\"t\",\"arguments\":{\"a\":1},\"_meta\":{\"k\":1}}`)
		status, answer = c.ask(jsonrpc.Message{ID: jsonrpc.NumberID(1), Method: "tools/call", Params: []byte(`{"name":"s__t","_meta":{"mcpctl/session":"` + handle + `"}}`)})
		c.want("a call with the handle in _meta", status, answer, 200, `{\"name\":\"t\",\"_meta\":{}}`)
	}
	status, answer := c.ask(jsonrpc.Message{ID: jsonrpc.NumberID(1), Method: "tools/call", Params: []byte(`{"name":"s__t","arguments":{"_session":"unknown"}}`)})
	c.want("a call with an unknown handle", status, answer, 200, `"content"`)
	status, answer = c.ask(jsonrpc.Message{ID: jsonrpc.NumberID(1), Method: "tools/call", Params: []byte(`{"name":"s__t","arguments":{"_session":1}}`)})
	c.want("a handle that is no text", status, answer, 400, `arguments._session is no string`)
	sessions := map[string]bool{}
	f.mu.Lock()
	for _, v := range f.views {
		sessions[v.Scope.Session] = true
	}
	f.mu.Unlock()
	if len(handles) != 2 || len(sessions) != 3 { // one for the lists and the calls without a handle
		t.Errorf("%d handles, %d sessions for controllers", len(handles), len(sessions))
	}
	if _, after := c.ask(list); !bytes.Equal(before, after) {
		t.Errorf("the list was\n%s\nand is\n%s", before, after)
	}
}

// A call with a handle can be repeated with its input.
func TestStatelessInputInConversation(t *testing.T) {
	f := scriptedControllers("before s/t briefing")
	r := newSteeredRig(t, fakeUpstreams{"s": asking(1)}, Project{Servers: []Server{{Name: "s"}}}, Options{}, f, nil)
	c := statelessClient{t, r.serve(t)}
	ask := func(more string) []byte {
		_, answer := c.ask(jsonrpc.Message{ID: jsonrpc.NumberID(1), Method: "tools/call", Params: []byte(`{"name":"s__t","arguments":{"_session":"h","a":1}` + more + `}`)})
		return answer
	}
	answer := ask("")
	answer = ask(`,"requestState":"` + member(answer, "requestState") + `","inputResponses":{"key1":{"b":2}}`)
	c.want("second round", 0, answer, 0, "briefing", `{\"b\":2}`)
}
