package pool

import "testing"

func TestSlicesAreZeroAndDoNotOverlap(t *testing.T) {
	var p Pool[int32]
	for round := range 3 {
		var lent [][]int32
		for n := range 300 {
			s := p.Get(n * 7)
			for i, v := range s {
				if v != 0 {
					t.Fatalf("round %d: element %d of %d is %d, want 0", round, i, len(s), v)
				}
				s[i] = int32(n) + 1
			}
			lent = append(lent, s)
		}
		for n, s := range lent {
			if len(s) != n*7 || cap(s) != n*7 {
				t.Fatalf("length %d and capacity %d, want %d", len(s), cap(s), n*7)
			}
			for _, v := range s {
				if v != int32(n)+1 {
					t.Fatalf("slice %d overlaps another one", n)
				}
			}
		}
		p.Reclaim()
	}
}

func TestLargeSlicesAreLentAgain(t *testing.T) {
	var p Pool[int32]
	first := p.Get(3 * maxSize)
	for i := range first {
		first[i] = 7
	}
	p.Put(first)
	for _, n := range []int{maxSize, 2 * maxSize} {
		s := p.Get(n)
		if &s[0] != &first[0] || len(s) != n || cap(s) != n {
			t.Fatalf("Get(%d) does not return the memory of Put", n)
		}
		for i, v := range s {
			if v != 0 {
				t.Fatalf("element %d of %d is %d, want 0", i, n, v)
			}
		}
		first = first[n:]
	}
	if s := p.Get(maxSize); len(s) != maxSize {
		t.Errorf("%d elements after all returned memory is lent, want %d", len(s), maxSize)
	}
}
