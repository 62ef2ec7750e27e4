package wasm

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkSmallCall measures a call with 1 KB of a local module, in this process and in one
// of its own. Calls that follow each other at once also wait for the guest to be prepared; p10
// and p50 are those of calls that find it ready.
func BenchmarkSmallCall(b *testing.B) {
	for _, lang := range []string{"c", "rust", "assemblyscript", "go"} {
		b.Run(lang, func(b *testing.B) { benchmarkSmallCall(b, lang) })
	}
}

func benchmarkSmallCall(b *testing.B, lang string) {
	const role = "upper-case"
	file, err := os.ReadFile("../../bench/languages/dist/" + role + "." + lang + ".wasm")
	if err != nil {
		b.Fatal(err)
	}
	for name, change := range map[string]func(*Options){
		"in this process":         nil,
		"in a process of its own": func(o *Options) { isolate(b, o) },
	} {
		b.Run(name, func(b *testing.B) {
			m, err := newBench(b, change).Load(b.Context(), role, file, false)
			if err != nil {
				b.Fatal(err)
			}
			g, err := m.Guest(role)
			if err != nil {
				b.Fatal(err)
			}
			text := content(strings.Repeat("text\n", 1024/5))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := g.Run(b.Context(), text); err != nil {
					b.Fatal(err)
				}
			}
			b.StopTimer()
			var took []time.Duration
			for range 500 {
				for wait := time.Now(); time.Since(wait) < 200*time.Microsecond; { // the guest is prepared meanwhile
				}
				start := time.Now()
				if _, err := g.Run(b.Context(), text); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/10].Nanoseconds())/1000, "ready-p10-us")
			b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1000, "ready-p50-us")
		})
	}
}
