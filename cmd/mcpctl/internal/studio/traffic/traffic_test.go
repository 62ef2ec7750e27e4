package traffic

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
)

// streams is a Follower that returns a list of streams, one at each call.
type streams struct {
	all     [][]api.Event
	err     error // of the streams after all
	queries []api.EventQuery
}

func (s *streams) Follow(_ context.Context, q api.EventQuery, got func(api.Event) error) error {
	s.queries = append(s.queries, q)
	if len(s.all) == 0 {
		return s.err
	}
	now := s.all[0]
	s.all = s.all[1:]
	for _, e := range now {
		if err := got(e); err != nil {
			return err
		}
	}
	return abi.ErrUnavailable
}

func ids(b Batch) (out []uint64) {
	for _, e := range b.Entries {
		out = append(out, e.ID)
	}
	return out
}

func TestFeedReconnects(t *testing.T) {
	from := &streams{all: [][]api.Event{{{ID: 8}, {ID: 9}}, {}, {{ID: 1}}}, err: abi.ErrConfig}
	f := NewFeed(api.EventQuery{Project: "home", After: 7})
	var batches []Batch
	f.retry = func(ctx context.Context, _ int) error {
		b, _ := f.Next(ctx)
		batches = append(batches, b)
		return nil
	}
	f.Run(t.Context(), from)
	last, _ := f.Next(t.Context())
	batches = append(batches, last)
	for i, want := range []struct {
		ids              []uint64
		restarted, fatal bool
	}{{[]uint64{8, 9}, false, false}, {nil, false, false}, {[]uint64{1}, true, false}, {nil, false, true}} {
		got := batches[i]
		if !slices.Equal(ids(got), want.ids) || got.Restarted != want.restarted || got.Fatal != want.fatal || got.Err == nil {
			t.Errorf("batch %d: %+v, want %+v", i, got, want)
		}
	}
	if q := from.queries; q[0].After != 7 || q[1].After != 0 || q[1].Project != "home" {
		t.Errorf("queries %+v", q)
	}
}

func TestFeedEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f := NewFeed(api.EventQuery{})
	f.Run(ctx, &streams{err: abi.ErrUnavailable})
	if _, ok := f.Next(ctx); ok {
		t.Error("a batch after the end")
	}
}

func TestPendingEntriesAreBounded(t *testing.T) {
	f := NewFeed(api.EventQuery{})
	for i := range uint64(maxPending + 10) {
		f.add(api.Event{ID: i + 1})
	}
	b, _ := f.Next(t.Context())
	if b.Dropped+len(b.Entries) != maxPending+10 || b.Dropped == 0 || b.Entries[len(b.Entries)-1].ID != maxPending+10 {
		t.Errorf("%d entries, %d dropped", len(b.Entries), b.Dropped)
	}
}

func TestPauseEndsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := pause(ctx, 5); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestLog(t *testing.T) {
	l := Log{Limit: 10}
	for _, id := range []uint64{2, 4, 4, 3, 6} { // repeated and late ones are ignored
		l.Add(Entry{ID: id})
	}
	if l.Len() != 3 || l.Last() != 6 {
		t.Fatalf("%d entries, last %d", l.Len(), l.Last())
	}
	for id, want := range map[uint64]int{1: 0, 2: 0, 3: 1, 6: 2, 7: 3} {
		if got := l.Index(id); got != want {
			t.Errorf("index of %d: %d, want %d", id, got, want)
		}
	}
	if _, ok := l.Get(3); ok {
		t.Error("found 3")
	}
	l.Add(Entry{ID: 7, Type: Paused, Hold: 70})
	if e, _ := l.Get(7); !e.Held() {
		t.Error("7 is not held")
	}
	l.Add(Entry{ID: 8, Type: Released, Hold: 70, Outcome: "edited"})
	if _, ok := l.Get(7); ok || len(l.Held()) > 0 {
		t.Error("7 is held")
	}
	for id := uint64(9); id < 40; id++ {
		l.Add(Entry{ID: id})
		if l.Len() > 10 {
			t.Fatalf("%d entries", l.Len())
		}
	}
}

func TestEntry(t *testing.T) {
	in := make(interner)
	hash := strings.Repeat("ab", 32)
	for _, tc := range []struct{ name, event, title, note string }{
		{"call", `{"source":"home/get","method":"tools/call"}`, "home/get", ""},
		{"section", `{"source":"home/get","section":"a.b"}`, "home/get a.b", ""},
		{"request", `{"method":"tools/list"}`, "tools/list", ""},
		{"model", `{"change":{"from":"a","to":"b"}}`, "a -> b", ""},
		{"stage", `{"change":{"name":"x","from":"` + hash + `","to":"` + hash + `"}}`, "x abababababab -> abababababab", ""},
		{"session", `{"client":"claude 1","change":{"reason":"idle"}}`, "claude 1", "idle"},
		{"error", `{"source":"a","error":"bad \u001b[31m"}`, "a", `bad \x1b[31m`},
		{"long title", `{"source":"` + strings.Repeat("é", 200) + `"}`, strings.Repeat("é", maxTitle/2) + "…", ""},
	} {
		var e api.Event
		if err := json.Unmarshal([]byte(tc.event), &e); err != nil {
			t.Fatal(err)
		}
		if got := in.entry(e); got.Title != tc.title || got.Note != tc.note {
			t.Errorf("%s: %q, %q", tc.name, got.Title, got.Note)
		}
	}
}
