package clientconfig

import (
	"fmt"
	"strings"
)

// context is how many unchanged lines are shown round a change.
const context = 3

// Diff shows how an edit changes a text: an edit is one stretch of lines, so
// what both have in front and behind is all there is to find.
func Diff(file string, before, after []byte) string {
	old, now := lines(before), lines(after)
	head := 0
	for head < len(old) && head < len(now) && old[head] == now[head] {
		head++
	}
	tail := 0
	for tail < len(old)-head && tail < len(now)-head && old[len(old)-1-tail] == now[len(now)-1-tail] {
		tail++
	}
	if head == len(old) && head == len(now) {
		return ""
	}
	from, to := max(0, head-context), min(len(old), len(old)-tail+context)
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n@@ line %d @@\n", file, file, head+1)
	write(&b, " ", old[from:head])
	write(&b, "-", old[head:len(old)-tail])
	write(&b, "+", now[head:len(now)-tail])
	write(&b, " ", old[len(old)-tail:to])
	return b.String()
}

func lines(text []byte) []string {
	s := strings.TrimSuffix(string(text), "\n")
	if s == "" {
		return nil
	}
	return strings.Split(s, "\n")
}

func write(b *strings.Builder, mark string, lines []string) {
	for _, l := range lines {
		fmt.Fprintf(b, "%s%s\n", mark, strings.TrimSuffix(l, "\r"))
	}
}
