package tree

import (
	"strings"
	"testing"
)

// TestLineTable checks the lines near the ends of the blocks of the table.
func TestLineTable(t *testing.T) {
	for name, text := range map[string]string{
		"lines of one length":              strings.Repeat("fifteen letters\n", 3*lineBlock/16),
		"line end at the end of a block":   strings.Repeat("a", lineBlock-1) + "\n" + strings.Repeat("b", lineBlock-2) + "\nc\n\nd",
		"line end at the start of a block": strings.Repeat("a", lineBlock) + "\n" + strings.Repeat("b", lineBlock) + "\n\nc",
		"line longer than a block":         "a\n" + strings.Repeat("b", 3*lineBlock) + "\nc\n",
		"blank lines":                      strings.Repeat("\n", 2*lineBlock+5),
		"no line end":                      strings.Repeat("a", 2*lineBlock),
	} {
		source := &Source{Text: []byte(text)}
		at := 0
		for n, line := range strings.SplitAfter(text, "\n") {
			isNear := min(at%lineBlock, lineBlock-at%lineBlock) < 40
			if !isNear && n >= 3 && at < len(text)-40 {
				at += len(line)
				continue
			}
			if got := source.LineStart(n); got != at {
				t.Fatalf("%s: LineStart(%d) = %d, want %d", name, n, got, at)
			}
			if got := source.LineEnds(at); got != n {
				t.Fatalf("%s: LineEnds(%d) = %d, want %d", name, at, got, n)
			}
			at += len(line)
		}
		if got := source.LineStart(strings.Count(text, "\n") + 1); got != len(text) {
			t.Errorf("%s: the line after the last one starts at %d, want the end %d", name, got, len(text))
		}
	}
}
