package wasm

import (
	"context"
	"errors"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
	"github.com/mcpctl/mcpctl/host/wasm/fuel"
	"github.com/mcpctl/mcpctl/host/wasm/imports"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// nativeEngine runs modules of the ABI.
type nativeEngine struct {
	runtime wazero.Runtime
	config  wazero.ModuleConfig
	code    wazero.CompiledModule
	metered bool // the code was rewritten by package fuel
}

func (e *nativeEngine) close() { e.code.Close(context.Background()) }

// start implements engine.
func (e *nativeEngine) start(r *run) error {
	if err := e.instantiate(r); err != nil {
		return err
	}
	if init := r.guest.inst.ExportedFunction(abi.ExportInitialize); init != nil {
		r.starting = abi.ExportInitialize
		if err := init.CallWithStack(r.ctx, nil); err != nil {
			return r.cause(err)
		}
	}
	r.guest.state = r.call.State
	return nil
}

// instantiate creates the guest and runs its start function.
func (e *nativeEngine) instantiate(r *run) error {
	r.guest = &instance{mem: r.newMemory()}
	inst, err := e.runtime.InstantiateModule(experimental.WithMemoryAllocator(r.ctx, r.guest.mem), e.code, e.config)
	if err != nil {
		return r.cause(err)
	}
	r.guest.inst = inst
	return nil
}

// enter implements engine.
func (e *nativeEngine) enter(r *run, export string) (int32, error) {
	var stack [1]uint64
	if err := e.call(r, export, stack[:]); err != nil {
		return 0, r.cause(err)
	}
	r.returned = true
	return api.DecodeI32(stack[0]), nil
}

// call calls an entry and counts the fuel that it uses.
func (e *nativeEngine) call(r *run, export string, stack []uint64) error {
	entry := r.guest.entry(export)
	if !e.metered {
		return entry.CallWithStack(r.ctx, stack)
	}
	left, before := r.guest.refuel(), r.call.FuelAdded()
	err := entry.CallWithStack(r.ctx, stack)
	r.fuel = fuel.Slice + r.call.FuelAdded() - before - int64(api.DecodeI32(left.Get()))
	return err
}

// commandEngine runs WASI commands: programs that read standard input and write standard
// output.
type commandEngine struct{ nativeEngine }

// start implements engine. A command has no _initialize.
func (e *commandEngine) start(r *run) error {
	if err := e.instantiate(r); err != nil {
		return err
	}
	r.guest.state = r.call.State
	return nil
}

// enter implements engine.
//
// Errors: abi.ErrRefused if the command exited with another status than 0, which means
// FAIL.
func (e *commandEngine) enter(r *run, _ string) (int32, error) {
	err := e.call(r, module.StartExport, nil)
	var exit *imports.Exit
	switch {
	case r.clock.expired.Load(), r.isGivenUp():
		return 0, r.cause(err)
	case errors.As(err, &exit):
		if exit.Status != 0 {
			return 0, fault.New(abi.ErrRefused, "exited with status %d%s", exit.Status, r.call.CommandMessage())
		}
	case err != nil:
		return 0, r.cause(err)
	}
	return r.call.ReturnCode("exited with status 0")
}
