package wasm

import (
	"context"

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
