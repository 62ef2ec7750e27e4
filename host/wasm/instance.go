package wasm

import (
	"bytes"
	"context"
	"slices"

	"github.com/tetratelabs/wazero/api"

	"github.com/mcpctl/mcpctl/host/wasm/fuel"
	"github.com/mcpctl/mcpctl/host/wasm/imports"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// instance is a guest in memory. It serves one call of any entry; after that it is
// closed, or restored from a snapshot.
type instance struct {
	inst   api.Module
	mem    *memory
	plugin *plugin       // of a module built for Extism, instead of inst
	state  imports.State // from starting the guest; the call continues with it

	// Created once, because a guest may serve many calls.
	entries map[string]api.Function // by export; each has a stack of at least 10 KB
	globals []api.MutableGlobal     // those that a snapshot restores
	fuel    api.MutableGlobal       // nil before refuel
	stack   api.MutableGlobal
}

// close ends a guest. i may be nil.
func (i *instance) close() {
	switch {
	case i == nil:
	case i.plugin != nil:
		i.plugin.close()
	case i.inst != nil:
		i.inst.Close(context.Background()) // returns its memory to the pool
	}
}

// memoryBytes returns the size of the guest's memory. i may be nil.
func (i *instance) memoryBytes() int {
	switch {
	case i == nil:
		return 0
	case i.plugin != nil:
		return int(i.plugin.shared.used())
	}
	return len(i.mem.Bytes)
}

// wasRefused reports whether a growth of memory was refused. i may be nil.
func (i *instance) wasRefused() bool { return i != nil && i.mem != nil && i.mem.refused }

// entry returns an entry that the module has.
func (i *instance) entry(export string) api.Function {
	f := i.entries[export]
	if f == nil {
		f = i.inst.ExportedFunction(export)
		if i.entries == nil {
			i.entries = make(map[string]api.Function, 1)
		}
		i.entries[export] = f
	}
	return f
}

// refuel resets the fuel and stack counters of a rewritten module for a call, and returns
// the fuel counter.
func (i *instance) refuel() api.MutableGlobal {
	if i.fuel == nil {
		i.fuel = i.inst.ExportedGlobal(fuel.FuelGlobal).(api.MutableGlobal)
		i.stack = i.inst.ExportedGlobal(fuel.StackGlobal).(api.MutableGlobal)
	}
	i.fuel.Set(fuel.Slice)
	i.stack.Set(fuel.StackBytes)
	return i.fuel
}

// findGlobals looks up the first count mutable globals.
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

// snapshot is the state of a guest after its start. Restoring a guest that has served a
// call costs a pass over its memory, an eighth of the time to create and start another
// guest written in Go.
//
// Only guests of modules that change nothing but memory and globals are restored
// (module.File.KeepsState), and only if they have not trapped and their memory has grown by
// maxGrown at most.
type snapshot struct {
	size    int      // of the memory
	pages   [][]byte // of the memory; nil: a page of zeros
	globals []uint64
	state   imports.State
}

// maxGrown is the memory that is cleared and kept when a guest is restored. A new guest costs
// less than clearing more.
const maxGrown = 8 << 20

// newSnapshot returns the snapshot of a guest that has just started.
func newSnapshot(i *instance, globals int) *snapshot {
	s := &snapshot{size: len(i.mem.Bytes), globals: make([]uint64, globals), state: i.state.Clone()}
	for page := range slices.Chunk(i.mem.Bytes, len(zeroPage)) {
		if bytes.Equal(page, zeroPage[:]) {
			page = nil
		}
		s.pages = append(s.pages, slices.Clone(page))
	}
	for n := range s.globals {
		s.globals[n] = i.inst.ExportedGlobal(module.GlobalName(n)).Get()
	}
	return s
}

// restore restores a guest that has returned from its entry. It returns false if that is not
// possible. s may be nil.
func (s *snapshot) restore(i *instance) bool {
	if s == nil || !i.findGlobals(len(s.globals)) {
		return false
	}
	if grown := len(i.mem.Bytes) - s.size; grown < 0 || grown > maxGrown || grown > 0 && !i.mem.shrink(i.inst, s.size) {
		return false
	}
	for n, v := range s.globals {
		i.globals[n].Set(v)
	}
	s.restoreMemory(i.mem.Bytes)
	i.mem.refused = false
	i.state = s.state.Clone()
	return true
}

// restoreMemory copies the pages that differ. Most pages were never written: comparing
// first takes 0.6 of the time of copying all, and leaves the processor's caches to the
// next guest. Most pages of a guest written in Go are zeros, which are compared without
// reading a saved page.
func (s *snapshot) restoreMemory(memory []byte) {
	for n, saved := range s.pages {
		if saved == nil {
			saved = zeroPage[:]
		}
		page := memory[n*len(zeroPage):][:len(zeroPage)]
		if !bytes.Equal(page, saved) {
			copy(page, saved)
		}
	}
}

// zeroPage divides the pages of a memory of WebAssembly, which have 64 KiB.
var zeroPage [4 << 10]byte
