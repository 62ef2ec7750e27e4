package catalog

import (
	"strings"
	"testing"
	"time"
)

// countingStore counts the values that are set.
type countingStore struct{ sets int }

func (*countingStore) Get(string) ([]byte, bool) { return nil, false }

func (s *countingStore) Set(string, []byte) { s.sets++ }

func TestLargeListsAreNotKept(t *testing.T) {
	store := &countingStore{}
	c := New(store, nil, 0, time.Now)
	raw := []byte(`{"name":"t","description":"` + strings.Repeat("x", MaxKept) + `"}`)
	c.put(ID{Server: "s"}, Tools, &Listing{Items: []Item{{raw, "t"}}, Size: len(raw)})
	if store.sets != 0 {
		t.Errorf("a list of %d bytes was kept, limit %d", len(raw), MaxKept)
	}
}
