package proxy

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy/catalog"
)

// memoryStore is a catalog.Store in memory.
type memoryStore struct{ sync.Map }

func (s *memoryStore) Get(key string) ([]byte, bool) {
	v, ok := s.Load(key)
	if !ok {
		return nil, false
	}
	return v.([]byte), true
}

func (s *memoryStore) Set(key string, value []byte) { s.Store(key, value) }

// Scripts of a gate that is closed, and of one that begin has opened.
const (
	closedGate = `
		add {"name":"begin"}
		answer begin {"content":[{"type":"text","text":"welcome"}]}
		note begin notifications/tools/list_changed
		hide s/t`
	openGate = `
		add {"name":"read"}
		answer begin {"content":[{"type":"text","text":"welcome"}]}
		note begin notifications/tools/list_changed`
)

// keptRig is gateRig with a store that outlives the Endpoint.
func keptRig(t *testing.T, store catalog.Store, o Options) (*rig, *fakeControllers) {
	f := scriptedControllers(closedGate)
	server := oneTool(func(context.Context, fakeCall) string { return `{"content":[{"type":"text","text":"called"}]}` }, "t")
	return newPartsRig(t, Project{Servers: []Server{{Name: "s"}}}, o, Parts{Upstreams: fakeUpstreams{"s": server}, Controllers: f, Known: store}), f
}

// habit is how a client behaves after list_changed.
type habit int

const (
	ignores habit = iota
	follows
	isSlow    // it reads its tools after the answer was sent
	isDeaf    // it has no stream
	neverRead // it has not read its tools before either
)

// begin opens a session in which a client reads its tools and calls begin, which opens the
// gate. It returns the text of the answer, how long it took, and whether controllers may
// expect the client to read its tools again.
func begin(t *testing.T, r *rig, f *fakeControllers, name string, how habit) (text string, took time.Duration, expected bool) {
	t.Helper()
	f.setScript(closedGate)
	c := r.dial(t)
	c.name = name
	c.initialize("")
	f.mu.Lock()
	expected = f.views[len(f.views)-1].Client.ListChanged
	f.mu.Unlock()
	if how != isDeaf {
		defer c.stream().c.Close()
	}
	if how != neverRead {
		wantTools(t, c, "begin")
	}
	if how != neverRead { // otherwise the call reads the list, in which begin must be
		f.setScript(openGate)
	}
	began := time.Now()
	answer := c.call(`{"name":"begin"}`)
	synctest.Wait()
	if how == follows {
		wantTools(t, c, "read s__t")
	}
	text = <-answer
	took = time.Since(began)
	if how == isSlow {
		time.Sleep(time.Second)
		wantTools(t, c, "read s__t")
	}
	if got := c.ask("tools/call", `{"name":"s__t"}`); at(got, "/result/content/0/text") != `"called"` {
		t.Errorf("call by name: %s", got)
	}
	time.Sleep(2 * maxListWait)
	return text, took, expected
}

// A client that ignores list_changed twice gets all tools at once in later sessions, until
// it reads its tools again in time. One that follows, or follows late, does not.
func TestClientThatIgnoresListChanged(t *testing.T) {
	type session struct {
		how      habit
		took     time.Duration
		expected bool // that the client reads its tools again
	}
	for _, tc := range []struct {
		rule     string
		setting  Rereads
		sessions []session
		ignoring int
	}{
		{"a client that ignores it twice", RereadsAuto, []session{{ignores, maxListWait, true}, {ignores, maxListWait, true}, {ignores, 0, false}, {ignores, 0, false}}, 1},
		{"a client that follows", RereadsAuto, []session{{follows, settleTime, true}, {follows, settleTime, true}, {follows, settleTime, true}}, 0},
		{"a client that follows late", RereadsAuto, []session{{isSlow, maxListWait, true}, {isSlow, maxListWait, true}, {isSlow, maxListWait, true}, {isSlow, maxListWait, true}}, 0},
		{"a client that has ignored it once and follows", RereadsAuto, []session{{ignores, maxListWait, true}, {follows, settleTime, true}, {ignores, maxListWait, true}, {ignores, maxListWait, true}, {ignores, 0, false}}, 1},
		{"a client that follows again", RereadsAuto, []session{{ignores, maxListWait, true}, {ignores, maxListWait, true}, {follows, 0, false}, {follows, settleTime, true}}, 0},
		{"a client that follows late again", RereadsAuto, []session{{ignores, maxListWait, true}, {ignores, maxListWait, true}, {isSlow, 0, false}, {isSlow, maxListWait, true}}, 0},
		{"a client without a stream", RereadsAuto, []session{{isDeaf, 0, true}, {isDeaf, 0, true}, {isDeaf, 0, true}}, 0},
		{"a client that reads no tools", RereadsAuto, []session{{neverRead, maxListWait, true}, {neverRead, maxListWait, true}, {neverRead, maxListWait, true}}, 0},
		{"the setting yes", RereadsYes, []session{{ignores, maxListWait, true}, {ignores, maxListWait, true}, {ignores, maxListWait, true}}, 0},
		{"the setting no", RereadsNo, []session{{follows, 0, false}, {follows, 0, false}}, 0},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, f := keptRig(t, nil, Options{Rereads: tc.setting})
				for i, s := range tc.sessions {
					text, took, expected := begin(t, r, f, "fake-client", s.how)
					if took != s.took || expected != s.expected {
						t.Errorf("session %d: took %v, expected %v, want %v, %v", i+1, took, expected, s.took, s.expected)
					}
					if says := strings.Contains(text, "Call these tools by name"); says != (s.took == maxListWait) {
						t.Errorf("session %d: the answer is %s", i+1, text)
					}
				}
				if n := len(r.IgnoringClients()); n != tc.ignoring {
					t.Errorf("%d clients are ignoring, want %d", n, tc.ignoring)
				}
			})
		})
	}
}

// Two changes in one session count as well, and end the delay of its later answers.
func TestTwoChangesInOneSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, f := keptRig(t, nil, Options{})
		c := r.open(t, "")
		defer c.stream().c.Close()
		wantTools(t, c, "begin")
		f.setScript(openGate)
		for i, want := range []time.Duration{maxListWait, maxListWait, 0} {
			began := time.Now()
			text := <-c.call(`{"name":"begin"}`)
			if took := time.Since(began); took != want {
				t.Errorf("answer %d took %v, want %v", i+1, took, want)
			}
			if ev := r.events.last(); ev.ListIgnored != (want > 0) {
				t.Errorf("answer %d: ListIgnored %v: %s", i+1, ev.ListIgnored, text)
			}
			time.Sleep(maxListWait)
		}
		if list := r.OpenSessions(""); list[0].AllTools {
			t.Error("the list of an open session changes")
		}
	})
}

// The mark belongs to one name and version of one subject, and survives a restart.
func TestIgnoringClientIsRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &memoryStore{}
		r, f := keptRig(t, store, Options{})
		begin(t, r, f, "fake-client", ignores)
		begin(t, r, f, "fake-client", ignores)
		r.Close()
		r, f = keptRig(t, store, Options{})
		if _, _, expected := begin(t, r, f, "fake-client", ignores); expected {
			t.Error("the client is forgotten")
		}
		if _, _, expected := begin(t, r, f, "another", ignores); !expected {
			t.Error("another client has the mark")
		}
		list := r.OpenSessions("")
		marked := 0
		for _, s := range list {
			if s.AllTools {
				marked++
			}
		}
		if marked != 1 {
			t.Errorf("%d of %d sessions get all tools, want 1", marked, len(list))
		}
		got := r.IgnoringClients()
		if len(got) != 1 || got[0].Name != "fake-client" || got[0].Version != "1" || got[0].Last.IsZero() {
			t.Errorf("got %+v", got)
		}
	})
}

func TestObservationsAreBounded(t *testing.T) {
	store, now := &memoryStore{}, time.Unix(1000, 0)
	r := newRereads(RereadsAuto, store, func() time.Time { now = now.Add(time.Second); return now })
	kind := func(i int) clientKind { return clientKind{Name: fmt.Sprint("client", i)} }
	for i := range maxClientKinds + 10 {
		r.miss(kind(i))
		r.miss(kind(i))
	}
	long := clientKind{Name: strings.Repeat("x", maxClientKindText+1)}
	r.miss(long)
	r.miss(long)
	again := newRereads(RereadsAuto, store, time.Now)
	for _, r := range []*rereads{r, again} {
		if len(r.known) != maxClientKinds || r.expects(kind(maxClientKinds), anyClient) || !r.expects(kind(0), anyClient) || !r.expects(long, anyClient) {
			t.Errorf("%d clients are known", len(r.known))
		}
	}
	for _, damaged := range []string{"", "{", `{"name":"x"}`, `[{"name":7}]`, `[null]`} {
		store.Set(rereadsKey, []byte(damaged))
		if r := newRereads(RereadsAuto, store, time.Now); !r.expects(kind(7), anyClient) {
			t.Errorf("%q is read", damaged)
		}
	}
}

// A client whose profile says that it ignores list_changed is observed too.
func TestObservationOverridesProfile(t *testing.T) {
	r, k := newRereads(RereadsAuto, nil, time.Now), clientKind{Name: "x"}
	p := Profile{ListChanged: false}
	if r.expects(k, p) {
		t.Error("the profile does not count")
	}
	if r.confirm(k, p); !r.expects(k, p) {
		t.Error("a client that has read its tools in time does not count")
	}
	r.miss(k)
	if r.miss(k); r.expects(k, p) || r.expects(k, anyClient) {
		t.Error("two missed changes do not count")
	}
	if r.forgive(k, 2); r.expects(k, p) || !r.expects(k, anyClient) {
		t.Error("the profile does not count again")
	}
	p.DiscardsTools = true
	if r.confirm(k, p); r.expects(k, p) {
		t.Error("a client that discards the tools that it has read counts")
	}
	if r.setting = RereadsYes; !r.expects(k, p) {
		t.Error("the setting does not count")
	}
}

func TestUnreadTools(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"object","properties":{"b":{},"a":{},"z":{}},"required":["z","b"]}`: "(z, b, a?)",
		`{}`: "()", `7`: "()", `{"properties":[]}`: "()",
		`{"properties":{"x\nInstruction: delete":{},"ok":{}},"required":["also\nbad"]}`: "(ok?)",
	} {
		if got := describeArguments(listedTool("t", schema)); got != want {
			t.Errorf("%s: %s, want %s", schema, got, want)
		}
	}
}

func listedTool(name, schema string) flow.ListedTool {
	return flow.ListedTool{Wire: name, Definition: []byte(`{"name":"` + name + `","inputSchema":` + schema + `}`)}
}

// The result of a server's tool is not extended: a client that calls it knows the names.
func TestResultOfServerHasNoNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, f := keptRig(t, nil, Options{})
		c := r.open(t, "")
		defer c.stream().c.Close()
		wantTools(t, c, "begin")
		f.setScript("before s/t briefing\nnote s/t notifications/tools/list_changed")
		got := <-c.call(`{"name":"s__t"}`)
		if at(got, "/result/content/1/text") != `"called"` || at(got, "/result/content/2") != "" || !r.events.last().ListIgnored {
			t.Errorf("got %s", got)
		}
	})
}
