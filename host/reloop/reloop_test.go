package reloop_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/reloop"
)

// TestProgram compares the output of a program with difficult control flow: native, as
// built by Go's compiler, and restored.
func TestProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the standard library for another machine")
	}
	const program = "./testdata/program"
	want, err := exec.Command("go", "run", program).Output()
	if err != nil {
		t.Fatal(err)
	}
	module := build(t, program, "-ldflags=-w")
	restored, res, err := reloop.Module(module)
	if err != nil {
		t.Fatal(err)
	}
	if res.Restored < res.Functions/2 || res.Unnamed {
		t.Errorf("%+v", res)
	}
	for name, module := range map[string][]byte{"as built": module, "restored": restored} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, code := execute(t, module); got != string(want) || code != 0 {
				t.Errorf("exit code %d\n%s\nwant\n%s", code, got, want)
			}
			if _, code := execute(t, module, "crash"); code != 2 {
				t.Errorf("exit code %d of a crash, want 2", code)
			}
		})
	}
	again, res, err := reloop.Module(restored)
	if err != nil || res.Restored != 0 || !bytes.Equal(again, restored) {
		t.Errorf("a second run changed %d functions, %v", res.Restored, err)
	}
}

func TestModuleWithoutNames(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the standard library for another machine")
	}
	module := build(t, "./testdata/program", "-ldflags=-s -w")
	out, res, err := reloop.Module(module)
	if err != nil || !res.Unnamed || res.Restored != 0 || !bytes.Equal(out, module) {
		t.Errorf("%+v, %v", res, err)
	}
}

// build builds a module of a package.
func build(t *testing.T, dir string, flags ...string) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "a.wasm")
	cmd := exec.Command("go", append(append([]string{"build"}, flags...), "-o", file, dir)...)
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// execute runs a program and returns its output and its exit code.
func execute(t *testing.T, module []byte, args ...string) (stdout string, code uint32) {
	t.Helper()
	r := wazero.NewRuntime(t.Context())
	defer r.Close(context.Background())
	wasi_snapshot_preview1.MustInstantiate(t.Context(), r)
	var out bytes.Buffer
	config := wazero.NewModuleConfig().WithStdout(&out).WithArgs(append([]string{"program"}, args...)...).
		WithSysNanosleep().WithSysNanotime().WithSysWalltime()
	_, err := r.InstantiateWithConfig(t.Context(), module, config)
	if exit := (*sys.ExitError)(nil); errors.As(err, &exit) {
		return out.String(), exit.ExitCode()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), 0
}

// TestRandomFunctions verifies that functions with arbitrary jumps take the same path and
// have the same result, when called and when entered again at each call.
func TestRandomFunctions(t *testing.T) {
	seeds := uint64(400)
	if testing.Short() {
		seeds = 40
	}
	restored := 0
	for seed := range seeds {
		f := randomFunction(rand.New(rand.NewPCG(seed, 7)))
		module := f.module()
		out, res, err := reloop.Module(module)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		restored += res.Restored
		for _, pc := range append([]uint64{0}, f.resumed...) {
			for chance := range uint64(3) {
				want, got := walk(t, module, pc, chance), walk(t, out, pc, chance)
				if want != got {
					t.Fatalf("seed %d: entered at %d: path\n%v\nwant\n%v", seed, pc, got, want)
				}
			}
		}
	}
	if restored < int(seeds)*9/10 {
		t.Errorf("%d of %d functions were restored", restored, seeds)
	}
}

func TestInvalidModule(t *testing.T) {
	f := randomFunction(rand.New(rand.NewPCG(1, 7)))
	whole := f.module()
	for _, bad := range [][]byte{nil, []byte("hello"), whole[:len(whole)-3], whole[:60], append(bytes.Clone(whole), 10, 200)} {
		if _, _, err := reloop.Module(bad); !errors.Is(err, abi.ErrGuest) {
			t.Errorf("%.40q: %v", bad, err)
		}
	}
}

// TestModulesOfOtherCompilers verifies that modules which Go did not build are unchanged.
func TestModulesOfOtherCompilers(t *testing.T) {
	whole := randomFunction(rand.New(rand.NewPCG(1, 7))).module()
	for name, other := range map[string][]byte{
		"no sections":        whole[:8],
		"unknown type":       append(bytes.Clone(whole[:8]), 1, 4, 1, 0x5f, 1, 0x7f),
		"missing bodies":     append(bytes.Clone(whole[:8]), 10, 1, 200),
		"other instructions": bytes.Replace(whole, []byte{0x76, 0x41, 1, 0x71}, []byte{0xfd, 0x41, 1, 0x71}, -1),
		"other names":        bytes.Replace(whole, []byte("deferreturn"), []byte("deferResult"), 1),
	} {
		out, res, err := reloop.Module(other)
		if err != nil || res.Restored != 0 || !bytes.Equal(out, other) {
			t.Errorf("%s: %+v, %v", name, res, err)
		}
	}
}

// FuzzModule verifies that a restored module is valid if the original was.
func FuzzModule(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(randomFunction(rand.New(rand.NewPCG(seed, 7))).module())
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		out, _, err := reloop.Module(file)
		if err != nil || bytes.Equal(out, file) || compile(file) != nil {
			return
		}
		if err := compile(out); err != nil {
			t.Errorf("a module that was valid is not: %v", err)
		}
	})
}

// compile returns why a file is not a valid module. wazero panics on some files.
func compile(file []byte) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter().WithMemoryLimitPages(16))
	defer r.Close(ctx)
	_, err = r.CompileModule(ctx, file)
	return err
}
