package module

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/mcpctl/mcpctl/host/wasm/binary"
)

// memoryImage returns the memory after the segments are written in their order.
func memoryImage(section []byte, segments []dataSegment, size int) []byte {
	memory := make([]byte, size)
	for _, s := range segments {
		copy(memory[s.offset:], section[s.from:s.to])
	}
	return memory
}

// TestMergeDataKeepsMemory verifies that merged segments produce the same memory.
func TestMergeDataKeepsMemory(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const size = 64 << 10
	merges := 0
	for range 300 {
		var segments []dataSegment
		var section []byte
		for range 16 + rng.IntN(40) {
			from := len(section)
			for range rng.IntN(200) {
				section = append(section, byte(1+rng.IntN(255)))
			}
			segments = append(segments, dataSegment{uint32(rng.IntN(size - 200)), uint32(from), uint32(len(section))})
		}
		want := memoryImage(section, segments, size)
		out, n := mergeData(section, segments)
		if out == nil {
			continue // segments overlap
		}
		merges++
		r := binary.NewReader(out)
		merged, read := decodeData(r)
		if r.Err() != nil || r.Len() != 0 || len(merged) != n || read != n || n > len(segments) {
			t.Fatalf("merged section: %v, %d of %d segments, %d bytes left", r.Err(), len(merged), n, r.Len())
		}
		if !bytes.Equal(memoryImage(out, merged, size), want) {
			t.Fatal("memory differs")
		}
	}
	if merges < 20 {
		t.Errorf("only %d of 300 were merged", merges)
	}
}

func TestMergeDataRefuses(t *testing.T) {
	section := make([]byte, 100)
	every := func(distance uint32, n int) []dataSegment {
		segments := make([]dataSegment, n)
		for i := range segments {
			segments[i] = dataSegment{uint32(i) * distance, 0, 3}
		}
		return segments
	}
	for _, tc := range []struct {
		name     string
		segments []dataSegment
		merges   bool
	}{
		{"side by side", every(5, 20), true},
		{"few", every(5, 15), false},
		{"more zeros between them than bytes", every(10, 20), false},
		{"sharing bytes", append(every(5, 20), dataSegment{7, 0, 1}), false},
		{"past the end of memory", append(every(5, 20), dataSegment{^uint32(0), 0, 2}), false},
	} {
		if out, _ := mergeData(section, tc.segments); (out != nil) != tc.merges {
			t.Errorf("%s: merged %v", tc.name, out != nil)
		}
	}
}
