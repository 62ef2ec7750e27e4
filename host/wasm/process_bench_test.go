package wasm

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// BenchmarkSmallCall measures a call with 1 KB of a local module, in this process and in one
// of its own. Calls that follow each other at once also wait for the guest to be prepared; p10
// and p50 are those of calls that find it ready.
func BenchmarkSmallCall(b *testing.B) {
	benchmarkCall(b, "upper-case", strings.Repeat("text\n", 1024/5))
}

// BenchmarkHeadingSplit is like BenchmarkSmallCall with 128 KB and 1,300 headings.
func BenchmarkHeadingSplit(b *testing.B) {
	const part = "# A heading\n\nSome words of a paragraph with a number, 12345, and \"quotes\".\n\n- a list\n- of items\n\n"
	benchmarkCall(b, "heading-split", strings.Repeat(part, 128<<10/len(part)))
}

func benchmarkCall(b *testing.B, role, text string) {
	for _, lang := range []string{"c", "rust", "assemblyscript", "go"} {
		b.Run(lang, func(b *testing.B) {
			file, err := os.ReadFile("../../bench/languages/dist/" + role + "." + lang + ".wasm")
			if err != nil {
				b.Fatal(err)
			}
			b.Run("in this process", func(b *testing.B) { benchmarkGuest(b, newBench(b, nil), role, file, content(text)) })
			b.Run("in a process of its own", func(b *testing.B) {
				benchmarkGuest(b, newBench(b, func(o *Options) { isolate(b, o) }), role, file, content(text))
			})
		})
	}
}

func benchmarkGuest(b *testing.B, r *bench, role string, file []byte, c abi.Call) {
	m, err := r.Load(b.Context(), role, file, false)
	if err != nil {
		b.Fatal(err)
	}
	g, err := m.Guest(role)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := g.Run(b.Context(), c); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	var took []time.Duration
	for range 500 {
		for wait := time.Now(); time.Since(wait) < 200*time.Microsecond; { // the guest is prepared meanwhile
		}
		start := time.Now()
		if _, err := g.Run(b.Context(), c); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/10].Nanoseconds())/1000, "ready-p10-us")
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1000, "ready-p50-us")
}
