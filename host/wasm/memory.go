package wasm

import (
	"math/bits"
	"sync"

	"github.com/tetratelabs/wazero/experimental"

	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// memory is the linear memory of one guest: never over its limit, with room to
// grow into, since runtimes of languages ask for a page at a time.
//
// Bytes between length and capacity have never been the guest's, so they are 0.
type memory struct {
	limit   uint64
	refused bool // a growth was refused
	room    int  // to have at least when memory is allocated
	buf     []byte
	spares  *spares
}

// Allocate implements experimental.MemoryAllocator.
func (m *memory) Allocate(_, _ uint64) experimental.LinearMemory { return m }

// Reallocate implements experimental.LinearMemory: nil refuses the growth.
func (m *memory) Reallocate(size uint64) []byte {
	if size > m.limit {
		m.refused = true
		return nil
	}
	if old := m.buf; size > uint64(cap(old)) {
		m.buf = m.spares.take(max(int(size), min(m.room, maxRoom, int(m.limit))))
		copy(m.buf[:len(old)], old)
		m.spares.give(old)
	}
	m.buf = m.buf[:size]
	return m.buf
}

// Free implements experimental.LinearMemory.
func (m *memory) Free() {
	m.spares.give(m.buf)
	m.buf = nil
}

// spares keeps memories of guests that have ended for the next ones, by powers
// of two from a page to 16 MiB, until the garbage collector wants them. Safe for
// concurrent use.
type spares [9]sync.Pool

// maxRoom is the largest of them.
const maxRoom = module.PageBytes << 8

func class(size int) int { return bits.Len(uint(size-1) / module.PageBytes) }

// take gives a cleared memory with room for size bytes, which is not 0.
func (s *spares) take(size int) []byte {
	c := class(size)
	if c >= len(s) {
		return make([]byte, 0, module.PageBytes<<c)
	}
	if b, ok := s[c].Get().(*[]byte); ok {
		clear(*b)
		return (*b)[:0]
	}
	return make([]byte, 0, module.PageBytes<<c)
}

// give takes a memory back. Its length says how much of it was used.
func (s *spares) give(b []byte) {
	if c := class(max(cap(b), 1)); c < len(s) && cap(b) == module.PageBytes<<c {
		s[c].Put(&b)
	}
}
