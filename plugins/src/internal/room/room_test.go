package room

import "testing"

// TestWhatIsLeftBehind: all that is allocated for a list of which one entry stands
// in each stretch of a text is little more than the list.
func TestWhatIsLeftBehind(t *testing.T) {
	for _, c := range []struct {
		rule  string
		at    func(i int) int // where entry i stands
		whole int
		most  int // tenths of the list that may be allocated
	}{
		{"entries stand at equal distances", func(i int) int { return 9 * i }, 9 * 100_000, 12},
		{"one is all of the text", func(i int) int { return i }, 100_000, 12},
		{"they get more towards the end", func(i int) int { return 9*i - i*i/25_000 }, 9*100_000 - 400_000, 40},
		{"nothing is known of where they stand", func(i int) int { return 0 }, 100_000, 70},
	} {
		var list []int32
		all := 0
		for i := range 100_000 {
			if len(list) == cap(list) {
				list = More(list, c.at(i), c.whole, 1<<20)
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

// TestLittleIsSetAsideInVain: entries that stand at the start of a text tell of the
// rest once a part of it is read.
func TestLittleIsSetAsideInVain(t *testing.T) {
	var list []int32
	for i := range 1000 {
		if len(list) == cap(list) {
			list = More(list, i, 1<<20, 1<<20)
		}
		list = append(list, 0)
	}
	if cap(list) > 4*len(list) {
		t.Errorf("room for %d entries of %d", cap(list), len(list))
	}
}

func TestNoMoreIsSetAsideThanThereCanBe(t *testing.T) {
	list := make([]int32, 1000)
	for _, c := range []struct{ most, want int }{{1 << 20, 4000}, {2500, 2500}, {500, 1001}} {
		if got := cap(More(list, 0, 1<<20, c.most)); got < c.want || got > c.want+c.want/4 {
			t.Errorf("at most %d: room for %d, want %d", c.most, got, c.want)
		}
	}
}
