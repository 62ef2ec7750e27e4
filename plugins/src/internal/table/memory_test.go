package table

import "testing"

func TestMemoryIsLentOnceAndAllZero(t *testing.T) {
	var m memory
	for round := range 3 {
		var lent [][]int32
		for n := range 300 {
			s := m.ints.take(n * 7)
			for i, v := range s {
				if v != 0 {
					t.Fatalf("round %d: element %d of %d is %d", round, i, len(s), v)
				}
				s[i] = int32(n) + 1
			}
			lent = append(lent, s)
		}
		for n, s := range lent {
			if len(s) != n*7 || cap(s) != n*7 {
				t.Fatalf("lent %d of %d, want %d", len(s), cap(s), n*7)
			}
			for _, v := range s {
				if v != int32(n)+1 {
					t.Fatalf("memory of loan %d was lent twice", n)
				}
			}
		}
		m.reclaim()
	}
}

func TestMemoryThatIsGivenBackIsLentAgain(t *testing.T) {
	var m memory
	first := m.ints.take(3 * poolMost)
	for i := range first {
		first[i] = 7
	}
	m.ints.give(first)
	for _, n := range []int{poolMost, 2 * poolMost} {
		s := m.ints.take(n)
		if &s[0] != &first[0] || len(s) != n || cap(s) != n {
			t.Fatalf("%d elements: %d of %d, want those that were given back", n, len(s), cap(s))
		}
		for i, v := range s {
			if v != 0 {
				t.Fatalf("element %d of %d is %d", i, n, v)
			}
		}
		first = first[n:]
	}
	if s := m.ints.take(poolMost); len(s) != poolMost {
		t.Errorf("%d elements when nothing is left, want %d", len(s), poolMost)
	}
}
