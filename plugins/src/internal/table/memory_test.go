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
