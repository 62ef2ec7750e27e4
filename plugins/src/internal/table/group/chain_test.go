package group

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// depthOf returns the number of rows from row to the end of its chain, 0 for a cycle.
func depthOf(target []int32, row int32) int {
	for n := 1; n <= len(target); n++ {
		if row = target[row]; row < 0 {
			return n
		}
	}
	return 0
}

func TestCutCycles(t *testing.T) {
	for _, c := range []struct {
		rule         string
		target, want []int32
	}{
		{"no reference", []int32{none, none}, []int32{none, none}},
		{"chain", []int32{1, 2, none}, []int32{1, 2, none}},
		{"cycle", []int32{1, 2, 0}, []int32{none, 2, 0}},
		{"chain into a cycle", []int32{1, 2, 1}, []int32{1, none, 1}},
		{"reference to itself", []int32{0, 0}, []int32{none, 0}},
		{"missing row", []int32{dangling, 0}, []int32{dangling, 0}},
	} {
		got := slices.Clone(c.target)
		if cutCycles(got, make([]int32, len(got))); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.rule, got, c.want)
		}
	}
}

func TestChainsEnd(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		target := make([]int32, 1+rnd.IntN(100))
		for r := range target {
			target[r] = int32(rnd.IntN(len(target)+2)) - 2
			if r > 0 && rnd.IntN(3) > 0 {
				target[r] = int32(r - 1) // long chains
			}
		}
		cutCycles(target, make([]int32, len(target)))
		shortenChains(target, make([]int32, len(target)))
		for r := range target {
			if n := depthOf(target, int32(r)); n == 0 || n > maxChain {
				t.Fatalf("row %d is in a chain of %d rows: %v", r, n, target)
			}
		}
	}
}
