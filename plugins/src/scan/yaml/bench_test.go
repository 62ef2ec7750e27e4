package yaml

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part/parttest"
)

func BenchmarkScan(b *testing.B) {
	texts := parttest.ReadContents(b, "*.yaml")
	texts["siblings"] = []byte(strings.Repeat("- name: x1\n  v: 2\n", 50_000))
	texts["short-lines"] = []byte("a:\n" + strings.Repeat("  k:\n    b: 1\n", 100_000))
	for name, text := range texts {
		b.Run(name, func(b *testing.B) { tested.Bench(b, text) })
	}
}

func BenchmarkNames(b *testing.B) {
	text := []byte("items:\n" + strings.Repeat("- name: x1\n  v: 2\n", 10_000))
	var n part.Name
	b.ReportAllocs()
	for b.Loop() {
		doc, _ := Scan(text, part.Clues{})
		for i := range doc.Parts {
			n.ID, n.Title = n.ID[:0], n.Title[:0]
			doc.Name(i, &n)
		}
	}
}
