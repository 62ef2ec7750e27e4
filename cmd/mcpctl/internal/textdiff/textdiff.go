// Package textdiff compares two texts line by line and prints the differences.
package textdiff

import (
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// Lines returns the difference of two texts in the unified format of diff -u, or ""
// if they are equal.
func Lines(oldName, newName, old, now string) string {
	text := string(diff.Diff(oldName, []byte(old), newName, []byte(now)))
	_, text, _ = strings.Cut(text, "\n") // the line "diff OLD NEW"
	return text
}
