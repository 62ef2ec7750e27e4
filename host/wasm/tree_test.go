package wasm

import (
	"fmt"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// sectionRun is a run whose guest has n names in its memory, 16 bytes each, and
// original bytes for a section of each, sectionUnit of them.
func sectionRun(n int) *run {
	r := &run{role: &role{Role: abi.Role{Kind: abi.KindStage}}, instance: instance{mem: &memory{}}}
	for i := range n {
		r.mem.buf = fmt.Appendf(r.mem.buf, "n%06d, kind %-2d", i, i%7)
	}
	r.call.Original = make([]byte, n*sectionUnit)
	r.call.Input = r.call.Original
	r.call.Context.Limits.Sections = n + 7
	r.bufs.init(r)
	return r
}

const sectionUnit = 40

// BenchmarkSections is the host's part of a section with a title and an id.
func BenchmarkSections(b *testing.B) {
	const n = 24_500
	for name, groups := range map[string]int{"top": 0, "grouped": 7} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			a := make(args, 6)
			call := func(f importFunc, r *run, values ...uint64) int32 {
				copy(a, values)
				return f(r, a)
			}
			for b.Loop() {
				b.StopTimer()
				r := sectionRun(n)
				b.StartTimer()
				for range groups {
					call(sectionAdd, r, top, top, 0, 0, 0, 16)
				}
				for i := range uint64(n) {
					parent, at := uint64(top), i
					if groups > 0 {
						parent = i / (n / uint64(groups))
						at = i%(n/uint64(groups))*uint64(groups) + parent // in text order in its group only
					}
					start := at * sectionUnit
					section := call(sectionAdd, r, parent, abi.BufInput, start, start+sectionUnit-1, at*16, 16)
					if section < 0 || call(sectionID, r, uint64(section), at*16, 7) < 0 {
						b.Fatal(r.lastError)
					}
				}
				if _, err := r.tree.finish(r, ""); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/section")
		})
	}
}

// top is -1 as the guest hands it over: no parent, no buffer.
const top = 0xffff_ffff

// The memory for texts grows with their number: a tree of a few Sections takes a
// kilobyte of it, and the texts stay what they were.
func TestTextsOfFewSectionsTakeLittle(t *testing.T) {
	var b treeBuilder
	var kept []string
	title := func(i int) string { return fmt.Sprintf("title of section %d", i) }
	for i := range 5000 {
		kept = append(kept, b.keep([]byte(title(i))))
		if i == 20 && cap(b.texts) > 1<<10 {
			t.Errorf("%d bytes for the titles of 20 Sections", cap(b.texts))
		}
	}
	if cap(b.texts) != 32<<10 {
		t.Errorf("blocks of %d bytes for thousands, want 32 KiB", cap(b.texts))
	}
	for i, text := range kept {
		if text != title(i) {
			t.Fatalf("text %d is %q now", i, text)
		}
	}
}
