package wasm

import (
	"os"
	"testing"
)

// BenchmarkSmallCall measures a call with 1 KB of a local module, in this process and in one
// of its own.
func BenchmarkSmallCall(b *testing.B) {
	file, err := os.ReadFile("../../examples/dist/lead-rust.wasm")
	if err != nil {
		b.Fatal(err)
	}
	for name, change := range map[string]func(*Options){
		"in this process":         nil,
		"in a process of its own": func(o *Options) { isolate(b, o) },
	} {
		b.Run(name, func(b *testing.B) {
			m, err := newBench(b, change).Load(b.Context(), "lead", file, false)
			if err != nil {
				b.Fatal(err)
			}
			g, err := m.Guest("lead")
			if err != nil {
				b.Fatal(err)
			}
			text := content(string(make([]byte, 1024)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := g.Run(b.Context(), text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
