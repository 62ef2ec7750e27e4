package wasm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// damages are the ways in which the tests damage a file of compiled code.
var damages = map[string]func(path string) error{
	"cut in half": func(path string) error { return resize(path, func(n int64) int64 { return n / 2 }) },
	"cut by one":  func(path string) error { return resize(path, func(n int64) int64 { return n - 1 }) },
	"empty":       func(path string) error { return os.Truncate(path, 0) },
	"zeros":       func(path string) error { return edit(path, func(b []byte) { clear(b) }) },
	"zeros in the second half": func(path string) error {
		return edit(path, func(b []byte) { clear(b[len(b)/2:]) })
	},
	"flipped magic":    func(path string) error { return edit(path, func(b []byte) { b[0] ^= 1 }) },
	"flipped code":     func(path string) error { return edit(path, func(b []byte) { b[len(b)-64] ^= 1 }) },
	"flipped checksum": func(path string) error { return edit(path, func(b []byte) { b[len(b)-6] ^= 1 }) },
	"deleted":          os.Remove,
	"a directory": func(path string) error {
		if err := os.Remove(path); err != nil {
			return err
		}
		return os.MkdirAll(filepath.Join(path, "full"), 0o700)
	},
	"not readable": func(path string) error { return os.Chmod(path, 0) },
}

func resize(path string, size func(int64) int64) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return os.Truncate(path, size(info.Size()))
}

func edit(path string, change func([]byte)) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	change(b)
	return os.WriteFile(path, b, 0o600)
}

// compiledIn returns the files of compiled code in a cache.
func compiledIn(t *testing.T, dir string) []string {
	t.Helper()
	paths, err := codeCacheFiles(dir, compiledFiles)
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	return paths
}

// damagedModules returns modules with different code.
func damagedModules(t *testing.T) (files [][]byte) {
	for i := range 4 {
		files = append(files, (&script{noResult: true, pages: byte(2 + i)}).returns(abi.ReturnPass).wasm())
	}
	return append(files, foreign(t, "extism-upper"))
}

// passes loads a module and runs its stage.
func passes(ctx context.Context, r *Runtime, name string, file []byte, trusted bool) error {
	m, err := r.Load(ctx, name, file, trusted)
	if err != nil {
		return err
	}
	defer m.Close()
	g, err := m.Guest(name)
	if err != nil {
		return err
	}
	_, err = g.Run(ctx, content("x"))
	return err
}

// Damaged code is compiled again, whoever reads it, also if several do so at the same time.
func TestDamageIsRepaired(t *testing.T) {
	files := damagedModules(t)
	for _, inProcesses := range []bool{false, true} {
		if inProcesses && testing.Short() {
			continue // starts many processes
		}
		for what, damage := range damages {
			t.Run(fmt.Sprintf("%s, in processes %v", what, inProcesses), func(t *testing.T) {
				dir := t.TempDir()
				open := func() *Runtime {
					return newBench(t, func(o *Options) {
						*o = Options{Limits: o.Limits, CacheDir: dir}
						if inProcesses {
							isolate(t, o)
						}
					}).Runtime
				}
				useAll := func(runtimes ...*Runtime) {
					var all sync.WaitGroup
					for _, r := range runtimes {
						for i, file := range files {
							trusted := i%2 == 0 && i < len(files)-1
							all.Go(func() {
								if err := passes(t.Context(), r, fmt.Sprint("m", i), file, trusted); err != nil {
									t.Errorf("module %d: %v", i, err)
								}
							})
						}
					}
					all.Wait()
				}
				useAll(open())
				runtimes := []*Runtime{open(), open()}
				for _, path := range compiledIn(t, dir) {
					if err := damage(path); err != nil {
						t.Fatal(err)
					}
				}
				useAll(runtimes...)
				if err := emptyPrepared(dir); err != nil { // the compiler reads the cache, too
					t.Fatal(err)
				}
				runtimes = []*Runtime{open(), open()}
				for _, path := range compiledIn(t, dir) {
					if err := damage(path); err != nil {
						t.Fatal(err)
					}
				}
				useAll(runtimes...)
				for _, path := range compiledIn(t, dir) {
					if !isIntact(path) {
						t.Errorf("%s is still damaged", filepath.Base(path))
					}
				}
			})
		}
	}
}

func emptyPrepared(dir string) error {
	paths, err := codeCacheFiles(dir, preparedDir+"/*")
	for _, p := range paths {
		err = errors.Join(err, os.Remove(p))
	}
	return err
}

// A repair removes only damaged files, and none that another process is writing.
func TestRepairKeepsIntactCode(t *testing.T) {
	dir := t.TempDir()
	b := newBench(t, func(o *Options) { *o = Options{Limits: o.Limits, CacheDir: dir} })
	for i, file := range damagedModules(t) {
		if err := passes(t.Context(), b.Runtime, fmt.Sprint("m", i), file, false); err != nil {
			t.Fatal(err)
		}
	}
	paths := compiledIn(t, dir)
	unfinished := paths[0] + ".1.tmp"
	if err := os.WriteFile(unfinished, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := damages["cut in half"](paths[0]); err != nil {
		t.Fatal(err)
	}
	if err := removeDamaged(dir); err != nil {
		t.Fatal(err)
	}
	for i, path := range append(paths, unfinished) {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) != (i == 0) {
			t.Errorf("%d of %d: %v", i, len(paths), err)
		}
	}
	if err := emptyCodeCache(dir); err != nil {
		t.Fatal(err)
	}
	if left := compiledIn(t, dir); len(left) != 1 || left[0] != unfinished {
		t.Errorf("left: %v", left)
	}
}

// If the damage is not found, all files are removed; if it remains, the cache is at fault, not
// the module.
func TestDamageThatIsNotFound(t *testing.T) {
	damage := errors.New("compilationcache: damaged")
	for name, tt := range map[string]struct {
		failures int
		err      error
		want     error
		calls    int
	}{
		"repaired at once":           {1, damage, nil, 2},
		"repaired by removing all":   {compileAttempts - 1, damage, nil, compileAttempts},
		"not repaired":               {compileAttempts, damage, abi.ErrUnavailable, compileAttempts},
		"an error of the module":     {1, fs.ErrInvalid, fs.ErrInvalid, 1},
		"it cannot be kept":          {1, &os.LinkError{Op: "rename", Err: fs.ErrNotExist}, nil, 2},
		"it is never kept":           {compileAttempts, &fs.PathError{Op: "write", Err: fs.ErrInvalid}, abi.ErrUnavailable, compileAttempts},
		"a file that does not exist": {1, &fs.PathError{Op: "open", Path: "/nonexistent/code", Err: fs.ErrPermission}, nil, 2},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, func(o *Options) { *o = Options{Limits: o.Limits, CacheDir: t.TempDir()} })
			calls := 0
			_, err := withRepair(b.codeRepair(), func() (int, error) {
				if calls++; calls <= tt.failures {
					return 0, tt.err
				}
				return 1, nil
			})
			if !errors.Is(err, tt.want) || calls != tt.calls {
				t.Errorf("%d calls, %v; want %d, %v", calls, err, tt.calls, tt.want)
			}
		})
	}
}

// A built-in module that the cache prevented from being loaded is built at its next call.
func TestDeferredIsBuiltAgain(t *testing.T) {
	dir := t.TempDir()
	file := (&script{noResult: true}).returns(abi.ReturnPass).wasm()
	b := newBench(t, func(o *Options) { *o = Options{Limits: o.Limits, CacheDir: dir} })
	if err := passes(t.Context(), b.Runtime, "head", file, true); err != nil {
		t.Fatal(err)
	}
	again := newBench(t, func(o *Options) { *o = Options{Limits: o.Limits, CacheDir: dir} })
	sum := sha256.Sum256(file)
	isMissing := true
	m, err := again.LoadFile(t.Context(), Source{Name: "head", Hash: hex.EncodeToString(sum[:]), Trusted: true, Read: func() ([]byte, error) {
		if isMissing {
			return nil, abi.ErrUnavailable
		}
		return file, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	g, err := m.Guest("head")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []error{abi.ErrUnavailable, nil, nil} {
		if _, err := g.Run(t.Context(), content("x")); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
		isMissing = false
	}
}
