package wasm

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// FuzzParse verifies that parsing any bytes ends, allocates in proportion to them, and
// that the compiler accepts or refuses every parsed module without harm.
func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob(filepath.Join(hostileDir, "*.wasm"))
	for _, path := range files {
		if b, err := os.ReadFile(path); err == nil && len(b) < 4096 {
			f.Add(b)
		}
	}
	s := &script{manifest: sessionManifest, hooks: []string{abi.ExportOnClose}, init: []byte{}, start: []byte{}}
	s.data(0, "data").call("buf_len", 0)
	f.Add(s.wasm())
	b := newBench(f, nil)
	f.Fuzz(func(t *testing.T, file []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		parsed, err := module.Parse(file)
		runtime.ReadMemStats(&after)
		if n, limit := after.TotalAlloc-before.TotalAlloc, uint64(4*len(file)+1<<20); n > limit {
			t.Fatalf("%d bytes allocated for a file of %d, limit %d", n, len(file), limit)
		}
		if err != nil {
			return
		}
		if again, err := module.Parse(parsed.Stripped()); err != nil || !bytes.Equal(again.Stripped(), parsed.Stripped()) {
			t.Fatalf("stripping twice differs from stripping once: %v", err)
		}
		if len(file) > 2048 {
			return
		}
		if c, err := b.engine.CompileModule(context.Background(), parsed.Stripped()); err == nil {
			c.Close(context.Background())
		}
	})
}
