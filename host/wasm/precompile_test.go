package wasm

import (
	"errors"
	"flag"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/binary"
	"github.com/mcpctl/mcpctl/host/wasm/hostile"
)

// TestCompilerProcess is not a test: it is the compiler of the tests below.
func TestCompilerProcess(t *testing.T) {
	if flag.NArg() != 2 {
		t.Skip("no arguments")
	}
	os.Exit(CompileInto(t.Context(), flag.Arg(0), flag.Arg(1), os.Stdin, os.Stdout))
}

// outside returns a bench that compiles modules in another process.
func outside(t *testing.T, compiler ...string) *bench {
	return newBench(t, func(o *Options) {
		o.CacheDir, o.Compiler = t.TempDir(), compiler
		o.Limits.Compile = 3 * time.Second
	})
}

func TestCompileOutside(t *testing.T) {
	b := outside(t, os.Args[0], "-test.run=^TestCompilerProcess$")
	stage := (&script{noResult: true}).returns(abi.ReturnPass).wasm()
	invalid := (&script{noResult: true}).raw(binary.OpI32Add).returns(abi.ReturnPass).wasm()
	for name, file := range map[string][]byte{"head": stage, "upper": foreign(t, "extism-upper")} {
		m, err := b.Load(t.Context(), name, file, false)
		if err != nil {
			t.Fatal(err)
		}
		m.Close()
	}
	if _, err := b.Load(t.Context(), "head", invalid, false); err == nil || !errors.Is(err, abi.ErrGuest) || !strings.HasPrefix(err.Error(), `module "head": does not compile: invalid function[0]`) {
		t.Errorf("got %v", err)
	}
	// What was compiled once is loaded without the compiler.
	b.opts.Compiler = []string{"/nonexistent"}
	m, err := b.Load(t.Context(), "head", stage, false)
	if err != nil {
		t.Fatal(err)
	}
	m.Close()
	// The compiler is needed again after the code was removed.
	if err := emptyCodeCache(b.opts.CacheDir); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Load(t.Context(), "head", stage, false); !errors.Is(err, abi.ErrUnavailable) {
		t.Errorf("without its code: %v", err)
	}
	if _, err := b.Load(t.Context(), "head", spin().wasm(), false); !errors.Is(err, abi.ErrUnavailable) || !strings.Contains(err.Error(), "the compiler failed (") {
		t.Errorf("got %v", err)
	}
}

// The compiler of a busy machine may take longer than the limit, as long as it computes less.
func TestCompilerWithoutProcessor(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the processor time of another process is not known")
	}
	const computeThenWait = `i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done; sleep 1; exec "$0" "$@"`
	b := outside(t, "/bin/sh", "-c", computeThenWait, os.Args[0], "-test.run=^TestCompilerProcess$")
	b.limits.Compile = 600 * time.Millisecond
	m, err := b.Load(t.Context(), "head", (&script{noResult: true}).returns(abi.ReturnPass).wasm(), false)
	if err != nil {
		t.Fatal(err)
	}
	m.Close()
}

// A module that takes too long to compile is given up, and its compiler ends.
func TestCompileBomb(t *testing.T) {
	if testing.Short() {
		t.Skip("takes as long as the limit")
	}
	b := outside(t, os.Args[0], "-test.run=^TestCompilerProcess$")
	start := time.Now()
	_, err := b.Load(t.Context(), "head", hostile.CompileBomb().File, false)
	if err == nil || err.Error() != `module "head": not compiled in 3s (limits.compile)` || !errors.Is(err, abi.ErrLimit) {
		t.Errorf("got %v", err)
	}
	if took := time.Since(start); took > 5*3*time.Second+3*time.Second { // without a processor, five times the limit
		t.Errorf("took %v", took)
	}
	if b.compileSlots.free != localCompilations {
		t.Error("the compiler is still running")
	}
}
