package wasm

import (
	"sync"

	"github.com/tetratelabs/wazero/experimental"
)

// memory is the linear memory of one guest: never over its limit, and grown by
// doubling, since runtimes ask for one page at a time.
//
// Bytes between length and capacity have never been the guest's, so they are 0.
type memory struct {
	limit   uint64
	refused bool // a growth was refused
	buf     []byte
	spares  *spares
	hint    uint64 // what a guest of this module is likely to need
}

// Allocate implements experimental.MemoryAllocator.
func (m *memory) Allocate(_, _ uint64) experimental.LinearMemory { return m }

// Reallocate implements experimental.LinearMemory: nil refuses the growth.
func (m *memory) Reallocate(size uint64) []byte {
	if size > m.limit {
		m.refused = true
		return nil
	}
	if size > uint64(cap(m.buf)) {
		m.move(size)
	}
	m.buf = m.buf[:size]
	return m.buf
}

func (m *memory) move(size uint64) {
	old := m.buf
	room := max(size, m.hint)
	if old != nil {
		room = max(size, 2*uint64(cap(old)))
	}
	m.buf = m.spares.take(int(min(room, m.limit)))
	copy(m.buf[:len(old)], old)
	m.spares.give(old)
}

// Free implements experimental.LinearMemory.
func (m *memory) Free() {
	m.spares.give(m.buf)
	m.buf = nil
}

// Bounds of what is kept for the next guest.
const (
	spareBytes = 16 << 20 // of one memory
	spareCount = 4
)

// spares keeps memories of guests that have ended, so that a run does not cost
// the garbage collector megabytes. Safe for concurrent use.
type spares struct {
	mu   sync.Mutex
	kept [][]byte
}

// take gives a cleared memory with room for size bytes.
func (s *spares) take(size int) []byte {
	s.mu.Lock()
	best := -1
	for i, b := range s.kept {
		if cap(b) >= size && (best < 0 || cap(b) < cap(s.kept[best])) {
			best = i
		}
	}
	if best < 0 || cap(s.kept[best]) > 4*size {
		s.mu.Unlock()
		return make([]byte, 0, size)
	}
	b := s.kept[best]
	last := len(s.kept) - 1
	s.kept[best] = s.kept[last]
	s.kept = s.kept[:last]
	s.mu.Unlock()
	clear(b)
	return b[:0]
}

// give takes a memory back. Its length says how much of it was used.
func (s *spares) give(b []byte) {
	if cap(b) == 0 || cap(b) > spareBytes {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.kept) < spareCount {
		s.kept = append(s.kept, b)
	}
}
