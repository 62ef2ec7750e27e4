package wasm

import (
	"math/bits"
	"sync"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/mcpctl/mcpctl/host/wasm/binary"
	"github.com/mcpctl/mcpctl/host/wasm/imports"
	"github.com/mcpctl/mcpctl/host/wasm/mapping"
)

// memory is the linear memory of one guest. It has room to grow, because language
// runtimes request one page at a time.
//
// Bytes between length and capacity are 0: the guest never used them, or they were cleared when it
// was restored.
type memory struct {
	imports.Memory
	limit       uint64
	refused     bool   // a growth was refused
	room        int    // minimum capacity when memory is allocated
	replacement []byte // not nil: the memory that Reallocate returns, whatever the size
	pool        *memoryPool
	keep        bool             // the guest will be restored, so a mapping is used if possible
	mapping     *mapping.Mapping // has the bytes; nil: they are of the pool
}

// Allocate implements experimental.MemoryAllocator.
func (m *memory) Allocate(_, _ uint64) experimental.LinearMemory { return m }

// Reallocate implements experimental.LinearMemory. It returns nil to refuse a growth.
func (m *memory) Reallocate(size uint64) []byte {
	if m.replacement != nil {
		m.Bytes = m.replacement
		return m.Bytes
	}
	if size > m.limit {
		m.refused = true
		return nil
	}
	used := len(m.Bytes)
	if old := m.Bytes; size > uint64(cap(old)) {
		reserved := m.mapping
		m.Bytes, m.mapping = m.get(max(int(size), min(m.room, maxPooled, int(m.limit))))
		if cap(m.Bytes) > maxPooled {
			adviseHugePages(m.Bytes[:cap(m.Bytes)])
		}
		copyInSteps(m.Bytes[:used], old)
		m.free(old, reserved)
	}
	m.Bytes = m.Bytes[:size]
	if size > maxPooled {
		touch(m.Bytes[used:])
	}
	return m.Bytes
}

// get returns cleared memory of length 0 with room for size bytes.
func (m *memory) get(size int) ([]byte, *mapping.Mapping) {
	if m.keep && size <= maxPooled {
		if reserved := mapping.New(mappingBytes(size)); reserved != nil {
			return reserved.Bytes[:0], reserved
		}
	}
	return m.pool.get(size), nil
}

// mappingBytes returns the size of a mapping for a memory, which has room to grow. It takes
// addresses but no memory.
func mappingBytes(size int) int {
	const least = 1 << 20
	return max(binary.PageBytes<<sizeClass(size), least)
}

func (m *memory) free(b []byte, reserved *mapping.Mapping) {
	if reserved != nil {
		reserved.Close()
		return
	}
	m.pool.put(b)
}

// moveToMapping gives inst a mapping of the same size with other content. used is the size to which
// its memory had grown. It returns false if that is not possible.
func (m *memory) moveToMapping(inst api.Module, used int) bool {
	size := len(m.Bytes)
	old := m.Bytes[:used]
	reserved := mapping.New(mappingBytes(size))
	if reserved == nil {
		return false
	}
	if !m.replace(inst, reserved.Bytes[:size]) {
		reserved.Close()
		return false
	}
	m.mapping, m.keep = reserved, true
	m.pool.put(old)
	return true
}

// replace makes b the memory of inst, which may be smaller than before: WebAssembly has no
// instruction for that. The engine takes the memory that Reallocate returns for a
// growth, of whatever size. It returns false if the engine refuses to grow it.
func (m *memory) replace(inst api.Module, b []byte) bool {
	before := m.Bytes
	m.replacement = b
	_, ok := inst.Memory().Grow(1)
	m.replacement = nil
	if !ok || inst.Memory().Size() != uint32(len(b)) {
		m.Bytes = before
		return false
	}
	return true
}

// copyInSteps copies memory. The garbage collector cannot interrupt a single copy, which
// takes up to a quarter of a second if the pages are new.
func copyInSteps(dst, src []byte) {
	const step = 1 << 20
	for len(src) > 0 {
		n := copy(dst[:min(len(dst), step)], src)
		dst, src = dst[n:], src[n:]
	}
}

// touch lets the system provide the pages of new memory now. If a bulk instruction of the
// guest touched them first, nothing could interrupt it until all are there.
func touch(b []byte) {
	for i := 0; i < len(b); i += 4 << 10 {
		b[i] = 0
	}
}

// Free implements experimental.LinearMemory.
func (m *memory) Free() {
	m.free(m.Bytes, m.mapping)
	m.Bytes, m.mapping = nil, nil
}

// memoryPool keeps the memory of ended guests for the next ones, by powers of two from
// a page to 16 MiB, until the garbage collector needs it. Safe for concurrent use.
type memoryPool [9]sync.Pool

// maxPooled is the largest memory that is kept.
const maxPooled = binary.PageBytes << 8

func sizeClass(size int) int { return bits.Len(uint(size-1) / binary.PageBytes) }

// get returns cleared memory of length 0 with room for size bytes. size is not 0.
func (p *memoryPool) get(size int) []byte {
	c := sizeClass(size)
	if c < len(p) {
		if b, ok := p[c].Get().(*[]byte); ok {
			clear(*b)
			return (*b)[:0]
		}
	}
	return make([]byte, 0, binary.PageBytes<<c)
}

// put returns memory to the pool. Its length is the part that was used.
func (p *memoryPool) put(b []byte) {
	if c := sizeClass(max(cap(b), 1)); c < len(p) && cap(b) == binary.PageBytes<<c {
		p[c].Put(&b)
	}
}
