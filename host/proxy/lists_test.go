package proxy

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy/catalog"
)

// listingServer answers tools/list with the current names.
func listingServer(names *[]string) *fakeServer {
	return &fakeServer{answer: func(_ context.Context, c fakeCall) flow.Reply {
		var tools []string
		for _, n := range *names {
			tools = append(tools, fmt.Sprintf(`{"name":%q}`, n))
		}
		return flow.Reply{Result: []byte(`{"tools":[` + strings.Join(tools, ",") + `]}`)}
	}}
}

// listed returns the names in an answer to tools/list.
func listedNames(answer string) string {
	var names []string
	list := []byte(at(answer, "/result/tools"))
	for i := range 100 {
		if n := at(string(list), fmt.Sprintf("/%d/name", i)); n != "" {
			names = append(names, strings.Trim(n, `"`))
		}
	}
	return strings.Join(names, " ")
}

func wantTools(t *testing.T, c *testClient, want string) {
	t.Helper()
	if got := listedNames(c.ask("tools/list", `{}`)); got != want {
		t.Errorf("tools/list: %q, want %q", got, want)
	}
}

// An unavailable server neither hides the tools of others nor delays the client for long.
// When it starts, the client is notified.
func TestUnavailableServerDelaysNoList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ups := fakeUpstreams{"dead": scriptedServer(map[string]string{"tools/list": `{"tools":[{"name":"t"}]}`}), "alive": listingServer(&[]string{"t"})}
		ups["dead"].up = make(chan struct{})
		r := newRig(t, ups, Project{Servers: []Server{{Name: "dead"}, {Name: "alive"}}}, Options{})
		began := time.Now()
		c := r.open(t, "")
		stream := c.stream()
		wantTools(t, c, "alive__t")
		if took := time.Since(began); took > r.opts.ListWait+knownWait {
			t.Errorf("initialize and tools/list took %v", took)
		}
		if got := r.events.last().Stale; fmt.Sprint(got) != "[dead]" {
			t.Errorf("event: stale %v, want dead", got)
		}
		began = time.Now()
		wantTools(t, c, "alive__t")
		if took := time.Since(began); took > knownWait {
			t.Errorf("the second list of the session took %v", took)
		}
		answer := c.ask("tools/call", `{"name":"dead__t"}`)
		if want := `"message":"unknown tool: \"dead__t\" (servers not available right now: dead (starting); see mcpctl status)"`; !strings.Contains(answer, want) {
			t.Errorf("the error does not name the unavailable server: %s", answer)
		}
		close(ups["dead"].up)
		if got := stream.must(t); at(got, "/method") != `"notifications/tools/list_changed"` {
			t.Errorf("got %s", got)
		}
		wantTools(t, c, "dead__t alive__t")
		stream.c.Close()
	})
}

// The last known list of a server that is down is served, also to new sessions.
func TestLastKnownListIsServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		names := []string{"t"}
		server := listingServer(&names)
		r := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{})
		wantTools(t, r.open(t, ""), "s__t")
		server.setAnswer(func(context.Context, fakeCall) flow.Reply { return flow.Reply{} })
		c := r.open(t, "")
		wantTools(t, c, "s__t")
		if got := c.ask("tools/call", `{"name":"s__t"}`); at(got, "/result/isError") != "true" || !strings.Contains(got, "connection closed") {
			t.Errorf("a call to a server that is down: %s", got)
		}
		server.setAnswer(func(ctx context.Context, c fakeCall) flow.Reply { <-ctx.Done(); return flow.Reply{} })
		began := time.Now()
		wantTools(t, r.open(t, ""), "s__t")
		if took := time.Since(began); took > knownWait {
			t.Errorf("a hanging server delayed the list for %v", took)
		}
	})
}

// A server's list_changed is passed on if the joined list has changed, once for a burst.
func TestListChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		names := []string{"a"}
		server := listingServer(&names)
		r := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{})
		c := r.open(t, "")
		stream := c.stream()
		heard := make(chan string, 10)
		go func() {
			for {
				text, err := stream.next()
				if err != nil {
					return
				}
				heard <- text
			}
		}()
		count := func() int { time.Sleep(time.Second); synctest.Wait(); n := len(heard); clear(heard); return n }
		changed := func(times int) {
			for range times {
				server.peers[0].Notify("notifications/tools/list_changed", nil)
			}
		}
		changed(1)
		if n := count(); n != 0 {
			t.Errorf("%d notifications to a client without a list", n)
		}
		wantTools(t, c, "s__a")
		changed(3)
		if n := count(); n != 0 {
			t.Errorf("%d notifications without a change", n)
		}
		names = []string{"a", "b"}
		before := len(server.got("tools/list"))
		changed(1000)
		if n := count(); n != 1 {
			t.Errorf("%d notifications for one change", n)
		}
		if n := len(server.got("tools/list")) - before; n > 2 {
			t.Errorf("the list was read %d times for a burst of 1000", n)
		}
		if got := c.ask("tools/call", `{"name":"s__b"}`); at(got, "/error") != "" {
			t.Errorf("a new tool cannot be called before the list is read: %s", got)
		}
		wantTools(t, c, "s__a s__b")
		stream.c.Close()
	})
}

func clear(c chan string) {
	for len(c) > 0 {
		<-c
	}
}

func TestProjectChangesDuringSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ups := fakeUpstreams{"a": listingServer(&[]string{"t"}), "b": listingServer(&[]string{"t"})}
		release := make(chan struct{})
		list := ups["a"].answer
		ups["a"].answer = func(ctx context.Context, c fakeCall) flow.Reply {
			if c.method == "tools/call" {
				<-release
				return flow.Reply{Result: []byte(emptyResult)}
			}
			return list(ctx, c)
		}
		r := newRig(t, ups, Project{Servers: []Server{{Name: "a"}}}, Options{})
		c := r.open(t, "")
		stream := c.stream()
		wantTools(t, c, "a__t")
		slow := make(chan string)
		go func() { slow <- c.ask("tools/call", `{"name":"a__t"}`) }()
		synctest.Wait()

		r.projects.set(Project{Name: testProject, Servers: []Server{{Name: "b"}}, Sections: true})
		r.Refresh(testProject)
		if got := stream.must(t); at(got, "/method") != `"notifications/tools/list_changed"` {
			t.Errorf("got %s", got)
		}
		other := r.open(t, "")
		wantTools(t, other, "b__t read_section")
		c2 := *c
		c2.next = 100
		wantTools(t, &c2, "b__t read_section")
		if n := ups["a"].closed.Load(); n != 0 {
			t.Error("a connection was closed during a call")
		}
		close(release)
		if got := <-slow; at(got, "/result") != emptyResult {
			t.Errorf("the running call: %s", got)
		}
		synctest.Wait()
		if n := ups["a"].closed.Load(); n != 1 {
			t.Errorf("the connection to a removed server was closed %d times", n)
		}

		r.projects.set(Project{Name: testProject, Servers: []Server{{Name: "b", Revision: "2"}}})
		if got := c2.ask("tools/call", `{"name":"b__t"}`); at(got, "/error") != "" {
			t.Errorf("a call to a changed server: %s", got)
		}
		if n := len(ups["b"].peers); n != 3 {
			t.Errorf("%d connections to b, want one for each of two sessions and a new one", n)
		}
		delete(r.projects.known, testProject)
		r.Refresh("")
		if n := r.Sessions(""); n != 0 {
			t.Errorf("%d sessions of a deleted project", n)
		}
		stream.c.Close()
	})
}

func TestToolsTTL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		names := []string{"a"}
		server := listingServer(&names)
		r := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s", ToolsTTL: time.Minute}}}, Options{})
		c := r.open(t, "")
		asked := func(want int) {
			t.Helper()
			wantTools(t, c, "s__a")
			if got := len(server.got("tools/list")); got != want {
				t.Errorf("the server was asked %d times, want %d", got, want)
			}
		}
		asked(1)
		asked(1)
		asked(1)
		time.Sleep(61 * time.Second)
		asked(2)
		server.peers[0].Notify("notifications/tools/list_changed", nil)
		asked(3)
		time.Sleep(time.Second) // the check in the background
	})
}

func TestPagesAreFollowedAndBounded(t *testing.T) {
	server := &fakeServer{answer: func(_ context.Context, c fakeCall) flow.Reply {
		page := 0
		fmt.Sscanf(strings.Trim(at(c.params, "/cursor"), `"`), "p%d", &page)
		if page == 2 {
			return flow.Reply{Result: []byte(`{"tools":[{"name":"t2"}]}`)}
		}
		return flow.Reply{Result: fmt.Appendf(nil, `{"nextCursor":"p%d","tools":[{"name":"t%d"}],"x":%d}`, page+1, page, page)}
	}}
	endless := &fakeServer{answer: func(_ context.Context, c fakeCall) flow.Reply {
		return flow.Reply{Result: fmt.Appendf(nil, `{"nextCursor":"%s","tools":[{"name":"t"}]}`, strings.Repeat("c", len(c.params)%7+1))}
	}}
	r := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{})
	got := r.open(t, "").ask("tools/list", `{}`)
	if want := `{"tools":[{"name":"s__t0"},{"name":"s__t1"},{"name":"s__t2"}],"x":0}`; at(got, "/result") != want {
		t.Errorf("got %s, want %s", got, want)
	}
	r = newRig(t, fakeUpstreams{"s": endless}, Project{Servers: []Server{{Name: "s"}}}, Options{})
	r.open(t, "").ask("tools/list", `{}`)
	if n := len(endless.got("tools/list")); n > catalog.MaxPages {
		t.Errorf("%d pages were read, limit %d", n, catalog.MaxPages)
	}
}

// A client that lost its session may call a tool before it has listed the tools.
func TestCallWithoutList(t *testing.T) {
	server := oneTool(func(context.Context, fakeCall) string { return emptyResult }, "t")
	r := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{})
	if got := r.open(t, "").ask("tools/call", `{"name":"s__t"}`); at(got, "/result") != emptyResult {
		t.Errorf("got %s", got)
	}
}

// Only tools that declare it are called in a way that may be repeated.
func TestRepeatableTools(t *testing.T) {
	server := scriptedServer(map[string]string{
		"tools/list":              `{"tools":[{"name":"read","annotations":{"readOnlyHint":true}},{"name":"same","annotations":{"idempotentHint":true}},{"name":"write","annotations":{"readOnlyHint":false}},{"name":"plain"}]}`,
		"tools/call":              emptyResult,
		"tools/call (repeatable)": emptyResult,
	})
	r := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{})
	c := r.open(t, "")
	for _, tool := range []string{"read", "same", "write", "plain"} {
		c.ask("tools/call", `{"name":"s__`+tool+`"}`)
	}
	if got := fmt.Sprint(server.got("tools/call (repeatable)")); got != `[{"name":"read"} {"name":"same"}]` {
		t.Errorf("repeatable: %s", got)
	}
	if got := fmt.Sprint(server.got("tools/call")); got != `[{"name":"write"} {"name":"plain"}]` {
		t.Errorf("not repeatable: %s", got)
	}
}

// A server gets the declarations of the client, and nothing else.
func TestServerGetsClientsDeclarations(t *testing.T) {
	server := oneTool(func(context.Context, fakeCall) string { return emptyResult }, "t")
	r := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{})
	const caps = `{"elicitation":{"form":{},"url":{}},"x-own":9007199254740993}`
	r.open(t, caps).ask("tools/call", `{"name":"s__t"}`)
	got := server.calls[0].client
	if string(got.Capabilities) != caps || string(got.Info) != `{"name":"test","version":"1"}` || got.Name != "test" {
		t.Errorf("the server got %+v", got)
	}
}

// A server that starts late gets the level and the subscriptions of the client.
func TestLateServerGetsLevelAndSubscriptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := map[string]string{"logging/setLevel": `{}`, "resources/subscribe": `{}`, "resources/list": `{"resources":[{"uri":"x:1"}]}`, "resources/templates/list": `{}`}
		early, late := scriptedServer(answers), scriptedServer(answers)
		r := newRig(t, fakeUpstreams{"early": early, "late": late}, Project{Servers: []Server{{Name: "early"}}}, Options{})
		c := r.open(t, "")
		c.ask("logging/setLevel", `{"level":"debug"}`)
		c.ask("resources/subscribe", `{"uri":"x:1"}`)
		r.projects.set(Project{Name: testProject, Servers: []Server{{Name: "late"}}})
		c.ask("ping", `{}`)
		synctest.Wait()
		for _, s := range []*fakeServer{early, late} {
			if got := fmt.Sprint(s.got("logging/setLevel"), s.got("resources/subscribe")); got != `[{"level":"debug"}] [{"uri":"x:1"}]` {
				t.Errorf("the server got %s", got)
			}
		}
	})
}
