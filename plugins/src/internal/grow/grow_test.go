package grow

import "testing"

// All memory that is allocated for a list is little more than the final list.
func TestTotalAllocation(t *testing.T) {
	for _, c := range []struct {
		rule  string
		at    func(i int) int // offset of entry i
		whole int
		most  int // tenths of the list that may be allocated
	}{
		{"entries at equal distances", func(i int) int { return 9 * i }, 9 * 100_000, 12},
		{"an entry for each byte", func(i int) int { return i }, 100_000, 12},
		{"more entries towards the end", func(i int) int { return 9*i - i*i/25_000 }, 9*100_000 - 400_000, 40},
		{"offsets unknown", func(i int) int { return 0 }, 100_000, 70},
	} {
		var list []int32
		all := 0
		for i := range 100_000 {
			if len(list) == cap(list) {
				list = Slice(list, c.at(i), c.whole, 1<<20)
				all += cap(list)
			}
			list = append(list, int32(i))
		}
		if all > len(list)*c.most/10 {
			t.Errorf("%s: %d entries allocated for %d", c.rule, all, len(list))
		}
		for i, x := range list {
			if int(x) != i {
				t.Fatalf("%s: entry %d is %d", c.rule, i, x)
			}
		}
	}
}

// The capacity is small while little of the text is read.
func TestCapacityAtTheStart(t *testing.T) {
	var list []int32
	for i := range 1000 {
		if len(list) == cap(list) {
			list = Slice(list, i, 1<<20, 1<<20)
		}
		list = append(list, 0)
	}
	if cap(list) > 4*len(list) {
		t.Errorf("capacity %d for %d entries", cap(list), len(list))
	}
}

func TestCapacityLimit(t *testing.T) {
	list := make([]int32, 1000)
	for _, c := range []struct{ most, want int }{{1 << 20, 4000}, {2500, 2500}, {500, 1001}} {
		if got := cap(Slice(list, 0, 1<<20, c.most)); got < c.want || got > c.want+c.want/4 {
			t.Errorf("limit %d: capacity %d, want %d", c.most, got, c.want)
		}
	}
}
