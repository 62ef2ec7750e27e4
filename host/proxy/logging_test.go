package proxy

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpctl/mcpctl/abi"
)

// Log messages of controllers reach a client that was told of logging, from the
// level on that it asked for; a server's own are the server's affair.
func TestLogMessagesOfControllers(t *testing.T) {
	const said = `
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
		{"nobody has declared logging", said, `{"tools":{}}`, "", false, ""},
		{"a server has", said, `{"tools":{},"logging":{}}`, "", true, "d w e"},
		{"a controller's manifest has", "logs" + said, `{"tools":{}}`, "", true, "d w e"},
		{"a level", "logs" + said, `{"tools":{}}`, "warning", true, "w e"},
		{"a level, and a server that logs", said, `{"tools":{},"logging":{}}`, "error", true, "e"},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := oneTool(func(context.Context, fakeCall) string { return emptyResult }, "t")
				server.caps = tc.caps
				listed := server.answer
				server.answer = func(ctx context.Context, c fakeCall) abi.Reply {
					if c.method == "logging/setLevel" {
						return abi.Reply{Result: []byte(`{}`)}
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
