package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/access"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/databasetest"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/mcpdtest"
	"github.com/mcpctl/mcpctl/host/object"
)

// stream is an open stream of changes.
type stream struct {
	status int
	events chan event // closed at its end
	end    context.CancelFunc
}

type event struct {
	name, id string
	data     string
	change   api.TeamChange // of the event change
}

// String returns an event as the tests compare it: "put prompt p/a".
func (e event) String() string {
	if e.name != api.TeamEventChange {
		return e.name
	}
	name := e.change.Name
	if e.change.Project != "" {
		name = e.change.Project + "/" + name
	}
	return e.change.Op + " " + e.change.Kind + " " + name
}

// watch opens a stream with a client. header has pairs of names and values.
func watch(t *testing.T, client *http.Client, url, token, since string, header ...string) *stream {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, "GET", url+"/api/v1/watch?since="+since, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	s := &stream{status: resp.StatusCode, events: make(chan event, 10_000), end: cancel}
	go func() {
		defer resp.Body.Close()
		defer close(s.events)
		var e event
		lines := bufio.NewScanner(resp.Body)
		lines.Buffer(nil, 8<<20)
		for lines.Scan() {
			key, value, _ := strings.Cut(lines.Text(), ": ")
			switch key {
			case "id":
				e.id = value
			case "event":
				e.name = value
			case "data":
				e.data = value
				_ = json.Unmarshal([]byte(value), &e.change)
			case ":":
				e.name = "heartbeat"
			case "":
				s.events <- e
				e = event{}
			}
		}
	}()
	return s
}

// next returns the next event, or one named "end".
func (s *stream) next(t *testing.T) event {
	t.Helper()
	select {
	case e, ok := <-s.events:
		if !ok {
			e.name = "end"
		}
		return e
	case <-time.After(30 * time.Second):
		t.Fatal("no event")
		return event{}
	}
}

// want checks the next events.
func (s *stream) want(t *testing.T, events ...string) {
	t.Helper()
	for _, want := range events {
		if got := s.next(t).String(); got != want {
			t.Fatalf("got event %q, want %q", got, want)
		}
	}
}

func version(s *mcpdtest.Server) string { return strconv.FormatInt(s.Feed.Version(), 10) }

func promptYAML(name, content string) string {
	return fmt.Sprintf("kind: Prompt\nmetadata: {name: %s, project: p}\nspec: {content: %q}\n", name, content)
}

func TestWatch(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s := mcpdtest.Start(t, address)
		s.Apply(t, team)
		token, start := s.Token(t, "viewer"), version(s)
		w := watch(t, http.DefaultClient, s.URL, token, start)
		w.want(t, "sync")
		s.Apply(t, promptYAML("a", "1"))
		put := w.next(t)
		if put.String() != "put prompt p/a" || put.id != version(s) || put.change.Version != put.id || put.change.Object == nil || put.change.Object.Revision != put.id || put.change.Object.Source != api.SourceTeam {
			t.Errorf("got %+v", put)
		}
		w.want(t, "sync")
		s.Delete(t, object.Key{Kind: object.KindPrompt, Project: "p", Name: "a"})
		if e := w.next(t); e.String() != "delete prompt p/a" || e.change.Object != nil {
			t.Errorf("got %+v", e)
		}
		w.want(t, "sync")
		s.Apply(t, "kind: User\nmetadata: {name: new}\n") // hidden
		if e := w.next(t); e.name != "sync" || e.id != version(s) {
			t.Errorf("a change that the caller may not see: %+v, want a sync", e)
		}
		// The replay of what is kept in memory, by either parameter.
		watch(t, http.DefaultClient, s.URL, token, start).want(t, "put prompt p/a", "delete prompt p/a", "sync")
		watch(t, http.DefaultClient, s.URL, token, "0", "Last-Event-ID", put.id).want(t, "delete prompt p/a", "sync")
		if err := s.Store.Compact(t.Context(), s.Feed.Version()-1); err != nil {
			t.Fatal(err)
		}
		again := mcpdtest.Start(t, address) // without changes in memory
		for since, want := range map[string]int{"1": http.StatusGone, version(s): http.StatusOK} {
			if got := watch(t, http.DefaultClient, again.URL, token, since); got.status != want {
				t.Errorf("since %s after compaction: status %d, want %d", since, got.status, want)
			}
		}
	})
}

// Watchers who read while others write get each change once, in order and without gaps; also
// if they come from a version that is no longer in memory.
func TestWatchHasNoGaps(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s := mcpdtest.Start(t, address)
		s.Apply(t, team)
		token, start := s.Token(t, "admin"), s.Feed.Version()
		const writers, rounds = 4, 15
		streams := []*stream{watch(t, http.DefaultClient, s.URL, token, version(s))}
		var all sync.WaitGroup
		for w := range writers {
			all.Go(func() {
				for i := range rounds {
					body := mcpdtest.ApplyBody(promptYAML(fmt.Sprintf("w%d-%d", w, i), "x"))
					if got := s.Do(t, token, "POST", "/api/v1/apply", body); got.Status != 200 {
						t.Errorf("apply: %+v", got)
					}
				}
			})
			streams = append(streams, watch(t, http.DefaultClient, s.URL, token, strconv.FormatInt(start, 10)))
		}
		all.Wait()
		for i, w := range streams {
			for n := start + 1; n <= start+writers*rounds; n++ {
				e := w.next(t)
				for e.name == "sync" {
					e = w.next(t)
				}
				if e.id != strconv.FormatInt(n, 10) {
					t.Fatalf("stream %d: event %+v, want version %d", i, e, n)
				}
			}
		}
	})
}

// The client must take a new snapshot when its rights change, and only then.
func TestWatchResyncs(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		binding := func(name, subjects, spec string) string {
			return fmt.Sprintf("kind: RbacBinding\nmetadata: {name: %s}\nspec: {subjects: [%s], %s}\n", name, subjects, spec)
		}
		const view = "verbs: [view], projects: [p]"
		groups := "kind: Group\nmetadata: {name: g1}\nspec: {members: [stranger]}\n---\nkind: Group\nmetadata: {name: g2}\nspec: {members: [stranger]}\n---\n"
		for _, tt := range []struct {
			name, before, change string
			want                 string
		}{
			{"of another user", "", binding("b", "{user: viewer}", view), "sync"},
			{"another user is disabled", "", disable, "sync"},
			{"a group without rights", "", "kind: Group\nmetadata: {name: g}\nspec: {members: [stranger]}\n", "sync"},
			{"another subject of its binding", binding("b", "{user: stranger}", view), binding("b", "{user: stranger}, {user: viewer}", view), "sync"},
			{"the same right once more", binding("b", "{user: stranger}", view), binding("c", "{user: stranger}", view), "sync"},
			{"a binding without effect on it", binding("b", "{user: stranger}", view), binding("c", "{group: editors}", view), "sync"},
			{"a right more", "", binding("b", "{user: stranger}", view), "resync"},
			{"a right less", binding("b", "{user: stranger}", "verbs: [view]"), binding("b", "{user: stranger}", view), "resync"},
			{"a right of its group", groups + binding("b", "{group: g1}", view), binding("b", "{group: g1}", "verbs: [view]"), "resync"},
			{"a right of two of its groups", groups + binding("b", "{group: g1}, {group: g2}", view), binding("b", "{group: g1}, {group: g2}", "verbs: [view]"), "resync"},
			{"its right and its group's", groups + binding("b", "{user: stranger}, {group: g2}", view), binding("b", "{user: stranger}, {group: g2}", "verbs: [view]"), "resync"},
			{"a member of a group", groups + binding("b", "{group: editors}", view), "kind: Group\nmetadata: {name: editors}\nspec: {members: [editor, stranger]}\n", "resync"},
			{"disabled", "", "kind: User\nmetadata: {name: stranger}\nspec: {disabled: true}\n", "revoked"},
		} {
			t.Run(tt.name, func(t *testing.T) {
				address := address
				if strings.HasPrefix(address, "postgres") {
					address = databasetest.NewPostgres(t)
				} else {
					address = t.TempDir() + "/db"
				}
				s := mcpdtest.Start(t, address)
				s.Apply(t, team)
				if tt.before != "" {
					s.Apply(t, tt.before)
				}
				token, since := s.Token(t, "stranger"), version(s)
				open := watch(t, http.DefaultClient, s.URL, token, since)
				open.want(t, "sync")
				s.Apply(t, tt.change)
				open.want(t, tt.want)
				if tt.want == "revoked" {
					return
				}
				// A client that was away meanwhile is told the same when it comes back.
				watch(t, http.DefaultClient, s.URL, token, since).want(t, tt.want)
				watch(t, http.DefaultClient, s.URL, token, version(s)).want(t, "sync")
			})
		}
	})
}

// A caller who may run the servers of a project sees them as long as the project uses them.
func TestWatchShowsServersOfAProject(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s := mcpdtest.Start(t, address)
		s.Apply(t, team)
		token, start := s.Token(t, "sa-robot"), version(s)
		w := watch(t, http.DefaultClient, s.URL, token, start)
		w.want(t, "sync")
		project := func(servers string) string {
			return "kind: Project\nmetadata: {name: p}\nspec: {servers: [" + servers + "]}\n"
		}
		s.Apply(t, project("s, unused"))
		w.want(t, "put server s", "put server unused", "sync")
		s.Apply(t, project("unused"))
		w.want(t, "delete server s", "put server unused", "sync")
		s.Apply(t, "kind: Server\nmetadata: {name: s}\nspec: {url: 'http://127.0.0.1:3/'}\n") // hidden again
		w.want(t, "sync")
		s.Delete(t, object.Key{Kind: object.KindProject, Name: "p"})
		events := map[string]bool{}
		for e := w.next(t); e.name != "sync"; e = w.next(t) {
			events[e.String()] = true
		}
		if len(events) != 1 || !events["delete server unused"] {
			t.Errorf("a deleted project: %v", events)
		}
		replay := watch(t, http.DefaultClient, s.URL, token, start)
		seen := map[string]string{}
		for e := replay.next(t); e.name != "sync"; e = replay.next(t) {
			seen[e.change.Name] = e.change.Op
		}
		if seen["s"] != "delete" || seen["unused"] != "delete" {
			t.Errorf("the replay ends with %v", seen)
		}
		var snapshot api.Snapshot
		s.Do(t, token, "GET", "/api/v1/snapshot", "").Decode(t, &snapshot)
		if len(snapshot.Objects) != 0 {
			t.Errorf("the snapshot has %+v", snapshot.Objects)
		}
	})
}

// A process that has just started does not know whose rights the changes before it concern.
func TestWatchAfterRestart(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s := mcpdtest.Start(t, address)
		s.Apply(t, team)
		token, before := s.Token(t, "viewer"), version(s)
		s.Apply(t, promptYAML("a", "1"))
		between := version(s)
		s.Apply(t, "kind: User\nmetadata: {name: new}\n")
		s.Apply(t, promptYAML("a", "2"))
		again := mcpdtest.Start(t, address)
		watch(t, http.DefaultClient, again.URL, token, before).want(t, "resync", "end")
		watch(t, http.DefaultClient, again.URL, token, between).want(t, "resync", "end")
		last := strconv.FormatInt(again.Feed.Version()-1, 10)
		watch(t, http.DefaultClient, again.URL, token, last).want(t, "put prompt p/a", "sync")
	})
}

func TestSnapshot(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s := mcpdtest.Start(t, address)
		s.Apply(t, team)
		get := func(token, match string) mcpdtest.Answer {
			return s.Do(t, token, "GET", "/api/v1/snapshot", "", "If-None-Match", match)
		}
		viewer, editor := s.Token(t, "viewer"), s.Token(t, "stranger")
		first := get(viewer, "")
		var snapshot api.Snapshot
		first.Decode(t, &snapshot)
		if snapshot.Version != version(s) || len(snapshot.Objects) != 6 {
			t.Errorf("version %s, %d objects", snapshot.Version, len(snapshot.Objects))
		}
		tag := first.Header.Get("ETag")
		if got := get(viewer, tag); got.Status != 304 || got.Body != "" || got.Header.Get("ETag") != tag {
			t.Errorf("unchanged: %+v", got)
		}
		if got := get(editor, tag); got.Status != 200 {
			t.Errorf("the tag of a caller with other rights: %+v", got)
		}
		s.Apply(t, promptYAML("a", "changed"))
		if got := get(viewer, tag); got.Status != 200 || got.Header.Get("ETag") == tag {
			t.Errorf("changed: %+v", got)
		}
	})
}

// memory is a listener whose connections are in memory, so that the clock of synctest runs.
type memory chan net.Conn

func (m memory) Accept() (net.Conn, error) {
	c, ok := <-m
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (m memory) Close() error   { close(m); return nil }
func (m memory) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// inMemory serves a server in a bubble of synctest.
func inMemory(t *testing.T) (*mcpdtest.Server, *http.Client) {
	t.Helper()
	s := mcpdtest.Assemble(t, t.TempDir()+"/db")
	s.URL = "http://mcpd"
	lis := make(memory)
	server := &http.Server{Handler: s.Handler()}
	go server.Serve(lis)
	transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		client, conn := net.Pipe()
		lis <- conn
		return client, nil
	}}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		server.Close()
	})
	return s, &http.Client{Transport: transport}
}

func TestWatchHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, client := inMemory(t)
		s.Apply(t, team)
		w := watch(t, client, s.URL, s.Token(t, "viewer"), version(s))
		w.want(t, "sync")
		began := time.Now()
		w.want(t, "heartbeat", "heartbeat")
		if took := time.Since(began); took != 2*api.TeamHeartbeat {
			t.Errorf("two heartbeats took %v", took)
		}
		w.end()
	})
}

// A stream ends at most 5 seconds after its token is no longer valid.
func TestWatchOfAnInvalidToken(t *testing.T) {
	for name, end := range map[string]func(t *testing.T, s *mcpdtest.Server, c access.Caller){
		"revoked": func(t *testing.T, s *mcpdtest.Server, c access.Caller) {
			if err := s.Access.Revoke(t.Context(), c.ID(), func(access.Caller) error { return nil }); err != nil {
				t.Fatal(err)
			}
		},
		"expired": func(t *testing.T, _ *mcpdtest.Server, c access.Caller) { time.Sleep(time.Until(c.Expires)) },
		"deleted user": func(t *testing.T, s *mcpdtest.Server, c access.Caller) {
			s.Delete(t, object.Key{Kind: object.KindUser, Name: c.Name})
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, client := inMemory(t)
				s.Apply(t, team)
				token, caller, err := s.Access.Issue(t.Context(), access.Grant{Kind: object.KindUser, Name: "viewer", Label: "x", Life: 2 * time.Minute, By: "test"})
				if err != nil {
					t.Fatal(err)
				}
				w := watch(t, client, s.URL, token.Reveal(), version(s))
				w.want(t, "sync")
				end(t, s, caller)
				began := time.Now()
				var e event
				for e = w.next(t); e.name == "heartbeat" || e.name == "sync"; e = w.next(t) {
				}
				if took := time.Since(began); e.name != "revoked" || took > 5*time.Second {
					t.Errorf("got %q after %v", e, took)
				}
				if want := map[bool]string{true: `{"expired":true}`, false: "{}"}[name == "expired"]; e.data != want {
					t.Errorf("data %s, want %s", e.data, want)
				}
				w.want(t, "end")
			})
		})
	}
}

// A login that only a stream uses stays valid.
func TestWatchIsAUseOfTheToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, client := inMemory(t)
		s.Apply(t, team)
		token, _, err := s.Access.Issue(t.Context(), access.Grant{Kind: object.KindUser, Name: "viewer", Life: time.Hour, Idle: 10 * time.Minute, By: "test"})
		if err != nil {
			t.Fatal(err)
		}
		w := watch(t, client, s.URL, token.Reveal(), version(s))
		w.want(t, "sync")
		time.Sleep(30 * time.Minute)
		if _, err := s.Access.Authenticate(t.Context(), token.Reveal()); err != nil {
			t.Errorf("after half an hour of watching: %v", err)
		}
		w.end()
		time.Sleep(11 * time.Minute)
		if _, err := s.Access.Authenticate(t.Context(), token.Reveal()); err == nil {
			t.Error("an idle login is valid")
		}
	})
}

// A client that does not read is cut off after 10 seconds, and gets the rest when it comes back.
func TestSlowReaderIsCutOffAndResumes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, client := inMemory(t)
		s.Apply(t, team)
		token, start := s.Token(t, "viewer"), s.Feed.Version()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, "GET", s.URL+"/api/v1/watch?since="+version(s), nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		const changes = 5
		for i := range changes {
			s.Apply(t, promptYAML("a", strings.Repeat(strconv.Itoa(i), 100_000)))
		}
		time.Sleep(time.Minute) // nobody reads resp.Body
		last := strconv.FormatInt(start, 10)
		complete := 0
		lines := bufio.NewScanner(resp.Body)
		lines.Buffer(nil, 8<<20)
		for id := ""; lines.Scan(); {
			if text, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
				id = text
			}
			if lines.Text() == "" && id != "" {
				last, complete = id, complete+1
			}
		}
		if complete >= changes {
			t.Fatalf("a client that did not read for a minute got all %d events", complete)
		}
		w := watch(t, client, s.URL, token, "0", "Last-Event-ID", last)
		for e := w.next(t); e.name != "sync"; e = w.next(t) {
			last = e.id
		}
		if last != version(s) {
			t.Errorf("the resumed stream ends at version %s, want %s", last, version(s))
		}
		w.end()
	})
}
