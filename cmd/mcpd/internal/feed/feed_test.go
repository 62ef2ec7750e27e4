package feed

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
	"github.com/mcpctl/mcpctl/host/object"
)

// source is a store in memory.
type source struct {
	mu      sync.Mutex
	changes []store.Change
	fault   error
	reading func() // called before each read of changes
}

func (s *source) add(n, size int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for range n {
		r := store.Record{Manifest: json.RawMessage(strings.Repeat("x", size))}
		s.changes = append(s.changes, store.Change{Version: int64(len(s.changes) + 1), Key: object.Key{Kind: object.KindPrompt, Project: "p", Name: "a"}, Record: &r})
	}
}

func (s *source) Version(context.Context) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return int64(len(s.changes)), s.fault
}

func (s *source) Changes(_ context.Context, after int64, limit int) ([]store.Change, error) {
	if s.reading != nil {
		s.reading()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fault != nil {
		return nil, s.fault
	}
	return slices.Clone(s.changes[after:min(int(after)+limit, len(s.changes))]), nil
}

func open(t *testing.T, s *source, apply func([]store.Change) error) *Hub {
	t.Helper()
	h, err := Open(t.Context(), s, slog.New(slog.DiscardHandler), apply)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func ignore([]store.Change) error { return nil }

func readAll(t *testing.T, h *Hub) {
	t.Helper()
	if err := h.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// versionsAfter returns all versions that a watcher gets.
func versionsAfter(t *testing.T, h *Hub, after int64) (versions []int64) {
	t.Helper()
	for {
		changes, upTo, _, err := h.Next(t.Context(), after)
		if err != nil {
			t.Fatal(err)
		}
		if len(changes) == 0 {
			return versions
		}
		for _, c := range changes {
			versions = append(versions, c.Version)
		}
		after = upTo
	}
}

// A watcher gets each change once, from memory or from the store.
func TestNextHasNoGaps(t *testing.T) {
	for name, size := range map[string]int{"small": 10, "large": 1 << 20} {
		s := new(source)
		s.add(3, size)
		h := open(t, s, ignore)
		for range 3 {
			s.add(40, size)
			readAll(t, h)
		}
		for _, after := range []int64{0, 2, 3, 50, 122, 123} {
			got := versionsAfter(t, h, after)
			if len(got) != int(123-after) || len(got) > 0 && (got[0] != after+1 || got[len(got)-1] != 123) {
				t.Errorf("%s, after %d: %v", name, after, got)
			}
		}
		if h.bytes > keptBytes || len(h.changes) == 0 {
			t.Errorf("%s: %d changes with %d bytes are kept, limit %d", name, len(h.changes), h.bytes, keptBytes)
		}
	}
}

// The changes of the time in which the rights are read for the first time are applied too.
func TestOpenMissesNoChange(t *testing.T) {
	s := new(source)
	s.add(1, 1)
	var applied []int64
	h := open(t, s, func(changes []store.Change) error {
		if changes == nil {
			s.add(1, 1) // another process commits
		}
		for _, c := range changes {
			applied = append(applied, c.Version)
		}
		return nil
	})
	readAll(t, h)
	if !slices.Equal(applied, []int64{2}) {
		t.Errorf("applied %v, want the second change", applied)
	}
}

// Watchers get no change before its rights are in force.
func TestNextWaitsForRights(t *testing.T) {
	s := new(source)
	fault := errors.New("rights cannot be read")
	h := open(t, s, func(changes []store.Change) error {
		if changes == nil {
			return nil
		}
		return fault
	})
	s.add(2, 1)
	if err := h.Sync(t.Context()); !errors.Is(err, fault) {
		t.Errorf("got %v", err)
	}
	if got := versionsAfter(t, h, 0); len(got) > 0 {
		t.Errorf("watchers got %v", got)
	}
	h.apply = ignore
	readAll(t, h)
	s.add(1, 1) // not read by the hub yet
	if got := versionsAfter(t, h, 0); !slices.Equal(got, []int64{1, 2}) {
		t.Errorf("watchers got %v", got)
	}
}

// A store that does not answer keeps no watcher waiting.
func TestNextWhileTheStoreIsSilent(t *testing.T) {
	s := new(source)
	h := open(t, s, ignore)
	blocked, answer := make(chan struct{}), make(chan struct{})
	s.reading = func() {
		close(blocked)
		<-answer
	}
	done := make(chan error, 1)
	go func() { done <- h.Sync(t.Context()) }()
	<-blocked
	if _, version, _, err := h.Next(t.Context(), 0); err != nil || version != 0 || h.Version() != 0 {
		t.Errorf("version %d, %v", version, err)
	}
	close(answer)
	if err := <-done; err != nil {
		t.Error(err)
	}
}
