package module

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// memoryImage returns the memory after the segments are written in their order.
func memoryImage(segments []dataSegment, size int) []byte {
	memory := make([]byte, size)
	for _, s := range segments {
		copy(memory[s.offset:], s.data)
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
		for range 16 + rng.IntN(40) {
			data := make([]byte, rng.IntN(200))
			for i := range data {
				data[i] = byte(1 + rng.IntN(255))
			}
			segments = append(segments, dataSegment{uint32(rng.IntN(size - 200)), data})
		}
		out := mergeData(segments)
		if out == nil {
			continue // segments overlap
		}
		merges++
		r := NewReader(out)
		merged, canMerge := decodeData(r)
		if r.err != nil || !canMerge || r.Len() != 0 || len(merged) > len(segments) {
			t.Fatalf("merged section: %v, canMerge %v, %d bytes left", r.err, canMerge, r.Len())
		}
		if !bytes.Equal(memoryImage(merged, size), memoryImage(segments, size)) {
			t.Fatal("memory differs")
		}
	}
	if merges < 20 {
		t.Errorf("only %d of 300 were merged", merges)
	}
}

func TestMergeDataRefuses(t *testing.T) {
	many := make([]dataSegment, 20)
	for i := range many {
		many[i] = dataSegment{uint32(i * 10), []byte("abc")}
	}
	if mergeData(many[:15]) != nil {
		t.Error("few segments were merged")
	}
	if mergeData(many) == nil {
		t.Error("20 segments side by side not merged")
	}
	overlapping := slices.Clone(many)
	overlapping[7].data = bytes.Repeat([]byte("x"), 11)
	if mergeData(overlapping) != nil {
		t.Error("segments that share bytes were merged")
	}
	high := append(slices.Clone(many), dataSegment{^uint32(0), []byte("ab")})
	if mergeData(high) != nil {
		t.Error("a segment past the end of memory was merged")
	}
}
