package pane

import (
	"slices"
	"sync"
)

// recent keeps the values that were used last, limited by number and bytes.
type recent[V any] struct {
	mu       sync.Mutex
	max      int
	maxBytes int
	items    []item[V] // least recently used first
}

type item[V any] struct {
	key   uint64
	value V
	bytes int
}

func newRecent[V any](max, maxBytes int) *recent[V] { return &recent[V]{max: max, maxBytes: maxBytes} }

func (r *recent[V]) get(key uint64) (v V, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.items, func(it item[V]) bool { return it.key == key })
	if i < 0 {
		return v, false
	}
	it := r.items[i]
	r.items = append(slices.Delete(r.items, i, i+1), it)
	return it.value, true
}

// put stores a value. A value over the limit is not stored.
func (r *recent[V]) put(key uint64, v V, bytes int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.items = slices.DeleteFunc(r.items, func(it item[V]) bool { return it.key == key })
	if bytes > r.maxBytes {
		return
	}
	r.items = append(r.items, item[V]{key, v, bytes})
	total := 0
	for _, it := range r.items {
		total += it.bytes
	}
	for len(r.items) > r.max || total > r.maxBytes {
		total -= r.items[0].bytes
		r.items = slices.Delete(r.items, 0, 1)
	}
}

func (r *recent[V]) clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.items = nil
}
