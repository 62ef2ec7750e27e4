package wasm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
	"github.com/mcpctl/mcpctl/host/wasm/imports"
	"github.com/mcpctl/mcpctl/host/wasm/module"
	"github.com/mcpctl/mcpctl/host/wasm/worker"
)

// compileParallel compiles with several workers, which is faster and checks ctx between
// functions.
func (r *Runtime) compileParallel(ctx context.Context, engine wazero.Runtime, file []byte) (wazero.CompiledModule, error) {
	ctx, cancel := r.limitCompilation(ctx)
	defer cancel()
	ctx = experimental.WithCompilationWorkers(ctx, max(2, runtime.GOMAXPROCS(0)))
	return r.compile(ctx, engine, file)
}

// limitCompilation returns a context that ends after limits.compile.
func (r *Runtime) limitCompilation(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, r.limits.Compile, fault.New(abi.ErrLimit, "not compiled in %v (limits.compile)", r.limits.Compile))
}

// compileIsolated runs the compilation of a module that is not trusted in one goroutine,
// where a panic of the compiler can be recovered; in the compiler's own workers it would
// end the process. Nothing can stop the compilation of a single function, so after the
// end of ctx the goroutine is left to finish. It keeps its slot until then, so that
// there are never many. The time limit begins with the slot. A module that gets none within
// the same time fails with abi.ErrUnavailable, so that it is tried again.
func compileIsolated[M any](ctx context.Context, r *Runtime, isUrgent func() bool, compile func(context.Context) (M, error), discard func(M)) (compiled M, err error) {
	release, err := r.takeCompileSlot(ctx, isUrgent)
	if err != nil {
		return compiled, err
	}
	ctx, cancel := r.limitCompilation(ctx)
	defer cancel()
	type result struct {
		compiled M
		err      error
	}
	done := make(chan result)
	go func() {
		defer release()
		var res result
		res.compiled, res.err = compile(context.WithoutCancel(ctx))
		select {
		case done <- res:
		case <-ctx.Done():
			if res.err == nil {
				discard(res.compiled)
			}
		}
	}()
	select {
	case res := <-done:
		return res.compiled, res.err
	case <-ctx.Done():
		return compiled, context.Cause(ctx)
	}
}

// takeCompileSlot waits for a slot, for at most limits.compile.
func (r *Runtime) takeCompileSlot(ctx context.Context, isUrgent func() bool) (release func(), err error) {
	ctx, stop := context.WithTimeoutCause(ctx, r.limits.Compile,
		fault.New(abi.ErrUnavailable, "the compiler was busy with other modules for %v, try again with `mcpctl reload`", r.limits.Compile))
	defer stop()
	return r.compileSlots.acquire(ctx, isUrgent)
}

// compile compiles a module, in spite of damaged code in the cache.
func (r *Runtime) compile(ctx context.Context, engine wazero.Runtime, file []byte) (c wazero.CompiledModule, err error) {
	defer func() {
		if p := recover(); p != nil {
			c, err = nil, fmt.Errorf("does not compile: %v", p)
		}
	}()
	c, err = withRepair(r.codeRepair(), func() (wazero.CompiledModule, error) { return engine.CompileModule(ctx, file) })
	switch {
	case err == nil:
		return c, nil
	case errors.Is(err, abi.ErrUnavailable):
		return nil, err
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	}
	return nil, fmt.Errorf("does not compile: %s", firstLine(err))
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// Limits of the process that compiles a module, beside limits.compile.
const (
	compilerMemory    = 2 << 30
	compilerProcessor = 30 * time.Second
)

// compilerRefused is the exit status for a module that does not compile. The standard output
// is the reason.
const compilerRefused = 3

// Kinds of compiled code.
const (
	codeNative = "native"
	codeExtism = "extism"
)

// compileOutside compiles a module with Options.Compiler, so that the compilation can be
// ended and takes no memory of this process. Afterwards the code is in the cache. It returns
// the result of code, which it calls when the module need not wait any more: many large files
// that wait would take much memory.
func (r *Runtime) compileOutside(ctx context.Context, code func() ([]byte, error), format module.Format, isUrgent func() bool) (file []byte, err error) {
	if len(r.opts.Compiler) == 0 || r.opts.CacheDir == "" {
		return code()
	}
	kind := codeNative
	if format == module.FormatExtism {
		kind = codeExtism
	}
	release, err := r.takeCompileSlot(ctx, isUrgent)
	if err != nil {
		return nil, err
	}
	defer release()
	if file, err = code(); err != nil {
		return nil, err
	}
	return file, r.runCompiler(ctx, file, kind)
}

// runCompiler runs Options.Compiler, for limits.compile at most. Time in which other processes
// have its processors does not count: a module that compiles in a second must not fail because
// the machine is busy.
//
// Errors: abi.ErrLimit if the module exceeds a limit of the compiler, abi.ErrUnavailable if
// the compiler could not run, the cause of ctx if it ended. Others describe the module.
func (r *Runtime) runCompiler(ctx context.Context, file []byte, kind string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	args := append(r.opts.Compiler[1:len(r.opts.Compiler):len(r.opts.Compiler)], r.opts.CacheDir, kind)
	cmd := exec.CommandContext(ctx, r.opts.Compiler[0], args...)
	cmd.Env = []string{} // no secret of this process
	cmd.Stdin = bytes.NewReader(file)
	var stdout, stderr worker.Head
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = time.Second
	err := cmd.Start()
	if err == nil {
		defer time.AfterFunc(r.limits.Compile, func() { r.endCompiler(ctx, cmd.Process.Pid, cancel) }).Stop()
		err = cmd.Wait()
	}
	var exit *exec.ExitError
	switch {
	case err == nil:
		if text := stderr.Bytes(); len(text) > 0 {
			r.log.Warn("the compiler reported a problem", "stderr", fault.Printable(text, imports.MaxReasonBytes))
		}
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &exit) && exit.ExitCode() == compilerRefused && len(stdout.Bytes()) > 0:
		return fmt.Errorf("does not compile: %s", fault.Printable(bytes.TrimSpace(stdout.Bytes()), imports.MaxReasonBytes))
	case errors.As(err, &exit) && exit.ProcessState.UserTime()+exit.ProcessState.SystemTime() > compilerProcessor-time.Second: // killed by the system, whose clock is coarse
		return fault.New(abi.ErrLimit, "not compiled in %v of processor time", compilerProcessor)
	case strings.Contains(string(stderr.Bytes()), "out of memory"), strings.Contains(string(stderr.Bytes()), "cannot allocate memory"):
		return fault.New(abi.ErrLimit, "not compiled in %s of memory", fault.MiB(compilerMemory))
	}
	r.log.Warn("the compiler failed", "err", err, "stderr", string(stderr.Bytes()))
	return fault.New(abi.ErrUnavailable, "the compiler failed (%v), try again with `mcpctl reload`", err)
}

// busyFactor times limits.compile is the wall time after which a compiler ends in any case.
const busyFactor = 5

// endCompiler ends a compiler that has run for limits.compile, when it has also used that
// processor time, or nothing is known about it.
func (r *Runtime) endCompiler(ctx context.Context, pid int, end context.CancelCauseFunc) {
	limit := r.limits.Compile
	for wall := limit; wall < busyFactor*limit; {
		used := worker.ProcessorTime(pid)
		if used == 0 || used >= limit {
			break
		}
		wait := max(limit-used, limit/20)
		select {
		case <-time.After(wait):
			wall += wait
		case <-ctx.Done():
			return
		}
	}
	end(fault.New(abi.ErrLimit, "not compiled in %v (limits.compile)", limit))
}
