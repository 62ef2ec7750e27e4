//go:build e2e

package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/mcpctl/mcpctl/host/reloop"
)

// TestRestoredPackagesPassTheirTests verifies that packages of Go's standard library, built
// for WebAssembly and restored, pass their own tests.
func TestRestoredPackagesPassTheirTests(t *testing.T) {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range []string{"sort", "strconv", "container/heap", "context", "sync", "regexp", "encoding/json", "text/template", "go/parser"} {
		t.Run(pkg, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "test.wasm")
			build := exec.Command("go", "test", "-c", "-ldflags=-w", "-o", file, pkg)
			build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			module, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			module, res, err := reloop.Module(module)
			if err != nil || res.Restored < res.Functions/2 {
				t.Fatalf("%+v, %v", res, err)
			}
			t.Logf("%d of %d functions restored", res.Restored, res.Functions)

			r := wazero.NewRuntime(t.Context())
			defer r.Close(context.Background())
			wasi_snapshot_preview1.MustInstantiate(t.Context(), r)
			var out strings.Builder
			config := wazero.NewModuleConfig().WithArgs("test", "-test.short").WithStdout(&out).WithStderr(&out).
				WithFSConfig(wazero.NewFSConfig().WithReadOnlyDirMount("/", "/").WithDirMount(t.TempDir(), "/tmp")).
				WithEnv("PWD", filepath.Join(strings.TrimSpace(string(goroot)), "src", pkg)).WithSysNanosleep().WithSysNanotime().WithSysWalltime()
			if _, err := r.InstantiateWithConfig(t.Context(), module, config); err != nil || !strings.HasSuffix(out.String(), "PASS\n") {
				t.Errorf("%v\n%s", err, out.String())
			}
		})
	}
}
