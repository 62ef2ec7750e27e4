package main

import (
	"fmt"
	"strings"
)

// documentBytes is the size of the document.
const documentBytes = 128 << 10

// document returns 128 KB of Markdown, the same each time, with 34 headings: one per
// 4 KB, as in a book. With denser headings the ids that the host derives from titles take
// a larger share of the time in every language, and so do the guest's calls.
func document() []byte {
	var b strings.Builder
	for i := 1; b.Len() < documentBytes; i++ {
		fmt.Fprintf(&b, "%s Step %d: set up pump %d\n\n", strings.Repeat("#", 1+i%3), i, i%17)
		for line := range 36 {
			fmt.Fprintf(&b, "Pump %d runs at %d bar while valve %d is open; that is checked twice a day, and written down with the time.\n", i%17, 2+line, i*line)
		}
		b.WriteString("\n- one\n- two\n\n")
	}
	return []byte(b.String()[:documentBytes])
}
