package iostreams

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes text from a server, a module or a file safe to print on a terminal: it
// escapes control characters, bidirectional controls and invalid UTF-8, as in \x1b or
// \u202e. Line breaks and tabs are kept.
func Clean(s string) string { return escapeUnsafe(s, `\x%02x`) }

// CleanJSON is like Clean for a JSON text. It uses JSON escapes, so the values do not
// change.
func CleanJSON(s string) string { return escapeUnsafe(s, `\u%04x`) }

// escapeUnsafe escapes the characters for which dirty is true. latin is the format of
// characters below 0x100.
func escapeUnsafe(s, latin string) string {
	if !strings.ContainsFunc(s, needsEscape) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, latin, s[i])
		case !needsEscape(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, latin, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += n
	}
	return b.String()
}

// Line is like Clean for a single line: it also escapes line breaks and tabs.
func Line(s string) string {
	s = strings.NewReplacer("\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(s)
	return Clean(s)
}

func needsEscape(r rune) bool {
	if r == '\n' || r == '\t' {
		return false
	}
	return r == utf8.RuneError || unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
}
