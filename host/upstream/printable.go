package upstream

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// printable replaces control characters and invalid UTF-8 by escapes.
func printable(line string) string {
	var b strings.Builder
	for i, r := range line {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(line[i:], "\ufffd"):
			fmt.Fprintf(&b, `\x%02x`, line[i])
		case r == '\t' || unicode.IsPrint(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
