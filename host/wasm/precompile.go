package wasm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"runtime"
	"syscall"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/worker"
)

// CompileInto is the implementation of Options.Compiler: it compiles the module in in into
// the cache in dir, within the limits of its process, and returns the exit status. A compiler
// that runs in the background calls GiveWay first.
func CompileInto(ctx context.Context, dir, kind string, in io.Reader, out io.Writer) int {
	worker.LimitMemory(compilerMemory)
	worker.LimitProcessor(compilerProcessor)
	file, err := io.ReadAll(io.LimitReader(in, maxRewrittenBytes))
	if err == nil {
		err = compileInto(ctx, dir, kind, file)
	}
	switch {
	case err == nil:
		return 0
	case isFileError(err), errors.Is(err, syscall.ENOSPC), errors.Is(err, abi.ErrUnavailable): // the cache, not the module
		fmt.Fprintln(os.Stderr, firstLine(err))
		return 1
	}
	fmt.Fprintln(out, firstLine(err))
	return compilerRefused
}

// maxRewrittenBytes is more than any module has after it was rewritten.
const maxRewrittenBytes = 8 * abi.LimitModuleBytes

// GiveWay lets all other processes of the user compute before this one.
func GiveWay() { worker.GiveWayToAll() }

func compileInto(ctx context.Context, dir, kind string, file []byte) (err error) {
	cache, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil {
		return &fs.PathError{Op: "open", Path: dir, Err: err}
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
	repair := codeRepair{dir: dir, log: slog.New(slog.NewTextHandler(os.Stderr, nil)), mustKeep: true}
	_, err = withRepair(repair, func() (wazero.CompiledModule, error) {
		return engine.CompileModule(experimental.WithCompilationWorkers(ctx, runtime.GOMAXPROCS(0)), file)
	})
	return err
}
