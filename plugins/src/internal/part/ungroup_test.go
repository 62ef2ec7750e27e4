package part

import (
	"slices"
	"strconv"
	"testing"
)

func TestUngrouped(t *testing.T) {
	name := func(i int, n *Name) { n.ID = strconv.AppendInt(n.ID, int64(i), 10) }
	doc := &Doc{Count: "5 records", By: "kind", Name: name, Parts: []Part{
		{0, 90, -1, Plain},                   // 0 holds two groups, one in the other
		{0, 0, 0, Group}, {10, 30, 1, Plain}, // 1: 2
		{10, 30, 2, Plain},                    // 3 is all of 2
		{0, 0, 1, Group}, {50, 60, 4, Record}, // 4: 5
		{30, 50, 0, Plain},  // 6 stands between their members
		{90, 95, -1, Plain}, // 7
	}}
	flat := doc.Ungrouped()
	want := []Part{{0, 90, -1, Plain}, {10, 30, 0, Plain}, {10, 30, 1, Plain}, {30, 50, 0, Plain}, {50, 60, 0, Record}, {90, 95, -1, Plain}}
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
