package wasm

import (
	"bytes"
	"slices"
	"sync/atomic"

	"github.com/mcpctl/mcpctl/host/wasm/imports"
	"github.com/mcpctl/mcpctl/host/wasm/mapping"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// snapshot is the state of a guest after its start. To restore a guest that has served a call,
// only the pages that guests have written are compared where package mapping is supported, which
// takes a few microseconds. Elsewhere all pages are compared. Both take much less time than
// creating and starting another guest written in Go.
//
// Only guests of modules that change nothing but memory and globals are restored
// (module.File.KeepsState), and only if they have not trapped and their memory has grown by
// maxGrown at most.
type snapshot struct {
	size    int            // of the memory
	pages   [][]byte       // of the memory; nil: a page of zeros
	image   *mapping.Image // has the pages; nil: they are on the heap
	globals []uint64
	state   imports.State
	uses    atomic.Int32 // by the module, and by guests that are being restored
}

// maxGrown is the memory that is cleared and kept when a guest is restored. A new guest costs
// less than clearing more.
const maxGrown = 8 << 20

// newSnapshot returns the snapshot of a guest that has just started, with one use. The guest
// shares its memory with it, if the system can do that. It returns nil if the guest cannot be
// used.
func newSnapshot(i *instance, globals int) *snapshot {
	s := &snapshot{size: len(i.mem.Bytes), globals: make([]uint64, globals), state: i.state.Clone()}
	s.uses.Store(1)
	for n := range s.globals {
		s.globals[n] = i.inst.ExportedGlobal(module.GlobalName(n)).Get()
	}
	if i.mem.mapping != nil {
		s.image = mapping.NewImage(i.mem.Bytes)
	}
	for page := range slices.Chunk(i.mem.Bytes, len(zeroPage)) {
		switch {
		case bytes.Equal(page, zeroPage[:]):
			page = nil
		case s.image != nil:
			page = s.image.Bytes[len(s.pages)*len(zeroPage):][:len(zeroPage)]
		default:
			page = slices.Clone(page)
		}
		s.pages = append(s.pages, page)
	}
	if s.image != nil && !i.mem.mapping.Share(s.image) {
		s.release()
		return nil
	}
	return s
}

// release ends a use. The last one frees the memory of the snapshot. s may be nil.
func (s *snapshot) release() {
	if s != nil && s.uses.Add(-1) == 0 && s.image != nil {
		s.image.Close()
	}
}

// restore restores a guest that has just started or has returned from its entry. It returns
// false if that is not possible. s may be nil.
func (s *snapshot) restore(i *instance) bool {
	if s == nil || !i.findGlobals(len(s.globals)) {
		return false
	}
	used := len(i.mem.Bytes)
	if grown := used - s.size; grown < 0 || grown > maxGrown || grown > 0 && !i.mem.replace(i.inst, i.mem.Bytes[:s.size]) {
		return false
	}
	// It was started by a call, or has outgrown its mapping.
	if s.image != nil && i.mem.mapping == nil && i.mem.moveToMapping(i.inst, used) {
		used = s.size
	}
	for n, v := range s.globals {
		i.globals[n].Set(v)
	}
	if !s.restoreMemory(i.mem, used) {
		return false
	}
	i.mem.refused = false
	i.state = s.state.Clone()
	return true
}

// restoreMemory restores the content of the memory, which has its first size again. used is its
// size in bytes before that; the bytes beyond the first size are cleared. It returns false if the
// memory cannot be used any more.
func (s *snapshot) restoreMemory(m *memory, used int) bool {
	whole := m.Bytes[:used]
	switch {
	case s.image == nil || m.mapping == nil:
		for n := range s.pages {
			s.restorePage(whole, n)
		}
		clear(whole[s.size:])
	case !m.mapping.Shares(s.image): // a guest that has just started
		clear(whole[s.size:])
		return m.mapping.Share(s.image)
	default:
		for _, n := range m.mapping.Written(used) {
			s.restorePage(whole, n)
		}
	}
	return true
}

// restorePage copies a page if it differs; a page after those of the snapshot becomes zeros. Most
// pages were never written: comparing first takes 0.6 of the time of copying all, and leaves the
// processor's caches to the next guest. Most pages of a guest written in Go are zeros, which are
// compared without reading a saved page.
func (s *snapshot) restorePage(memory []byte, n int) {
	saved := zeroPage[:]
	if n < len(s.pages) && s.pages[n] != nil {
		saved = s.pages[n]
	}
	page := memory[n*len(zeroPage):][:len(zeroPage)]
	if !bytes.Equal(page, saved) {
		copy(page, saved)
	}
}

// zeroPage is a page of zeros.
var zeroPage [mapping.PageBytes]byte
