package wasm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
	"github.com/mcpctl/mcpctl/host/wasm/imports"
)

// Limits of the process that compiles a module, beside limits.compile.
const (
	compilerMemory    = 2 << 30
	compilerProcessor = 30 * time.Second
)

// compilerRefused is the exit status of Options.Compiler for a module that does not compile.
// Its standard output is the reason.
const compilerRefused = 3

// Kinds of compiled code.
const (
	codeNative = "native"
	codeExtism = "extism"
)

// CompileInto is the implementation of Options.Compiler: it compiles the module in in into
// the cache in dir, within the limits of its process, and returns the exit status.
func CompileInto(ctx context.Context, dir, kind string, in io.Reader, out io.Writer) int {
	limitCompiler()
	file, err := io.ReadAll(io.LimitReader(in, maxRewrittenBytes))
	if err == nil {
		err = compileInto(ctx, dir, kind, file)
	}
	if err != nil {
		fmt.Fprintln(out, firstLine(err))
		return compilerRefused
	}
	return 0
}

// maxRewrittenBytes is more than any module has after it was rewritten.
const maxRewrittenBytes = 8 * abi.LimitModuleBytes

func compileInto(ctx context.Context, dir, kind string, file []byte) (err error) {
	cache, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil {
		return err
	}
	defer cache.Close(ctx)
	r := &Runtime{cache: cache}
	var config wazero.RuntimeConfig
	switch kind {
	case codeNative:
		config = r.engineConfig()
	case codeExtism:
		config = r.extismConfig()
	default:
		return fmt.Errorf("kind %q: want %s or %s", kind, codeNative, codeExtism)
	}
	engine := wazero.NewRuntimeWithConfig(ctx, config)
	defer engine.Close(ctx)
	_, err = engine.CompileModule(experimental.WithCompilationWorkers(ctx, runtime.GOMAXPROCS(0)), file)
	return err
}

// compiledNotes is the directory with an empty file for each module whose code is in the
// cache. It is removed when code is removed: nothing else tells whether loading a module
// would compile it in this process.
const compiledNotes = "compiled"

// compilerVersion returns the version of wazero, which reads only its own code.
func compilerVersion() string {
	build, _ := debug.ReadBuildInfo()
	if build != nil {
		for _, m := range build.Deps {
			if m.Path == "github.com/tetratelabs/wazero" {
				return m.Version
			}
		}
	}
	return "unknown"
}

// compileOutside compiles a module with Options.Compiler, so that the compilation can be
// ended and takes no memory of this process. Afterwards the code is in the cache. It returns
// at once if it compiled the module before.
func (r *Runtime) compileOutside(ctx context.Context, file []byte, kind string) error {
	if len(r.opts.Compiler) == 0 || r.opts.CacheDir == "" {
		return nil
	}
	sum := sha256.Sum256(file)
	done := filepath.Join(r.opts.CacheDir, compiledNotes, strings.Join([]string{hex.EncodeToString(sum[:]), kind, compilerVersion(), runtime.GOARCH}, "-"))
	if _, err := os.Stat(done); err == nil {
		return nil
	}
	if err := r.takeCompileSlot(ctx); err != nil {
		return err
	}
	defer func() { <-r.compileSlots }()
	ctx, cancel := r.limitCompilation(ctx)
	defer cancel()
	if err := r.runCompiler(ctx, file, kind); err != nil {
		return err
	}
	err := os.MkdirAll(filepath.Dir(done), 0o700)
	if err == nil {
		err = os.WriteFile(done, nil, 0o600)
	}
	if err != nil {
		r.log.Warn("a compiled module cannot be noted", "err", err) // it is compiled again next time
	}
	return nil
}

// runCompiler runs Options.Compiler.
//
// Errors: abi.ErrLimit if the module exceeds a limit of the compiler, abi.ErrUnavailable if
// the compiler could not run, the cause of ctx if it ended. Others describe the module.
func (r *Runtime) runCompiler(ctx context.Context, file []byte, kind string) error {
	args := append(r.opts.Compiler[1:len(r.opts.Compiler):len(r.opts.Compiler)], r.opts.CacheDir, kind)
	cmd := exec.CommandContext(ctx, r.opts.Compiler[0], args...)
	cmd.Env = []string{} // no secret of this process
	cmd.Stdin = bytes.NewReader(file)
	var stdout, stderr headBuffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &exit) && exit.ExitCode() == compilerRefused:
		return fmt.Errorf("does not compile: %s", fault.Printable(bytes.TrimSpace(stdout.b), imports.MaxReasonBytes))
	case errors.As(err, &exit) && exit.ProcessState.UserTime()+exit.ProcessState.SystemTime() > compilerProcessor-time.Second: // killed by the system, whose clock is coarse
		return fault.New(abi.ErrLimit, "not compiled in %v of processor time", compilerProcessor)
	case strings.Contains(string(stderr.b), "out of memory"), strings.Contains(string(stderr.b), "cannot allocate memory"):
		return fault.New(abi.ErrLimit, "not compiled in %s of memory", fault.MiB(compilerMemory))
	}
	r.log.Warn("the compiler failed", "err", err, "stderr", string(stderr.b))
	return fault.New(abi.ErrUnavailable, "the compiler failed (%v), try again with `mcpctl reload`", err)
}

// headBuffer keeps the first 4 KiB written to it.
type headBuffer struct{ b []byte }

// Write implements io.Writer.
func (h *headBuffer) Write(p []byte) (int, error) {
	const limit = 4 << 10
	h.b = append(h.b, p[:min(len(p), limit-len(h.b))]...)
	return len(p), nil
}
