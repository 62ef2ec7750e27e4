package wasm

import (
	"context"
	"fmt"
	"runtime"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// compile makes machine code of a module that was read and stripped.
func (m *Module) compile(ctx context.Context, binary []byte, trusted bool) (err error) {
	r := m.rt
	ctx, cancel := context.WithTimeoutCause(ctx, r.limits.Compile,
		fault.New(abi.ErrLimit, "not compiled in %v (limits.compile)", r.limits.Compile))
	defer cancel()
	switch {
	case m.info.Format == module.FormatExtism:
		m.plugin, err = apart(ctx, r, func(ctx context.Context) (*compiledPlugin, error) {
			return r.compileExtism(ctx, binary)
		}, func(p *compiledPlugin) { p.Close(context.Background()) })
	case trusted, r.opts.SideBySide:
		// Several workers are faster, and look at ctx between functions.
		workers := experimental.WithCompilationWorkers(ctx, max(2, runtime.GOMAXPROCS(0)))
		m.compiled, err = r.compileIn(workers, m.engine, binary)
	default:
		m.compiled, err = apart(ctx, r, func(ctx context.Context) (wazero.CompiledModule, error) {
			return r.compileIn(ctx, r.guarded, binary)
		}, func(c wazero.CompiledModule) { c.Close(context.Background()) })
	}
	return err
}

// apart compiles a stranger's module in one goroutine of ours: there a panic of
// the compiler can be caught, which in its workers ends the process. Nothing ends a
// single function that takes too long, so after the limit the goroutine is left to
// itself; it keeps its place, so that there are never many.
func apart[M any](ctx context.Context, r *Runtime, compile func(context.Context) (M, error), discard func(M)) (compiled M, err error) {
	select {
	case r.compiling <- struct{}{}:
	case <-ctx.Done():
		return compiled, context.Cause(ctx)
	}
	type compilation struct {
		compiled M
		err      error
	}
	done := make(chan compilation)
	go func() {
		defer func() { <-r.compiling }()
		var c compilation
		c.compiled, c.err = compile(context.WithoutCancel(ctx))
		select {
		case done <- c:
		case <-ctx.Done():
			if c.err == nil {
				discard(c.compiled)
			}
		}
	}()
	select {
	case c := <-done:
		return c.compiled, c.err
	case <-ctx.Done():
		return compiled, context.Cause(ctx)
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
