package code

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

func BenchmarkScan(b *testing.B) {
	text, err := os.ReadFile(filepath.Join(runtime.GOROOT(), "src/net/http/server.go"))
	if err != nil {
		b.Skip("the sources of Go are not installed")
	}
	for _, file := range []string{"server.go", ""} {
		b.Run("file="+file, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				d, _ := Scan(text, part.Clues{File: file})
				var n part.Name
				for i := range d.Parts {
					n.ID, n.Title = n.ID[:0], n.Title[:0]
					d.Name(i, &n)
				}
			}
		})
	}
}
