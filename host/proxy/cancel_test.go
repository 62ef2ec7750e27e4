package proxy

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

func TestCancellation(t *testing.T) {
	type ended struct{ why error }
	waiting := func() (*fakeServer, chan string, chan ended) {
		started, over := make(chan string, 2), make(chan ended, 2)
		return oneTool(func(ctx context.Context, c fakeCall) string {
			if at(c.params, "/arguments/tell") == "true" {
				c.peer.Notify("notifications/progress", nil)
			}
			started <- c.params
			<-ctx.Done()
			over <- ended{context.Cause(ctx)}
			return emptyResult
		}, "t"), started, over
	}
	const call = `{"jsonrpc":"2.0","id":"c1","method":"tools/call","params":{"name":"s__t","arguments":{"tell":%v}}}`
	const cancel = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c1","reason":"timeout"}}`
	for _, streaming := range []bool{false, true} {
		t.Run(fmt.Sprintf("by the client, stream %v", streaming), func(t *testing.T) {
			server, started, over := waiting()
			r := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{})
			c := r.open(t, "")
			got := make(chan []string)
			go func() { got <- c.messages(c.post(fmt.Sprintf(call, streaming))) }()
			<-started
			c.body(c.post(cancel))
			if why := (<-over).why; why.Error() != "timeout" {
				t.Errorf("the call ended with %v", why)
			}
			all := <-got
			for _, one := range all {
				if at(one, "/id") != "" {
					t.Errorf("answered: %s", one)
				}
			}
			if c.ask("ping", `{}`) == "" {
				t.Error("the session has ended")
			}
		})
	}
	t.Run("disconnect does not cancel", func(t *testing.T) {
		server, started, over := waiting()
		r := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{})
		c := r.open(t, "")
		ctx, disconnect := context.WithCancel(context.Background())
		go c.http.Do(c.request(ctx, "POST", fmt.Sprintf(call, false)))
		<-started
		disconnect()
		if c.ask("ping", `{}`) == "" {
			t.Error("the session has ended")
		}
		c.body(c.post(cancel))
		if why := (<-over).why; why.Error() != "timeout" {
			t.Errorf("the call ended with %v before it was cancelled", why)
		}
	})
	t.Run("end of the session cancels", func(t *testing.T) {
		server, started, over := waiting()
		r := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{})
		c := r.open(t, "")
		go c.messages(c.post(fmt.Sprintf(call, true)))
		<-started
		r.Close()
		<-over
	})
}

// When the call ends, the client gets a cancellation of the server's request.
func TestClientRequestEndsWithItsCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := oneTool(func(ctx context.Context, c fakeCall) string {
			ctx, cancel := context.WithTimeout(ctx, time.Minute)
			defer cancel()
			return `{"content":[],"refused":` + string(c.peer.Request(ctx, "elicitation/create", nil).Error) + `}`
		}, "t")
		r := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{})
		c := r.open(t, `{"elicitation":{}}`)
		got := c.askAll("tools/call", `{"name":"s__t"}`)
		if len(got) != 3 || at(got[1], "/method") != `"notifications/cancelled"` || at(got[1], "/params/requestId") != at(got[0], "/id") {
			t.Fatalf("got %v", got)
		}
		if at(got[2], "/result/refused/message") != `"elicitation/create: the client has not answered in time"` {
			t.Errorf("got %s", got[2])
		}
		if n := len(r.sessions.sessions[c.session].requests.waiting); n != 0 {
			t.Errorf("%d requests are still waiting", n)
		}
	})
}

// The reason of a server that cancels its own request reaches the client, unless a filter
// reads the call.
func TestServerCancellationReason(t *testing.T) {
	const generic = "the call that asked has ended"
	for _, tc := range []struct {
		rule     string
		cause    error
		filtered bool
		want     string
	}{
		{"reason of the server", &jsonrpc.CancelledError{Reason: "no longer needed"}, false, "no longer needed"},
		{"no reason", &jsonrpc.CancelledError{}, false, generic},
		{"another cause", errors.New("connection lost"), false, generic},
		{"a filter reads the call", &jsonrpc.CancelledError{Reason: "hunter2"}, true, generic},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := oneTool(func(ctx context.Context, c fakeCall) string {
					c.peer.(*peer).filtered = tc.filtered
					ctx, cancel := context.WithCancelCause(ctx)
					time.AfterFunc(time.Second, func() { cancel(tc.cause) })
					c.peer.Request(ctx, "elicitation/create", nil)
					return emptyResult
				}, "t")
				r := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{})
				got := r.open(t, `{"elicitation":{}}`).askAll("tools/call", `{"name":"s__t"}`)
				if len(got) != 3 || at(got[1], "/params/reason") != `"`+tc.want+`"` {
					t.Errorf("got %v, want the reason %q", got, tc.want)
				}
			})
		})
	}
}

// A client that closes its connection during a call, over real TCP, does not cancel the
// call. Later messages of the server reach the session's own stream.
func TestDisconnectDoesNotEndCall(t *testing.T) {
	gone, answered := make(chan struct{}), make(chan error, 1)
	server := oneTool(func(ctx context.Context, c fakeCall) string {
		c.peer.Notify("notifications/progress", nil)
		<-gone
		c.peer.Notify("notifications/later", nil)
		answered <- ctx.Err()
		return emptyResult
	}, "t")
	r := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{})
	c := r.open(t, "")
	stream := c.stream()
	defer stream.c.Close()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		context.AfterFunc(req.Context(), func() { close(gone) })
		r.ServeHTTP(w, req)
	}))
	defer web.Close()
	remote := *c
	remote.url = web.URL + "/projects/" + testProject + "/mcp"
	remote.http = http.Client{Transport: &http.Transport{}}
	remote.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"s__t"}}`).Body.Close()
	if err := <-answered; err != nil {
		t.Errorf("the call ended with %v", err)
	}
	if got := stream.must(t); at(got, "/method") != `"notifications/later"` {
		t.Errorf("the session's stream got %s", got)
	}
}
