package wasm

import (
	"bytes"
	"slices"

	"github.com/tetratelabs/wazero/api"

	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// snapshot is a guest as its start left it. A guest that has served a call becomes
// clean by being made so again: that costs a pass over its memory, an eighth of what it
// takes to make and start another one of Go.
//
// Only guests of our own are used again, of modules that change nothing but memory
// and globals: see keepsState. One that trapped, or whose memory has grown, is not.
type snapshot struct {
	memory  []byte
	globals []uint64

	hostCalls int
	log       logBook
	wasi      wasiState
}

// snapshotOf is that of a guest that has just started.
func snapshotOf(i *instance, mutable int) *snapshot {
	s := &snapshot{memory: slices.Clone(i.mem.buf), globals: make([]uint64, mutable), hostCalls: i.hostCalls, log: i.log.clone(), wasi: i.wasi}
	for n := range s.globals {
		s.globals[n] = i.inst.ExportedGlobal(module.GlobalName(n)).Get()
	}
	return s
}

// rewind makes a guest that has returned from its entry what it was before. It
// reports false for one whose memory has grown, which no guest can give back.
func (s *snapshot) rewind(i *instance) bool {
	if s == nil || len(i.mem.buf) != len(s.memory) {
		return false
	}
	if !i.findGlobals(len(s.globals)) {
		return false
	}
	for n, v := range s.globals {
		i.globals[n].Set(v)
	}
	restore(i.mem.buf, s.memory)
	i.mem.refused = false
	i.hostCalls, i.log, i.wasi = s.hostCalls, s.log.clone(), s.wasi
	return true
}

// restore makes memory what it was. Most of it was never written to: comparing each
// page first takes 0.6 of the time of copying all, and leaves the processor's caches
// to the guest that comes next.
func restore(memory, was []byte) {
	const page = 4 << 10
	for len(was) > 0 {
		n := min(page, len(was))
		if !bytes.Equal(memory[:n], was[:n]) {
			copy(memory, was[:n])
		}
		memory, was = memory[n:], was[n:]
	}
}

// findGlobals looks for so many globals, unless it has them.
func (i *instance) findGlobals(count int) bool {
	for n := len(i.globals); n < count; n++ {
		g, ok := i.inst.ExportedGlobal(module.GlobalName(n)).(api.MutableGlobal)
		if !ok {
			return false
		}
		i.globals = append(i.globals, g)
	}
	return true
}
