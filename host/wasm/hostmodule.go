package wasm

import (
	"context"
	"fmt"
	"slices"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/mcpctl/mcpctl/host/wasm/binary"
	"github.com/mcpctl/mcpctl/host/wasm/fuel"
	"github.com/mcpctl/mcpctl/host/wasm/imports"
)

// callKey is the key of the *imports.Call in the context of a guest.
type callKey struct{}

func callOf(ctx context.Context) *imports.Call { return ctx.Value(callKey{}).(*imports.Call) }

// hostFunc is a function as the engine calls it.
type hostFunc struct{ *imports.Func }

// Call implements api.GoFunction.
func (f hostFunc) Call(ctx context.Context, stack []uint64) { f.Invoke(callOf(ctx), stack) }

// yieldFunc is fuel.Yield as the engine calls it.
type yieldFunc struct{}

// Call implements api.GoFunction.
func (yieldFunc) Call(ctx context.Context, stack []uint64) { callOf(ctx).Yield(stack) }

var yieldSignature = binary.Signature{Params: []api.ValueType{api.ValueTypeI32, api.ValueTypeI32}, Results: []api.ValueType{api.ValueTypeI32}}

// instantiateImports defines all functions that modules may import.
func instantiateImports(ctx context.Context, e wazero.Runtime) error {
	builders := map[string]wazero.HostModuleBuilder{}
	for _, f := range imports.Functions() {
		b := builders[f.Namespace]
		if b == nil {
			b = e.NewHostModuleBuilder(f.Namespace)
			builders[f.Namespace] = b
		}
		b.NewFunctionBuilder().WithGoFunction(hostFunc{f}, slices.Clone(f.Signature.Params), slices.Clone(f.Signature.Results)).Export(f.Name)
	}
	builders[fuel.Namespace] = e.NewHostModuleBuilder(fuel.Namespace)
	builders[fuel.Namespace].NewFunctionBuilder().WithGoFunction(yieldFunc{}, yieldSignature.Params, yieldSignature.Results).Export(fuel.Yield)
	for namespace, b := range builders {
		if _, err := b.Instantiate(ctx); err != nil {
			return fmt.Errorf("imports of %s: %w", namespace, err)
		}
	}
	return nil
}
