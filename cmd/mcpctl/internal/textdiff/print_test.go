package textdiff

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
)

// A long diff is shortened inside its runs of removed and added lines, so that both remain visible.
func TestPrintShowsAdditionsAfterALongRemoval(t *testing.T) {
	lines := func(mark string, n int) string { return strings.Repeat(mark+"line\n", n) }
	head := "--- before\n+++ now\n@@ -1,3 +1,3 @@\n"
	for _, tt := range []struct {
		name, diff string
		most       int
		want       string
	}{
		{"short diff is complete", head + lines("-", 3) + lines("+", 2), 8, head + lines("-", 3) + lines("+", 2)},
		{"removed lines", head + lines("-", 2000) + lines("+", 2), 10,
			head + lines("-", 2) + "... 1996 more lines with -\n" + lines("-", 2) + lines("+", 2)},
		{"removed and added lines", head + lines("-", 100) + lines("+", 50), 9,
			head + lines("-", 1) + "... 98 more lines with -\n" + lines("-", 1) + lines("+", 1) + "... 48 more lines with +\n" + lines("+", 1)},
		{"more runs than lines", head + strings.Repeat("-a\n+b\n c\n", 20), 9, head + "-a\n+b\n c\n-a\n+b\n c\n... 54 more lines\n"},
		{"empty diff", "", 9, ""},
	} {
		io, _, out, _ := iostreams.Test()
		Print(io, tt.diff, "", tt.most)
		if got := out.String(); got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}
