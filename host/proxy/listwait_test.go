package proxy

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy/catalog"
	"github.com/mcpctl/mcpctl/host/proxy/stream"
)

// gateRig returns a rig with a gate: the tool begin opens it and notifies the client.
func gateRig(t *testing.T) (*rig, *fakeControllers) {
	f := scriptedControllers(`
		add {"name":"begin"}
		answer begin {"content":[{"type":"text","text":"welcome"}]}
		note begin notifications/tools/list_changed
		hide s/t`)
	server := oneTool(func(context.Context, fakeCall) string { return emptyResult }, "t")
	return newSteeredRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{}, f, nil), f
}

// call sends a tools/call in the background.
func (c *testClient) call(params string) (answer chan string) {
	answer = make(chan string, 1)
	other := *c // the caller goes on asking
	other.next += 1000
	go func() { answer <- other.ask("tools/call", params) }()
	return answer
}

// The client is notified first. The answer is delayed until the client has read its tools
// again, and 50 ms more.
func TestAnswerWaitsForToolsList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, f := gateRig(t)
		c := r.open(t, "")
		notes := c.stream()
		defer notes.c.Close()
		wantTools(t, c, "begin")
		f.setScript(`
			add {"name":"begin"}
			answer begin {"content":[{"type":"text","text":"welcome"}]}
			note begin notifications/prompts/list_changed
			note begin notifications/tools/list_changed`)
		began := time.Now()
		answer := c.call(`{"name":"begin"}`)
		for _, want := range []string{catalog.Prompts.Changed(), catalog.Tools.Changed()} {
			if got := notes.must(t); at(got, "/method") != `"`+want+`"` {
				t.Errorf("got %s, want %s", got, want)
			}
		}
		time.Sleep(10 * time.Millisecond)
		if len(answer) != 0 {
			t.Error("answered before the list was read")
		}
		if got := c.ask("ping", `{}`); at(got, "/result") != "{}" {
			t.Errorf("another request of the session: %s", got)
		}
		wantTools(t, c, "begin s__t")
		time.Sleep(49 * time.Millisecond)
		if len(answer) != 0 {
			t.Error("answered before the client could process the list")
		}
		if got := <-answer; at(got, "/result/content/0/text") != `"welcome"` {
			t.Errorf("answer: %s", got)
		}
		if took := time.Since(began); took != 60*time.Millisecond {
			t.Errorf("the answer took %v", took)
		}
		if ev := r.events.last(); ev.Label != "begin" || ev.Duration < 60*time.Millisecond || ev.OutTokens == 0 || len(ev.Hooks) != 1 {
			t.Errorf("event %+v", ev)
		}
	})
}

func TestAnswerDoesNotWait(t *testing.T) {
	note := `
		add {"name":"begin"}
		answer begin {"content":[]}
		note begin notifications/tools/list_changed`
	for _, tc := range []struct {
		rule, script string
		deaf         bool // no stream is open
		reading      bool // a list was requested before the client was notified
		rereads      Rereads
		want         time.Duration
	}{
		{"client does not read its tools", note, false, false, RereadsAuto, 1500 * time.Millisecond},
		{"list requested before the notification", note, false, true, RereadsAuto, 1500 * time.Millisecond},
		{"no open stream", note, true, false, RereadsAuto, 0},
		{"client that ignores list_changed", note, false, false, RereadsNo, 0},
		{"another notification", strings.Replace(note, "tools/list_changed", "prompts/list_changed", 1), false, false, RereadsAuto, 0},
		{"notification of the result hook", `resultnote begin notifications/tools/list_changed` + strings.Replace(note, "note begin", "none", 1), false, false, RereadsAuto, 1500 * time.Millisecond},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := scriptedControllers(tc.script)
				release := make(chan struct{})
				server := oneTool(func(context.Context, fakeCall) string { return emptyResult }, "t")
				list := server.answer
				r := newSteeredRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{Rereads: tc.rereads}, f, nil)
				c := r.open(t, "")
				if !tc.deaf {
					defer c.stream().c.Close()
				}
				wantTools(t, c, "begin s__t")
				if tc.reading {
					server.setAnswer(func(ctx context.Context, call fakeCall) flow.Reply { <-release; return list(ctx, call) })
					other := *c
					other.next = 500
					go other.ask("tools/list", `{}`)
					synctest.Wait()
				}
				began := time.Now()
				answer := c.call(`{"name":"begin"}`)
				synctest.Wait()
				close(release)
				<-answer
				if took := time.Since(began); took != tc.want {
					t.Errorf("the answer took %v, want %v", took, tc.want)
				}
			})
		})
	}
}

// The time that the server takes counts as waiting time.
func TestSlowAnswerDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := scriptedControllers("before s/t briefing\nnote s/t notifications/tools/list_changed")
		server := oneTool(func(context.Context, fakeCall) string { time.Sleep(time.Second); return emptyResult }, "t")
		r := newSteeredRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{}, f, nil)
		c := r.open(t, "")
		notes := c.stream()
		defer notes.c.Close()
		began := time.Now()
		answer := c.call(`{"name":"s__t"}`)
		notes.must(t)
		wantTools(t, c, "s__t")
		if got := <-answer; at(got, "/result/content/0/text") != `"briefing"` {
			t.Errorf("answer: %s", got)
		}
		if took := time.Since(began); took != time.Second {
			t.Errorf("the answer took %v", took)
		}
	})
}

// A wait ends with its request or session and is removed.
func TestWaitEndsWithItsRequest(t *testing.T) {
	for rule, end := range map[string]func(c *testClient){
		"taken back": func(c *testClient) {
			c.body(c.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1002}}`))
		},
		"session ended": func(c *testClient) {
			res, err := c.http.Do(c.request(context.Background(), "DELETE", ""))
			if err != nil {
				c.t.Fatal(err)
			}
			c.body(res)
		},
	} {
		t.Run(rule, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, _ := gateRig(t)
				c := r.open(t, "")
				notes := c.stream()
				defer notes.c.Close()
				wantTools(t, c, "begin")
				s := r.sessions.of("")[0].Session
				began := time.Now()
				answer := c.call(`{"name":"begin"}`)
				notes.must(t)
				end(c)
				<-answer
				if took := time.Since(began); took != 0 {
					t.Errorf("it waited for %v", took)
				}
				synctest.Wait()
				if n := len(s.waits.waits); n != 0 {
					t.Errorf("%d waits are left", n)
				}
			})
		})
	}
}

// A tools/list that failed does not end the wait.
func TestFailedToolsListDoesNotEndWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := gateRig(t)
		c := r.open(t, "")
		defer c.stream().c.Close()
		began := time.Now()
		answer := c.call(`{"name":"begin"}`)
		synctest.Wait()
		if got := c.ask("tools/list", `{"cursor":"x"}`); at(got, "/error/code") != "-32602" {
			t.Errorf("unknown cursor: %s", got)
		}
		<-answer
		if took := time.Since(began); took != maxListWait {
			t.Errorf("the answer took %v, want %v", took, maxListWait)
		}
	})
}

// If a client ends its session while an answer is delayed, the answer is sent immediately
// and the wait is removed.
func TestSessionEndsDuringWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := gateRig(t)
		c := r.open(t, "")
		notes := c.stream()
		defer notes.c.Close()
		session := r.sessions.of("")[0]
		began := time.Now()
		answer := c.call(`{"name":"begin"}`)
		synctest.Wait()
		res, err := c.http.Do(c.request(context.Background(), "DELETE", ""))
		if err != nil {
			t.Fatal(err)
		}
		c.body(res)
		<-answer
		if took := time.Since(began); took != 0 || len(session.waits.waits) != 0 || session.inFlight.count() != 0 {
			t.Errorf("after %v: %d waits, %d requests", took, len(session.waits.waits), session.inFlight.count())
		}
	})
}

// Repeated list_changed notifications are queued once for a client that has no stream.
func TestListChangedIsQueuedOnce(t *testing.T) {
	f := scriptedControllers("logs\nnote s/t notifications/tools/list_changed\nnote s/t notifications/prompts/list_changed\nnote s/t notifications/message {\"level\":\"info\"}")
	server := oneTool(func(context.Context, fakeCall) string { return emptyResult }, "t")
	r := newSteeredRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{}, f, nil)
	c := r.open(t, "")
	for range stream.MaxFrames + 10 {
		c.ask("tools/call", `{"name":"s__t"}`)
	}
	notes := c.stream()
	defer notes.c.Close()
	got := make(map[string]int)
	for range stream.MaxFrames {
		got[at(notes.must(t), "/method")]++
	}
	if got[`"notifications/tools/list_changed"`] != 1 || got[`"notifications/prompts/list_changed"`] != 1 {
		t.Errorf("got %v", got)
	}
}
