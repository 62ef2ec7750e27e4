package csvscan

import "testing"

func TestLinesOfRecords(t *testing.T) {
	lines := []int32{2, 3, 4, 9, 10, 12, 20, 21, 22}
	var n numbers
	for row, line := range lines {
		n.note(row, line)
	}
	for row, want := range lines {
		if got := n.of(row); got != want {
			t.Errorf("record %d: line %d, want %d", row, got, want)
		}
	}
	if len(n.jumps) != 4 {
		t.Errorf("%d jumps, want one for each record behind one of several lines", len(n.jumps))
	}
}
