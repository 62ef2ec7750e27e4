package proxy

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/host/flow"
)

// The servers of a session whose client never opened a stream stop after 5 minutes
// without a request. The session stays open, and its next request starts them.
func TestServersOfAnIdleSessionAreReleased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := make(chan struct{})
		server := scriptedServer(map[string]string{"tools/list": `{"tools":[{"name":"t"}]}`, "tools/call": `{"content":[]}`, "logging/setLevel": `{}`})
		listed := server.answer
		server.answer = func(ctx context.Context, c fakeCall) flow.Reply {
			if at(c.params, "/arguments/wait") != "" {
				<-answer
			}
			return listed(ctx, c)
		}
		r := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{})
		expect := func(when string, made, closed int) {
			t.Helper()
			synctest.Wait()
			server.mu.Lock()
			defer server.mu.Unlock()
			if got := len(server.peers); got != made || int(server.closed.Load()) != closed || r.Sessions("") == 0 {
				t.Fatalf("%s: %d connections were opened and %d closed, want %d and %d; %d sessions", when, got, server.closed.Load(), made, closed, r.Sessions(""))
			}
		}
		c, busy, streaming := r.open(t, ""), r.open(t, ""), r.open(t, "")
		list := c.ask("tools/list", `{}`)
		c.ask("logging/setLevel", `{"level":"error"}`)
		streaming.ask("ping", `{}`)
		stream := streaming.stream()
		answered := make(chan string)
		go func() { answered <- busy.ask("tools/call", `{"name":"s__t","arguments":{"wait":1}}`) }()

		time.Sleep(4 * time.Minute)
		expect("before 5 minutes", 3, 0)
		time.Sleep(2 * time.Minute)
		expect("after 6 minutes, with a stream or a call", 3, 1)
		r.Refresh("")
		changed := Project{Name: testProject, Servers: []Server{{Name: "s", Revision: "2"}}}
		r.projects.set(changed)
		r.Refresh("")
		time.Sleep(time.Second)
		expect("the project changed: a released session starts nothing", 5, 2) // those of the other two
		close(answer)
		if got := <-answered; at(got, "/result/content") != "[]" {
			t.Errorf("the running call: %s", got)
		}
		expect("the call has ended", 5, 3)

		if got := c.ask("tools/call", `{"name":"s__t"}`); at(got, "/result/content") != "[]" {
			t.Errorf("call after the release: %s", got)
		}
		if got := c.ask("tools/list", `{}`); at(got, "/result") != at(list, "/result") {
			t.Errorf("the list became %s", got)
		}
		expect("a request starts the server", 6, 3)
		if got := server.got("logging/setLevel"); len(got) < 2 || got[len(got)-1] != `{"level":"error"}` {
			t.Errorf("levels that the server got: %q", got)
		}
		time.Sleep(6 * time.Minute)
		expect("released again after the call", 6, 5)
		opened := c.stream()
		expect("a stream starts the server", 7, 5)
		stream.c.Close()
		opened.c.Close()
		time.Sleep(30 * time.Minute)
		synctest.Wait()
		if r.Sessions("") != 0 || server.closed.Load() != 7 {
			t.Errorf("%d sessions, %d of 7 connections closed", r.Sessions(""), server.closed.Load())
		}
		res := c.post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		if text := c.body(res); res.StatusCode != http.StatusNotFound {
			t.Errorf("request of an ended session: status %d: %s", res.StatusCode, text)
		}
	})
}

// A task runs without a request, so the servers of its session are not released.
func TestServersOfTaskAreNotReleased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := pollableServer("1", func(context.Context, Peer) {})
		r := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{})
		c := r.open(t, "")
		c.ask("tools/call", `{"name":"s__t","task":{}}`)
		time.Sleep(20 * time.Minute)
		synctest.Wait()
		if n := server.closed.Load(); n != 0 {
			t.Errorf("%d connections were closed", n)
		}
	})
}
