package part

import (
	"slices"
	"testing"
)

func TestKeep(t *testing.T) {
	// 0 [0,100)  1 [0,40)  2 [0,20)  3 [20,40)  4 [40,100)  5 [40,90)  6 a group  7 [100,130)  8 [100,110)
	doc := Doc{Parts: []Part{
		{Start: 0, End: 100, Parent: -1, Kind: Plain}, {Start: 0, End: 40, Parent: 0, Kind: Plain}, {Start: 0, End: 20, Parent: 1, Kind: Plain}, {Start: 20, End: 40, Parent: 1, Kind: Plain}, {Start: 40, End: 100, Parent: 0, Kind: Record}, {Start: 40, End: 90, Parent: 4, Kind: Plain},
		{Parent: -1, Kind: Group}, {Start: 100, End: 130, Parent: 6, Kind: Plain}, {Start: 100, End: 110, Parent: 7, Kind: Plain},
	}}
	for _, c := range []struct {
		rule string
		l    Limits
		want []int
	}{
		{"a leaf size that splits all", Limits{10, 64, 100}, []int{0, 1, 2, 3, 4, 5, 6, 7, 8}},
		{"a part of the leaf size is a leaf", Limits{30, 64, 100}, []int{0, 1, 2, 3, 4, 6, 7}},
		{"a record may be twice as large", Limits{29, 64, 100}, []int{0, 1, 2, 3, 4, 5, 6, 7, 8}},
		{"a group is never a leaf", Limits{1000, 64, 100}, []int{0, 6, 7}},
		{"depth counts levels", Limits{10, 1, 100}, []int{0, 6, 7}},
		{"a group is on the level of its members", Limits{10, 2, 100}, []int{0, 1, 4, 6, 7, 8}},
		{"deeper levels are dropped as a whole", Limits{10, 64, 8}, []int{0, 1, 4, 6, 7, 8}},
		{"exactly as many as allowed", Limits{10, 64, 6}, []int{0, 1, 4, 6, 7, 8}},
		{"no group without its members", Limits{10, 64, 5}, []int{0, 6, 7}},
		{"no room for the first level", Limits{10, 64, 2}, []int{}},
	} {
		kept, got := doc.Keep(c.l), []int{}
		for i := kept.From(0); i >= 0; i = kept.From(i + 1) {
			got = append(got, i)
		}
		if !slices.Equal(got, c.want) || kept.Len != len(got) {
			t.Errorf("%s: %d, %v, want %v", c.rule, kept.Len, got, c.want)
		}
	}
}
