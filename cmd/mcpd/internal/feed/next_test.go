package feed

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
)

// list is a Source whose version is the number of its changes.
type list struct {
	version   int64
	compacted int64
	reads     int
}

func (l *list) Version(context.Context) (int64, error) { return l.version, nil }

func (l *list) Changes(_ context.Context, after int64, limit int) (all []store.Change, err error) {
	l.reads++
	if after < l.compacted || after > l.version {
		return nil, store.ErrCompacted
	}
	for v := after + 1; v <= l.version && len(all) < limit; v++ {
		all = append(all, store.Change{Version: v})
	}
	return all, nil
}

func openList(t *testing.T, source *list) *Hub {
	t.Helper()
	h, err := Open(t.Context(), source, slog.New(slog.DiscardHandler), func([]store.Change) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// A version that another process has written is not one that was compacted.
func TestNextReadsVersionOfOtherProcess(t *testing.T) {
	source := &list{version: 10}
	h := openList(t, source)
	source.version = 12
	changes, upTo, _, err := h.Next(t.Context(), 12)
	if err != nil || len(changes) > 0 || upTo != 12 {
		t.Errorf("got %d changes up to %d, %v, want none up to 12", len(changes), upTo, err)
	}
	if _, _, _, err := h.Next(t.Context(), 13); !errors.Is(err, store.ErrCompacted) {
		t.Errorf("a version that does not exist: %v, want ErrCompacted", err)
	}
}

// After a restart, watchers do not all read the database.
func TestNewHubHasRecentChanges(t *testing.T) {
	source := &list{version: 10_000, compacted: 9000}
	h := openList(t, source)
	source.reads = 0
	for _, after := range []int64{9999, 9990, 9600} {
		changes, _, _, err := h.Next(t.Context(), after)
		if err != nil || len(changes) == 0 || changes[0].Version != after+1 {
			t.Errorf("after %d: %d changes, %v", after, len(changes), err)
		}
	}
	if source.reads > 0 {
		t.Errorf("%d reads of the database, want none", source.reads)
	}
	if changes, _, _, err := h.Next(t.Context(), 9100); err != nil || len(changes) == 0 || changes[0].Version != 9101 {
		t.Errorf("after 9100: %d changes, %v", len(changes), err)
	}
	if _, _, _, err := h.Next(t.Context(), 8000); !errors.Is(err, store.ErrCompacted) {
		t.Errorf("after 8000: %v, want ErrCompacted", err)
	}
}

func TestNewHubOfCompactedStore(t *testing.T) {
	h := openList(t, &list{version: 100, compacted: 100})
	if changes, upTo, _, err := h.Next(t.Context(), 100); err != nil || len(changes) > 0 || upTo != 100 {
		t.Errorf("got %d changes up to %d, %v, want none up to 100", len(changes), upTo, err)
	}
}
