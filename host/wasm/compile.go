package wasm

import (
	"context"
	"fmt"
	"runtime"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/mcpctl/mcpctl/abi"
)

// compile makes machine code of a module that was read and stripped.
func (r *Runtime) compile(ctx context.Context, binary []byte, trusted bool) (wazero.CompiledModule, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, r.limits.Compile,
		faultf(abi.ErrLimit, "not compiled in %v (limits.compile)", r.limits.Compile))
	defer cancel()
	if trusted {
		// Several workers are faster, and look at ctx between functions.
		workers := experimental.WithCompilationWorkers(ctx, max(2, runtime.GOMAXPROCS(0)))
		return r.compileIn(workers, r.trusted, binary)
	}
	return r.compileApart(ctx, binary)
}

type compilation struct {
	module wazero.CompiledModule
	err    error
}

// compileApart compiles a stranger's module in one goroutine of ours: there a
// panic of the compiler can be caught, which in its workers ends the process.
// Nothing ends a single function that takes too long, so after the limit the
// goroutine is left to itself; it keeps its place, so that there are never many.
func (r *Runtime) compileApart(ctx context.Context, binary []byte) (wazero.CompiledModule, error) {
	select {
	case r.compiling <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	done := make(chan compilation)
	go func() {
		defer func() { <-r.compiling }()
		var c compilation
		c.module, c.err = r.compileIn(context.WithoutCancel(ctx), r.guarded, binary)
		select {
		case done <- c:
		case <-ctx.Done():
			if c.module != nil {
				c.module.Close(context.Background())
			}
		}
	}()
	select {
	case c := <-done:
		return c.module, c.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// compileIn compiles, a second time if only the cache of compiled code was at
// fault.
func (r *Runtime) compileIn(ctx context.Context, engine wazero.Runtime, binary []byte) (c wazero.CompiledModule, err error) {
	defer func() {
		if p := recover(); p != nil {
			c, err = nil, fmt.Errorf("does not compile: %v", p)
		}
	}()
	c, err = engine.CompileModule(ctx, binary)
	if err != nil && r.mendCache(err) {
		c, err = engine.CompileModule(ctx, binary)
	}
	switch {
	case err == nil:
		return c, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	}
	return nil, fmt.Errorf("does not compile: %s", firstLine(err))
}
