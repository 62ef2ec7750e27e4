package event

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

func ids(events []Event) string {
	var out []string
	for _, e := range events {
		s := fmt.Sprint(e.ID)
		if e.Dropped > 0 {
			s += fmt.Sprintf("(-%d)", e.Dropped)
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

// IDs have no gaps, the oldest Events are evicted first, and evicted Events are
// counted.
func TestRingKeepsLatestEvents(t *testing.T) {
	for _, c := range []struct {
		name     string
		max, add int
		since    uint64
		want     string
	}{
		{"empty", 4, 0, 0, ""},
		{"all", 4, 3, 0, "1 2 3"},
		{"after one", 4, 3, 2, "3"},
		{"after the last", 4, 3, 3, ""},
		{"full", 4, 4, 0, "1 2 3 4"},
		{"one evicted", 4, 5, 0, "2(-1) 3 4 5"},
		{"many evicted", 4, 1001, 0, "998(-997) 999 1000 1001"},
		{"gap in the middle", 4, 10, 3, "7(-3) 8 9 10"},
		{"no gap", 4, 10, 6, "7 8 9 10"},
		{"id of an earlier process", 4, 3, 500, "1 2 3"},
		{"one slot", 1, 3, 0, "3(-2)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := New(Options{MaxEvents: c.max})
			for i := range c.add {
				if id := r.Add(Event{Type: ToolCall}); id != uint64(i+1) {
					t.Fatalf("event %d got id %d", i+1, id)
				}
			}
			if got := ids(r.Since(c.since, Query{})); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if r.Last() != uint64(c.add) {
				t.Errorf("Last is %d, want %d", r.Last(), c.add)
			}
		})
	}
}

// A huge event is truncated and does not evict all others.
func TestRingIsLimitedByBytes(t *testing.T) {
	r := New(Options{MaxBytes: 1 << 20})
	for range 5000 {
		r.Add(Event{Type: ToolCall, Source: "files/read"})
	}
	small := len(r.Since(0, Query{}))
	if small < 500 || small > 2100 {
		t.Errorf("%d small events in 1 MiB", small)
	}
	log := make([]abi.LogLine, 1000)
	for i := range log {
		log[i].Text = strings.Repeat("x", 8<<10)
	}
	report := flow.RunReport{Stages: []flow.StageReport{{Role: "noisy", Log: log, Error: strings.Repeat("é", 5000)}}}
	id := r.Add(Event{Type: ToolCall, Error: strings.Repeat("e", 1<<20), Runs: []flow.RunReport{report}, Refs: make([]string, 1<<16)})
	e, ok := r.Get(id)
	if !ok || !e.Truncated || len(e.Runs[0].Stages[0].Log) != 0 || len(e.Error) > maxText || e.size() > maxEventBytes {
		t.Errorf("a huge event has %d bytes, truncated %v", e.size(), e.Truncated)
	}
	if len(report.Stages[0].Log) != 1000 {
		t.Error("the caller's report was changed")
	}
	if left := len(r.Since(0, Query{})); left < small-10 {
		t.Errorf("a huge event left %d of %d", left, small)
	}
	long := strings.Repeat("m", 1<<20) // clients choose method names
	id = r.Add(Event{Type: Request, Project: long, Session: long, Client: long, Method: long, Server: long, Source: long, Section: long, Error: long,
		Change: &Change{Name: long, From: long, To: long, Reason: long}})
	if e, _ := r.Get(id); e.size() > maxEventBytes || len(e.Method) > maxText || len(long) != 1<<20 {
		t.Errorf("an event with long texts has %d bytes", e.size())
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	sum := 0
	for id := r.first; id < r.next; id++ {
		sum += (*r.slot(id)).size()
	}
	if sum != r.bytes || r.bytes > 1<<20 {
		t.Errorf("bytes is %d, sum of sizes %d, limit %d", r.bytes, sum, 1<<20)
	}
}

func TestQuery(t *testing.T) {
	r := New(Options{})
	r.Add(Event{Type: ToolCall, Project: "home", Server: "files", Source: "files/read", Session: "s1"})
	r.Add(Event{Type: ToolCall, Project: "home", Server: "flows", Source: "flows/get", IsError: true})
	r.Add(Event{Type: ResourceRead, Project: "work", Server: "files", Source: "file:///a/b"})
	r.Add(Event{Type: StageReloaded, Change: &Change{Name: "head", From: "a", To: "b"}})
	for _, c := range []struct {
		name string
		q    Query
		want string
	}{
		{"everything", Query{}, "1 2 3 4"},
		{"project", Query{Project: "home"}, "1 2"},
		{"session", Query{Session: "s1"}, "1"},
		{"server", Query{Server: "files"}, "1 3"},
		{"types", Query{Types: []Type{ResourceRead, StageReloaded}}, "3 4"},
		{"source", Query{Source: "files/read"}, "1"},
		{"source prefix with slash", Query{Source: "files/"}, "1"},
		{"source prefix with star", Query{Source: "f*"}, "1 2 3"},
		{"errors", Query{Errors: true}, "2"},
		{"the newest within the limit", Query{Limit: 2}, "3 4"},
		{"the newest matching ones", Query{Limit: 1, Server: "files"}, "3"},
		{"a limit above the number", Query{Limit: 9}, "1 2 3 4"},
		{"a function", Query{Match: func(e Event) bool { return e.IsError }}, "2"},
		{"a function and a field", Query{Project: "work", Match: func(e Event) bool { return e.IsError }}, ""},
		{"two fields", Query{Project: "home", Server: "flows"}, "2"},
		{"nothing", Query{Project: "none"}, ""},
	} {
		if got := ids(r.Since(0, c.q)); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// Writers do not wait for a subscriber. Events that it misses are counted in the next
// one.
func TestSlowSubscriberDoesNotDelayWriters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New(Options{MaxEvents: 10})
		events, cancel := r.Subscribe(t.Context(), 0, Query{})
		r.Add(Event{Type: ToolCall})
		synctest.Wait() // the subscription blocks in the send of event 1
		for range 99 {
			r.Add(Event{Type: ToolCall})
		}
		var got []Event
		for range 11 {
			got = append(got, <-events)
		}
		if want := "1 91(-89) 92 93 94 95 96 97 98 99 100"; ids(got) != want {
			t.Errorf("got %q, want %q", ids(got), want)
		}
		cancel()
		cancel()
		if _, open := <-events; open {
			t.Error("the channel is open after cancel")
		}
	})
}

// The first stored events do not match.
func TestDroppedIsInNextMatchingEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New(Options{MaxEvents: 2})
		for range 5 {
			r.Add(Event{Type: ToolCall})
		}
		events, cancel := r.Subscribe(t.Context(), 0, Query{Types: []Type{PromptGet}})
		defer cancel()
		synctest.Wait()
		r.Add(Event{Type: PromptGet})
		if e := <-events; e.ID != 6 || e.Dropped != 3 {
			t.Errorf("got event %d with %d dropped, want 6 with 3", e.ID, e.Dropped)
		}
	})
}

// A subscription with a limit receives the newest stored events, then all new ones.
func TestSubscriptionStartsWithNewest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New(Options{MaxEvents: 6})
		for i := range 8 {
			r.Add(Event{Type: ToolCall, IsError: i%2 == 0})
		}
		events, cancel := r.Subscribe(t.Context(), 0, Query{Limit: 2, Match: func(e Event) bool { return e.IsError }})
		defer cancel()
		synctest.Wait()
		for range 3 {
			r.Add(Event{Type: ToolCall, IsError: true})
		}
		var got []Event
		for range 5 {
			got = append(got, <-events)
		}
		if want := "5(-2) 7 9 10 11"; ids(got) != want {
			t.Errorf("got %q, want %q", ids(got), want)
		}
	})
}

// A function that matches events may use the ring.
func TestMatchRunsWithoutLocks(t *testing.T) {
	r := New(Options{})
	r.Add(Event{Type: ToolCall})
	if got := ids(r.Since(0, Query{Match: func(Event) bool { return r.Last() == 1 }})); got != "1" {
		t.Errorf("got %q", got)
	}
}

func TestSubscriptionEndsWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New(Options{})
		ctx, stop := context.WithCancel(t.Context())
		events, cancel := r.Subscribe(ctx, 0, Query{})
		r.Add(Event{Type: ToolCall})
		synctest.Wait()
		stop()
		synctest.Wait()
		cancel() // returns although the event was not received
		for e := range events {
			t.Logf("received after cancel: %d", e.ID)
		}
	})
}

// With many writers and readers, every event is received once, in order, or counted as
// dropped.
func TestConcurrentUse(t *testing.T) {
	const writers, each = 8, 500
	r := New(Options{MaxEvents: 300})
	var wg sync.WaitGroup
	for range 4 {
		events, cancel := r.Subscribe(t.Context(), 0, Query{})
		wg.Go(func() {
			defer cancel()
			last := uint64(0)
			for e := range events {
				if e.ID != last+e.Dropped+1 {
					t.Errorf("event %d with %d dropped after event %d", e.ID, e.Dropped, last)
				}
				if last = e.ID; last == writers*each {
					return
				}
			}
		})
	}
	for range writers {
		wg.Go(func() {
			for range each {
				r.Add(Event{Type: ToolCall, Project: "home"})
				r.Since(r.Last()-1, Query{})
			}
		})
	}
	wg.Wait()
}

// The JSON form is the contract of -o json, /inspect and the export.
func TestJSONIsStable(t *testing.T) {
	at := time.Date(2026, 11, 21, 10, 0, 0, 123456000, time.FixedZone("CET", 3600))
	r := New(Options{Now: func() time.Time { return at }})
	args := []byte(`{"token":"hunter2"}`)
	r.Add(Event{Type: ToolCall, Project: "home", Session: "s1", Client: "claude-code 2.1", Server: "flows", Source: "flows/get",
		Args: &Digest{Bytes: 19, Hash: "00112233"}, InBytes: 118204, InTokens: 40000, OutBytes: 2048, OutTokens: 600, Micros: 1500,
		UpstreamMicros: 1200, Changed: true, Refs: []string{"k7m2q9x4t6b8w3n5"}, Runs: []flow.RunReport{{Model: "subindex", Stages: []flow.StageReport{{Role: "section-split", Outcome: "done"}}}}})
	r.Add(Event{Type: StageReloaded, Change: &Change{Name: "head", From: "aa", To: "bb"}})
	want := []string{
		`{"id":1,"type":"tool_call","time":"2026-11-21T09:00:00.123456Z","project":"home","session":"s1","client":"claude-code 2.1","server":"flows","source":"flows/get","args":{"bytes":19,"hash":"00112233"},"inBytes":118204,"inTokens":40000,"outBytes":2048,"outTokens":600,"micros":1500,"upstreamMicros":1200,"changed":true,"refs":["k7m2q9x4t6b8w3n5"],"runs":[{"model":"subindex","stages":[{"role":"section-split","outcome":"done","micros":0,"inBytes":0,"outBytes":0}]}]}`,
		`{"id":2,"type":"stage_reloaded","time":"2026-11-21T09:00:00.123456Z","change":{"name":"head","from":"aa","to":"bb"}}`,
	}
	for i, e := range r.Since(0, Query{}) {
		got, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want[i] {
			t.Errorf("got\n%s\nwant\n%s", got, want[i])
		}
	}
	d := r.Digest(args)
	if d.Bytes != len(args) || len(d.Hash) != 16 || *d != *r.Digest(args) || d.Hash == New(Options{}).Digest(args).Hash {
		t.Errorf("digest %+v does not depend on the ring, or is not constant", d)
	}
}

func TestWriteSSE(t *testing.T) {
	var b bytes.Buffer
	if err := WriteSSE(&b, Event{ID: 7, Type: "x\ndata: forged", Source: "a\n\nid: 9", Time: time.Unix(0, 0).UTC()}); err != nil {
		t.Fatal(err)
	}
	want := "id: 7\nevent: x_data: forged\ndata: {\"id\":7,\"type\":\"x\\ndata: forged\",\"time\":\"1970-01-01T00:00:00Z\",\"source\":\"a\\n\\nid: 9\"}\n\n"
	if b.String() != want {
		t.Errorf("got\n%q\nwant\n%q", b.String(), want)
	}
	if strings.Count(b.String(), "\n\n") != 1 {
		t.Error("more than one event was written")
	}
}

func BenchmarkAdd(b *testing.B) {
	r := New(Options{})
	e := Event{Type: ToolCall, Project: "home", Source: "flows/get", Runs: []flow.RunReport{{Stages: make([]flow.StageReport, 2)}}}
	b.ReportAllocs()
	for b.Loop() {
		r.Add(e)
	}
}

func TestHugeHookReportsAreTruncated(t *testing.T) {
	log := []abi.LogLine{{Text: strings.Repeat("x", 8<<10)}}
	hooks := slices.Repeat([]flow.HookReport{{Role: "gate", Error: strings.Repeat("é", 5000), Log: log, Meta: map[string]string{"k": "v"}}}, 100)
	r := New(Options{})
	id := r.Add(Event{Type: ToolCall, Hooks: hooks})
	e, ok := r.Get(id)
	if !ok || !e.Truncated || len(e.Hooks) != maxHooks || e.Hooks[0].Log != nil || e.Hooks[0].Meta != nil || e.size() > maxEventBytes {
		t.Errorf("%d bytes, %d hooks, truncated %v", e.size(), len(e.Hooks), e.Truncated)
	}
	if len(hooks[0].Log) != 1 {
		t.Error("the caller's report was changed")
	}
}
