package main

import (
	"fmt"
	"strings"
)

// documentBytes is how long the document is.
const documentBytes = 128 << 10

// document is Markdown of 128 KB, the same each time, with 34 headings: one for 4 KB, as
// in a book. Where they are denser the ids that the host makes of titles weigh more, the
// same in every language, and so do the calls of a guest for each.
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
