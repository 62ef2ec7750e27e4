package mapping

import (
	"slices"
	"testing"
)

// TestUnreadablePageTable verifies that all pages count as written if the system does not tell.
func TestUnreadablePageTable(t *testing.T) {
	if !IsSupported() {
		t.Skip("this system does not tell which pages were written")
	}
	if got := readWritten(-1, nil, make([]byte, 3*PageBytes)); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("got pages %v, want all", got)
	}
}
