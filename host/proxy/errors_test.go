package proxy

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy/catalog"
)

// unusable are Upstreams that fail with an error that quotes a file.
type unusable struct{}

func (unusable) For(context.Context, flow.Scope, Server, Client, Peer) (Upstream, error) {
	return nil, fmt.Errorf("%w: servers/s.yaml:3:65: env.A needs ${NOT_SET}\n  3 | env: {A: x}\n    |  ^\n", abi.ErrConfig)
}

// The error of an unusable server is one line for the client, and complete in the log.
func TestErrorOfAnUnusableServer(t *testing.T) {
	var log bytes.Buffer
	p := Project{Servers: []Server{{Name: "s"}}, Bare: true}
	r := newRig(t, unusable{}, p, Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	c := r.open(t, "")
	const want = `"server \"s\": invalid configuration (see mcpctl describe server s)"`
	got := c.ask("tools/call", `{"name":"t"}`)
	if at(got, "/result/content/0/text") != want || at(got, "/result/isError") != "true" {
		t.Errorf("tools/call: %s", got)
	}
	got = c.ask("prompts/get", `{"name":"none"}`)
	if strings.Contains(got, "yaml") {
		t.Errorf("prompts/get: %s", got)
	}
	if got = c.ask("resources/read", `{"uri":"x:1"}`); at(got, "/error/message") != want || at(got, "/error/code") != "-32000" {
		t.Errorf("resources/read: %s", got)
	}
	if n := strings.Count(log.String(), "servers/s.yaml:3:65"); n != 1 {
		t.Errorf("the log contains the reason %d times, want once: %s", n, log.String())
	}
}

func TestNameThatIsNoString(t *testing.T) {
	c := plainRig(t, Options{}).open(t, "")
	for params, want := range map[string]string{
		`{}`:           "params.name is missing",
		`{"name":1}`:   "params.name is of kind number, want string",
		`{"name":[1]}`: "params.name is of kind array, want string",
	} {
		for _, method := range []string{"tools/call", "prompts/get"} {
			if got := at(c.ask(method, params), "/error/message"); got != `"`+method+": "+want+`"` {
				t.Errorf("%s %s: %s, want %s", method, params, got, want)
			}
		}
	}
}

func TestArgumentsThatAreNoObject(t *testing.T) {
	c := plainRig(t, Options{}).open(t, "")
	for args, kind := range map[string]string{`"x"`: "string", `[1]`: "array", `1`: "number"} {
		got := at(c.ask("tools/call", `{"name":"s__t","arguments":`+args+`}`), "/error/message")
		if want := `"tools/call: params.arguments: got ` + kind + `, want an object"`; got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
}

// During a flood of list_changed, the list is checked once a second. Afterwards, a change is
// checked immediately.
func TestFloodOfListChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		names := []string{"t"}
		server := listingServer(&names)
		f := scriptedControllers("hide none")
		r := newSteeredRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{}, f, nil)
		wantTools(t, r.open(t, ""), "s__t")
		synctest.Wait()
		f.takeSeen()
		for range 6000 {
			server.peers[0].Notify(catalog.Tools.Changed(), nil)
			time.Sleep(10 * time.Millisecond)
		}
		if n := strings.Count(f.takeSeen(), "on_tools_list"); n < 60 || n > 70 {
			t.Errorf("checked %d times in a minute", n)
		}
		time.Sleep(2 * maxCheckDelay)
		f.takeSeen()
		server.peers[0].Notify(catalog.Tools.Changed(), nil)
		time.Sleep(2 * checkDelay)
		if f.takeSeen() == "" {
			t.Error("a change after the flood is not checked")
		}
	})
}
