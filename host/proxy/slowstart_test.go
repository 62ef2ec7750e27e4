package proxy

import (
	"context"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/host/flow"
)

// slowServer returns a server with the tool t that starts when up is closed.
func slowServer() *fakeServer {
	s := scriptedServer(map[string]string{"tools/list": `{"tools":[{"name":"t", "x":"<&>"}]}`})
	s.up, s.instructions = make(chan struct{}), "call t"
	return s
}

func (c *testClient) leave() {
	c.t.Helper()
	res, err := c.http.Do(c.request(context.Background(), http.MethodDelete, ""))
	if err != nil {
		c.t.Fatal(err)
	}
	c.body(res)
}

// The start of a server continues after a short session, so that the client finds the tools
// in its next session.
func TestStartContinuesAfterShortSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := slowServer()
		s := Server{Name: "s", Timeout: time.Minute}
		r := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{s}}, Options{})
		for range 3 {
			c := r.open(t, "")
			wantTools(t, c, "")
			c.leave()
			synctest.Wait()
		}
		if n := server.closed.Load(); n != 2 {
			t.Errorf("%d connections were closed, want 2: one server is still starting", n)
		}
		if err := r.ToolsFault("", s); err != nil {
			t.Errorf("a starting server is reported as failed: %v", err)
		}
		close(server.up)
		synctest.Wait()
		if n := server.closed.Load(); n != 3 {
			t.Errorf("%d connections were closed, want 3: the server was listed", n)
		}
		server.up = make(chan struct{}) // its next start is as slow
		c, began := r.open(t, ""), time.Now()
		wantTools(t, c, "s__t")
		if took := time.Since(began); took != 0 {
			t.Errorf("a known list took %v", took)
		}
	})
}

// After a short session, the start of a server is given up after its timeout.
func TestStartAfterShortSessionTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := slowServer()
		s := Server{Name: "s", Timeout: 20 * time.Second}
		r := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{s}}, Options{})
		r.open(t, "").leave()
		time.Sleep(19 * time.Second)
		if n := server.closed.Load(); n != 0 {
			t.Errorf("%d connections were closed before the timeout", n)
		}
		time.Sleep(2 * time.Second)
		if n := server.closed.Load(); n != 1 {
			t.Errorf("%d connections were closed after the timeout, want 1", n)
		}
		if err := r.ToolsFault("", s); err == nil {
			t.Error("the failure is not reported")
		}
		r.open(t, "").leave()
		r.Close() // does not wait for the start that goes on
	})
}

// The first list of an unknown server waits for its start.
func TestFirstListWaitsForSlowStart(t *testing.T) {
	for _, tt := range []struct {
		rule, client string
		wait, start  time.Duration
		want         string
	}{
		{"default", "test", 0, 7 * time.Second, "s__t"},
		{"longer than the default", "test", 0, 9 * time.Second, ""},
		{"configured", "test", 15 * time.Second, 14 * time.Second, "s__t"},
		{"client that reads lists again", "claude-code", 0, 7 * time.Second, "s__t"},
		{"client that reads lists again, longer than the default", "claude-code", 0, 9 * time.Second, ""},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := slowServer()
				time.AfterFunc(tt.start, func() { close(server.up) })
				r := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{ListWait: tt.wait})
				c := r.dial(t)
				c.name = tt.client
				c.initialize("")
				wantTools(t, c, tt.want)
				if tt.want != "" {
					return
				}
				stream := c.stream()
				if got := stream.must(t); at(got, "/method") != `"notifications/tools/list_changed"` {
					t.Errorf("got %s", got)
				}
				wantTools(t, c, "s__t")
				stream.c.Close()
			})
		})
	}
}

// With a client whose initialize must be short, initialize and the first list together wait
// for ListWait.
func TestInitializeAndFirstListShareWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, fakeUpstreams{"s": slowServer()}, Project{Servers: []Server{{Name: "s"}}}, Options{})
		c, began := r.dial(t), time.Now()
		c.name = "claude-code"
		c.initialize("")
		if took := time.Since(began); took != 3*time.Second {
			t.Errorf("initialize took %v, want 3 s", took)
		}
		wantTools(t, c, "")
		if took := time.Since(began); took != 8*time.Second {
			t.Errorf("initialize and the first list took %v, want 8 s", took)
		}
	})
}

// A session that waits for its own slow server uses the list that another session has read.
func TestListOfAnotherSessionEndsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		quick, slow := slowServer(), slowServer()
		close(quick.up)
		ups := fakeUpstreams{"s": slow}
		r := newSteeredRig(t, ups, Project{Servers: []Server{{Name: "s"}}}, Options{}, scriptedControllers("patch s/t"), nil)
		first := r.open(t, "")
		ups["s"] = quick
		time.AfterFunc(100*time.Millisecond, func() { r.open(t, "").ask("tools/list", `{}`) })
		began := time.Now()
		wantTools(t, first, "s__t")
		if took := time.Since(began); took != 100*time.Millisecond {
			t.Errorf("the list took %v", took)
		}
	})
}

// initialize waits for the instructions of a server that starts slowly.
func TestInitializeWaitsForInstructions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := slowServer()
		time.AfterFunc(2*time.Second, func() { close(server.up) })
		r := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{})
		if got := at(r.dial(t).initialize(""), "/result/instructions"); got != `"call t"` {
			t.Errorf("instructions %s", got)
		}
	})
}

// Instructions that are unknown at initialize follow with the next answer to a call, once.
// The answer of a controller, such as begin_session, names the servers that are starting.
func TestLateInstructionsFollowWithCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		quick, slow := slowServer(), slowServer()
		quick.answer = scriptedServer(map[string]string{"tools/list": `{"tools":[{"name":"t"}]}`, "tools/call": `{"content":[]}`}).answer
		time.AfterFunc(time.Second, func() { close(quick.up) })
		time.AfterFunc(time.Minute, func() { close(slow.up) })
		f := scriptedControllers("add {\"name\":\"begin\"}\nhide *\nanswer begin {\"content\":[]}")
		p := Project{Servers: []Server{{Name: "a"}, {Name: "b"}, {Name: "absent"}}}
		c := newSteeredRig(t, fakeUpstreams{"a": quick, "b": slow}, p, Options{}, f, nil).dial(t)
		if got := at(c.initialize(""), "/result/instructions"); got != "" {
			t.Errorf("instructions %s", got)
		}
		time.Sleep(2 * time.Second)
		for _, step := range []struct {
			call, want string
			after      time.Duration
		}{
			{"begin", `[{"type":"text","text":"Instructions of server a:\ncall t"},{"type":"text","text":"Still starting: b. Their tools and instructions follow."}]`, time.Minute},
			{"a__t", `[{"type":"text","text":"Instructions of server b:\ncall t"}]`, 0},
			{"a__t", `[]`, 0},
			{"begin", `[]`, 0},
		} {
			if got := c.ask("tools/call", `{"name":"`+step.call+`"}`); at(got, "/result/content") != step.want {
				t.Errorf("%s: %s\nwant %s", step.call, got, step.want)
			}
			time.Sleep(step.after)
		}
	})
}

// Late instructions wait for an answer whose blocks the model reads.
func TestLateInstructionsWaitForReadableAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := slowServer()
		answers := map[string]string{"tools/list": `{"tools":[{"name":"t","outputSchema":{"type":"object"}},{"name":"u"}]}`, "tools/call": `{"content":[],"structuredContent":{"x":1}}`}
		server.answer = scriptedServer(answers).answer
		time.AfterFunc(time.Second, func() { close(server.up) })
		c := newSteeredRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{}, scriptedControllers("hide none"), nil).open(t, "")
		time.Sleep(2 * time.Second)
		wantTools(t, c, "s__t s__u")
		if got := c.ask("tools/call", `{"name":"s__t"}`); at(got, "/result") != answers["tools/call"] {
			t.Errorf("answer with an outputSchema: %s", got)
		}
		if got := c.ask("tools/call", `{"name":"s__u"}`); at(got, "/result/content/1/text") != `"Instructions of server s:\ncall t"` {
			t.Errorf("answer without: %s", got)
		}
	})
}

// memoryLists is a catalog.Store in memory.
type memoryLists struct {
	mu     sync.Mutex
	values map[string][]byte
	sets   int
}

func (m *memoryLists) Get(key string) ([]byte, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.values[key]
	return v, ok
}

func (m *memoryLists) Set(key string, value []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.values == nil {
		m.values = make(map[string][]byte)
	}
	m.values[key], m.sets = value, m.sets+1
}

// Lists outlive the Endpoint that read them, until the server's spec changes. Damaged values
// are ignored.
func TestKnownListsOutliveDaemon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept := &memoryLists{}
		open := func(s *fakeServer, revision string) (*rig, *testClient) {
			r := newRig(t, nil, Project{Servers: []Server{{Name: "s", Revision: revision}}}, Options{})
			r.Endpoint.Close()
			r.Endpoint = Open(Parts{Projects: r.projects, Upstreams: fakeUpstreams{"s": s}, Transformer: r.pipeline, Reader: r.pipeline, Events: r.events, Known: kept}, Options{})
			t.Cleanup(r.Endpoint.Close)
			return r, r.dial(t)
		}
		ready := slowServer()
		close(ready.up)
		_, c := open(ready, "1")
		hello := c.initialize("")
		list := c.ask("tools/list", `{}`)
		c.ask("tools/list", `{}`)
		if kept.sets != 2 {
			t.Errorf("written %d times, want 2: for the handshake and for the list", kept.sets)
		}

		slow := slowServer()
		began := time.Now()
		r, c := open(slow, "1")
		if got := c.initialize(""); at(got, "/result") != at(hello, "/result") {
			t.Errorf("initialize after a restart\n got %s\nwant %s", got, hello)
		}
		stream := c.stream()
		if got := c.ask("tools/list", `{}`); at(got, "/result") != at(list, "/result") {
			t.Errorf("list after a restart\n got %s\nwant %s", got, list)
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("a known list took %v", took)
		}
		slow.setAnswer(listingServer(&[]string{"other"}).answer)
		close(slow.up)
		if got := stream.must(t); at(got, "/method") != `"notifications/tools/list_changed"` {
			t.Errorf("got %s", got)
		}
		wantTools(t, c, "s__other")
		stream.c.Close()
		r.Close()

		_, c = open(slowServer(), "2")
		c.initialize("")
		wantTools(t, c, "")

		for _, damaged := range []string{"", "{", `{"capabilities":"x"}`, `{"capabilities":"{}","lists":{"tools/list":{"items":["{"]}}}`,
			`{"capabilities":"{}","lists":{"tools/list":{"frame":"[]","items":[]}}}`, `{"capabilities":"{}","lists":{"tools/list":{"items":["{\"name\":1}"]}}}`} {
			for key := range maps.Clone(kept.values) {
				kept.Set(key, []byte(damaged))
			}
			_, c = open(slowServer(), "1")
			c.initialize("")
			wantTools(t, c, "")
		}
	})
}

// A closed gate shows only its own tool, so its first list waits for no server: neither a
// hanging one, nor a slow one, nor one whose list is known.
func TestClosedGateWaitsForNoServer(t *testing.T) {
	const closed = "add {\"name\":\"begin\"}\nhide *\nanswer begin {\"content\":[]}"
	synctest.Test(t, func(t *testing.T) {
		alive, dead := oneTool(nil, "t"), slowServer()
		alive.up = make(chan struct{})
		time.AfterFunc(600*time.Millisecond, func() { close(alive.up) })
		mute := &fakeServer{answer: func(ctx context.Context, _ fakeCall) flow.Reply { <-ctx.Done(); return flow.Reply{} }}
		f := scriptedControllers(closed)
		p := Project{Servers: []Server{{Name: "alive"}, {Name: "dead"}, {Name: "mute"}}}
		r := newSteeredRig(t, fakeUpstreams{"alive": alive, "dead": dead, "mute": mute}, p, Options{}, f, nil)
		c := r.open(t, "")
		began := time.Now()
		wantTools(t, c, "begin")
		if took := time.Since(began); took != 0 {
			t.Errorf("the first list took %v", took)
		}
		time.Sleep(time.Second)
		f.setScript(strings.Replace(closed, "hide *", "hide none", 1) + "\nnote begin notifications/tools/list_changed")
		stream := c.stream()
		go func() {
			if got := stream.must(t); at(got, "/method") != `"notifications/tools/list_changed"` {
				t.Errorf("got %s", got)
			}
			began := time.Now()
			wantTools(t, c, "begin alive__t")
			if took := time.Since(began); took > knownWait {
				t.Errorf("the list after the gate has opened took %v", took)
			}
		}()
		began = time.Now()
		c2 := *c
		c2.next = 100
		c2.ask("tools/call", `{"name":"begin"}`)
		if took := time.Since(began); took >= maxListWait {
			t.Errorf("the answer that opens the gate took %v", took)
		}
		synctest.Wait()
		stream.c.Close()
	})
}

// If controllers hide the tools of one server, the first list still waits for another one.
func TestListWaitsForShownServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shown, hidden := slowServer(), slowServer()
		time.AfterFunc(3*time.Second, func() { close(shown.up) })
		f := scriptedControllers("add {\"name\":\"find\"}\nhide hidden/not-listed-yet")
		p := Project{Servers: []Server{{Name: "shown"}, {Name: "hidden"}}}
		r := newSteeredRig(t, fakeUpstreams{"shown": shown, "hidden": hidden}, p, Options{}, f, nil)
		c := r.open(t, "")
		began := time.Now()
		wantTools(t, c, "find shown__t")
		if took := time.Since(began); took > 3*time.Second {
			t.Errorf("the list took %v", took)
		}
	})
}
