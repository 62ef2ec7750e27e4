package proxy

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy/stream"
)

const emptyResult = `{"content":[]}`

// An answer is plain JSON with its length, unless another message precedes it.
func TestAnswerBecomesStream(t *testing.T) {
	server := oneTool(func(_ context.Context, c fakeCall) string {
		if at(c.params, "/arguments/progress") == "true" {
			c.peer.Notify("notifications/progress", json.RawMessage(`{"progressToken":9007199254740993,"progress":1}`))
			c.peer.Notify("notifications/message", json.RawMessage("{\"level\":\"info\",\n\"data\":1}"))
		}
		return "{\"content\":[],\n\"x\":1}"
	}, "t")
	r := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{})
	c := r.open(t, "")
	const call = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"s__t","arguments":{"progress":%v},"_meta":{"progressToken":9007199254740993}}}`

	res := c.post(fmt.Sprintf(call, false))
	text := c.body(res)
	if got := res.Header.Get("Content-Length"); got != fmt.Sprint(len(text)) || res.Header.Get("Content-Type") != "application/json" {
		t.Errorf("plain answer: length %q of %d, type %q", got, len(text), res.Header.Get("Content-Type"))
	}

	res = c.post(fmt.Sprintf(call, true))
	got := strings.Join(c.messages(res), "\n")
	want := `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":9007199254740993,"progress":1}}
{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info", "data":1}}
{"jsonrpc":"2.0","id":7,"result":{"content":[], "x":1}}`
	if got != want {
		t.Errorf("stream\n got %s\nwant %s", got, want)
	}

	req := c.request(context.Background(), "POST", fmt.Sprintf(call, true))
	req.Header.Set("Accept", "application/json")
	notes := c.stream()
	res, err := c.http.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if got := c.messages(res); len(got) != 1 || at(got[0], "/id") != "7" {
		t.Errorf("a client that accepts no stream got %v", got)
	}
	if got := notes.must(t); at(got, "/method") != `"notifications/progress"` {
		t.Errorf("the progress is not on the GET stream: %s", got)
	}
}

// requestingServer returns a server whose tool sends the client a request and returns its answer.
func requestingServer(method string) *fakeServer {
	return oneTool(func(ctx context.Context, c fakeCall) string {
		who := at(c.params, "/arguments/who")
		c.peer.Notify("notifications/progress", json.RawMessage(`{"progressToken":`+who+`,"progress":1}`))
		reply := c.peer.Request(ctx, method, json.RawMessage(`{"for":`+who+`}`))
		if reply.Error != nil {
			return `{"content":[],"refused":` + string(reply.Error) + `}`
		}
		return `{"content":[],"said":` + string(reply.Result) + `}`
	}, "ask")
}

// Each of two concurrent sessions gets the messages of its own call, in the order progress,
// request, result.
func TestSessionGetsMessagesOfItsOwnCall(t *testing.T) {
	for _, method := range []string{"sampling/createMessage", "elicitation/create", "roots/list"} {
		t.Run(method, func(t *testing.T) {
			r := newRig(t, fakeUpstreams{"s": requestingServer(method)}, Project{Servers: []Server{{Name: "s"}}}, Options{})
			const all = `{"sampling":{},"elicitation":{},"roots":{}}`
			clients := []*testClient{r.open(t, all), r.open(t, all)}
			var readers []*events
			for i, c := range clients {
				res := c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"s__ask","arguments":{"who":%d}}}`, i))
				readers = append(readers, &events{r: bufio.NewReader(res.Body), c: res.Body})
			}
			for i := range clients { // both calls are running
				i = len(clients) - 1 - i
				e := readers[i]
				if got, want := e.must(t), fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%d,"progress":1}}`, i); got != want {
					t.Fatalf("session %d\n got %s\nwant %s", i, got, want)
				}
				ask := e.must(t)
				if at(ask, "/method") != fmt.Sprintf("%q", method) || at(ask, "/params/for") != fmt.Sprint(i) {
					t.Fatalf("session %d got the request %s", i, ask)
				}
				clients[i].body(clients[i].post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"from":%d,"big":9007199254740993}}`, at(ask, "/id"), i)))
				want := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":{"content":[],"said":{"from":%d,"big":9007199254740993}}}`, i)
				if got := e.must(t); got != want {
					t.Errorf("session %d\n got %s\nwant %s", i, got, want)
				}
			}
		})
	}
}

// A request for a capability that the client has not declared, or of a shared server, is
// answered with an error.
func TestUndeclaredRequestIsRefused(t *testing.T) {
	for _, tc := range []struct {
		rule, caps, method string
		shared             bool
		refused            string
	}{
		{"declared", `{"elicitation":{"form":{}}}`, "elicitation/create", false, ""},
		{"not declared", `{"elicitation":{}}`, "sampling/createMessage", false, "-32601"},
		{"no capabilities", `{}`, "roots/list", false, "-32601"},
		{"shared", `{"roots":{}}`, "roots/list", true, "-32601"},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			r := newRig(t, fakeUpstreams{"s": requestingServer(tc.method)}, Project{Servers: []Server{{Name: "s", Shared: tc.shared}}}, Options{})
			c := r.open(t, tc.caps)
			res := c.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"s__ask","arguments":{"who":1}}}`)
			e := &events{r: bufio.NewReader(res.Body)}
			e.must(t) // progress
			got := e.must(t)
			if tc.refused == "" {
				c.body(c.post(`{"jsonrpc":"2.0","id":` + at(got, "/id") + `,"error":{"code":5,"message":"no","data":[1]}}`))
				if got = e.must(t); at(got, "/result/refused") != `{"code":5,"message":"no","data":[1]}` {
					t.Errorf("the client's own error did not reach the server: %s", got)
				}
				return
			}
			if at(got, "/result/refused/code") != tc.refused {
				t.Errorf("got %s, want a refusal with %s", got, tc.refused)
			}
		})
	}
}

// Messages of a server outside of any call go to the newest GET stream. Without a stream they
// wait for the next one.
func TestMessagesOutsideOfCall(t *testing.T) {
	server := oneTool(func(context.Context, fakeCall) string { return emptyResult }, "t")
	r := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{})
	c := r.open(t, `{"roots":{}}`)
	peer := server.peers[0]
	note := func(n int) {
		peer.Notify("notifications/message", json.RawMessage(fmt.Sprintf(`{"data":%d}`, n)))
	}
	note(1)
	older := c.stream()
	if got := at(older.must(t), "/params/data"); got != "1" {
		t.Errorf("first stream: got %s, want 1", got)
	}
	newer := c.stream()
	note(2)
	if got := at(newer.must(t), "/params/data"); got != "2" {
		t.Errorf("newer stream: got %s, want 2", got)
	}
	answered := make(chan flow.Reply)
	go func() { answered <- peer.Request(context.Background(), "roots/list", nil) }()
	ask := newer.must(t)
	c.body(c.post(`{"jsonrpc":"2.0","id":` + at(ask, "/id") + `,"result":{"roots":[]}}`))
	if got := string((<-answered).Result); got != `{"roots":[]}` {
		t.Errorf("roots: %s", got)
	}
}

// A request outside of any call is refused soon if the client has no stream open.
func TestRequestWithoutStreamIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := oneTool(func(context.Context, fakeCall) string { return emptyResult }, "t")
		r := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{})
		r.open(t, `{"roots":{}}`)
		began := time.Now()
		reply := server.peers[0].Request(t.Context(), "roots/list", nil)
		if !strings.Contains(string(reply.Error), "no open stream") || time.Since(began) > 2*streamWait {
			t.Errorf("after %v: %s%s", time.Since(began), reply.Result, reply.Error)
		}
	})
}

// A client that does not read delays no other client, and loses only droppable messages.
func TestSlowClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := oneTool(func(_ context.Context, c fakeCall) string {
			for i := range 5000 {
				c.peer.Notify("notifications/progress", json.RawMessage(fmt.Sprintf(`{"progress":%d}`, i)))
			}
			return emptyResult
		}, "t")
		r := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{})
		c := r.open(t, "")
		res := c.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"s__t"}}`)
		synctest.Wait() // the tool has ended, nothing was read
		got := c.messages(res)
		if last := got[len(got)-1]; at(last, "/id") != "1" {
			t.Errorf("the answer is missing: %s", last)
		}
		if len(got) > 2*stream.MaxFrames+1 || len(got) < stream.MaxFrames {
			t.Errorf("%d of 5000 notifications were kept, want about %d", len(got), stream.MaxFrames)
		}
	})
}

// An idle stream gets comments.
func TestKeepAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := plainRig(t, Options{})
		e := r.open(t, "").stream()
		began := time.Now()
		line, err := e.r.ReadString('\n')
		if err != nil || !strings.HasPrefix(line, ":") || time.Since(began) > 30*time.Second {
			t.Errorf("after %v: %q, %v", time.Since(began), line, err)
		}
		e.c.Close()
	})
}

// Progress of the client on a request reaches the server that sent it.
func TestProgressOfClient(t *testing.T) {
	server := oneTool(func(ctx context.Context, c fakeCall) string {
		c.peer.Request(ctx, "sampling/createMessage", json.RawMessage(`{"_meta":{"progressToken":"p"}}`))
		return emptyResult
	}, "t")
	r := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{})
	c := r.open(t, `{"sampling":{}}`)
	res := c.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"s__t"}}`)
	ask := (&events{r: bufio.NewReader(res.Body)}).must(t)
	c.body(c.post(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":0.5}}`))
	c.body(c.post(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"q","progress":0.5}}`))
	if got := fmt.Sprint(server.got("notifications/progress")); got != `[{"progressToken":"p","progress":0.5}]` {
		t.Errorf("the server got %s", got)
	}
	c.body(c.post(`{"jsonrpc":"2.0","id":` + at(ask, "/id") + `,"result":{}}`))
	res.Body.Close()
}
