package part

import (
	"slices"
	"strconv"
	"testing"
)

func TestUngrouped(t *testing.T) {
	name := func(i int, n *Name) { n.ID = strconv.AppendInt(n.ID, int64(i), 10) }
	doc := &Doc{Count: "5 records", By: "kind", Name: name, Parts: []Part{
		{Start: 0, End: 90, Parent: -1, Kind: Plain},                           // 0 contains two nested groups
		{Parent: 0, Kind: Group}, {Start: 10, End: 30, Parent: 1, Kind: Plain}, // 1: 2
		{Start: 10, End: 30, Parent: 2, Kind: Plain},                            // 3 equals 2
		{Parent: 1, Kind: Group}, {Start: 50, End: 60, Parent: 4, Kind: Record}, // 4: 5
		{Start: 30, End: 50, Parent: 0, Kind: Plain},  // 6 is between their members
		{Start: 90, End: 95, Parent: -1, Kind: Plain}, // 7
	}}
	flat := doc.Ungrouped()
	want := []Part{{Start: 0, End: 90, Parent: -1, Kind: Plain}, {Start: 10, End: 30, Parent: 0, Kind: Plain}, {Start: 10, End: 30, Parent: 1, Kind: Plain}, {Start: 30, End: 50, Parent: 0, Kind: Plain}, {Start: 50, End: 60, Parent: 0, Kind: Record}, {Start: 90, End: 95, Parent: -1, Kind: Plain}}
	if !slices.Equal(flat.Parts, want) || flat.Count != doc.Count || flat.By != "" {
		t.Errorf("%+v by %q, want %+v by none", flat.Parts, flat.By, want)
	}
	var names []string
	for i := range flat.Parts {
		var n Name
		flat.Name(i, &n)
		names = append(names, string(n.ID))
	}
	if want := []string{"0", "2", "3", "6", "5", "7"}; !slices.Equal(names, want) {
		t.Errorf("called %q, want %q", names, want)
	}
	if flat.Ungrouped() != flat {
		t.Error("a Doc without groups is copied")
	}
}
