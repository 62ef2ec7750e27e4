package textdiff

import (
	"fmt"
	"strings"
	"testing"
)

func TestLines(t *testing.T) {
	for _, tt := range []struct{ name, old, now, want string }{
		{"equal texts have none", "a\nb\n", "a\nb\n", ""},
		{"a changed line", "a\nb\nc\n", "a\nx\nc\n", "@@ line 1 @@\n a\n-b\n+x\n c\n"},
		{"a new line at the end", "a\n", "a\nb\n", "@@ line 1 @@\n a\n+b\n"},
		{"only the last newline", "a\n", "a", "@@ line 1 @@\n-a\n+a\n\\ no newline at the end\n"},
		{"nothing before", "", "a\n", "@@ line 1 @@\n+a\n"},
		{"two changes apart", "a\n1\n2\n3\n4\n5\n6\nb\n", "A\n1\n2\n3\n4\n5\n6\nB\n",
			"@@ line 1 @@\n-a\n+A\n 1\n 2\n@@ line 6 @@\n 5\n 6\n-b\n+B\n"},
		{"two changes near each other are one", "a\n1\nb\n", "A\n1\nB\n", "@@ line 1 @@\n-a\n+A\n 1\n-b\n+B\n"},
		{"a line that moved", "x\na\nb\n", "a\nb\nx\n", "@@ line 1 @@\n-x\n a\n b\n+x\n"},
	} {
		got := strings.TrimPrefix(Lines("want", "got", tt.old, tt.now), "--- want\n+++ got\n")
		if got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

// Applying what is shown to the old text gives the new one, however long they are.
func TestEditsGiveTheNewText(t *testing.T) {
	var old, now []string
	for i := range 3000 { // more pairs than are compared
		old = append(old, fmt.Sprintln("line", i%7, i))
		now = append(now, fmt.Sprintln("line", i%5, i/2))
	}
	for _, n := range []int{0, 1, 50, 3000} {
		var before, after strings.Builder
		for _, e := range compare(old[:n], now) {
			if e.mark != '+' {
				before.WriteString(e.text)
			}
			if e.mark != '-' {
				after.WriteString(e.text)
			}
		}
		if before.String() != strings.Join(old[:n], "") || after.String() != strings.Join(now, "") {
			t.Errorf("edits of %d lines lose some", n)
		}
	}
}
