package csv

import "testing"

func TestLinesOfRecords(t *testing.T) {
	lines := []int32{2, 3, 4, 9, 10, 12, 20, 21, 22}
	var n lineNumbers
	for row, line := range lines {
		n.add(row, line)
	}
	for row, want := range lines {
		if got := n.of(row); got != want {
			t.Errorf("record %d: line %d, want %d", row, got, want)
		}
	}
	if len(n.jumps) != 4 {
		t.Errorf("%d jumps, want 4: one for each record after a record of several lines", len(n.jumps))
	}
}
