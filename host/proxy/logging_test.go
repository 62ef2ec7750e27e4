package proxy

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpctl/mcpctl/host/flow"
)

// Log messages of controllers reach a client to which logging was declared, from its
// level on. Servers filter their own messages.
func TestLogMessagesOfControllers(t *testing.T) {
	const messages = `
		note * notifications/message {"level":"debug","data":"d"}
		note * notifications/message {"level":"warning","data":"w"}
		note * notifications/message {"level":"emergency","data":"e"}
		note * notifications/message {"level":"loud","data":"l"}
		note * notifications/message
		note * notifications/prompts/list_changed`
	for _, tc := range []struct {
		rule, script, caps, level string
		declared                  bool
		want                      string
	}{
		{"logging is not declared", messages, `{"tools":{}}`, "", false, ""},
		{"declared by a server", messages, `{"tools":{},"logging":{}}`, "", true, "d w e"},
		{"declared by a controller's manifest", "logs" + messages, `{"tools":{}}`, "", true, "d w e"},
		{"level", "logs" + messages, `{"tools":{}}`, "warning", true, "w e"},
		{"level, declared by a server", messages, `{"tools":{},"logging":{}}`, "error", true, "e"},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := oneTool(func(context.Context, fakeCall) string { return emptyResult }, "t")
				server.caps = tc.caps
				listed := server.answer
				server.answer = func(ctx context.Context, c fakeCall) flow.Reply {
					if c.method == "logging/setLevel" {
						return flow.Reply{Result: []byte(`{}`)}
					}
					return listed(ctx, c)
				}
				r := newSteeredRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{}, scriptedControllers(tc.script), nil)
				c := r.dial(t)
				welcome := c.initialize("")
				if got := at(welcome, "/result/capabilities/logging") == "{}"; got != tc.declared {
					t.Errorf("declared %v: %s", got, welcome)
				}
				if tc.level != "" {
					c.ask("logging/setLevel", `{"level":"`+tc.level+`"}`)
				}
				stream := c.stream()
				defer stream.c.Close()
				c.ask("tools/call", `{"name":"s__t"}`)
				var got []string
				for {
					text := stream.must(t)
					if strings.Contains(text, "prompts/list_changed") {
						break // the last that the hook sent
					}
					got = append(got, strings.Trim(at(text, "/params/data"), `"`))
				}
				if all := strings.Join(got, " "); all != tc.want {
					t.Errorf("the client got %q, want %q", all, tc.want)
				}
			})
		})
	}
}

// A log message of a shared server outside of any call reaches only sessions that have set
// a level, from that level on. A message during a call reaches its session.
func TestLogMessagesOfSharedServer(t *testing.T) {
	for _, tc := range []struct {
		rule, level string
		shared      bool
		want        string
	}{
		{"no level", "", true, "own end"},
		{"level", "warning", true, "own w end"},
		{"not shared", "", false, "own i w end"},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &fakeServer{caps: `{"tools":{},"logging":{}}`}
				server.answer = func(_ context.Context, c fakeCall) flow.Reply {
					if c.method == "logging/setLevel" {
						return flow.Reply{Result: []byte(`{}`)}
					}
					if c.method == "tools/call" {
						c.peer.Notify("notifications/message", []byte(`{"level":"debug","data":"own"}`))
						return flow.Reply{Result: []byte(emptyResult)}
					}
					return flow.Reply{Result: []byte(`{"tools":[{"name":"t"}]}`)}
				}
				r := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s", Shared: tc.shared}}}, Options{})
				c := r.open(t, "")
				if tc.level != "" {
					c.ask("logging/setLevel", `{"level":"`+tc.level+`"}`)
				}
				got := []string{strings.Trim(at(c.askAll("tools/call", `{"name":"s__t"}`)[0], "/params/data"), `"`)}
				stream := c.stream()
				defer stream.c.Close()
				synctest.Wait()
				for _, params := range []string{`{"level":"info","data":"i"}`, `{"level":"warning","data":"w"}`} {
					server.peers[0].Notify("notifications/message", []byte(params))
				}
				server.peers[0].Notify("notifications/other", []byte(`{"data":"end"}`))
				for got[len(got)-1] != "end" {
					got = append(got, strings.Trim(at(stream.must(t), "/params/data"), `"`))
				}
				if all := strings.Join(got, " "); all != tc.want {
					t.Errorf("the client got %q, want %q", all, tc.want)
				}
			})
		})
	}
}
