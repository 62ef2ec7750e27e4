package iostreams

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes text from a server, a module or a file safe to print on a
// terminal: control characters (escapes among them), bidi controls and invalid
// UTF-8 are shown as \x1b or \u202e. Line breaks and tabs stay.
func Clean(s string) string { return escapeDirty(s, `\x%02x`) }

// CleanJSON is Clean for a JSON text: the escapes are JSON's, so that the values do
// not change.
func CleanJSON(s string) string { return escapeDirty(s, `\u%04x`) }

// escapeDirty escapes what Clean does not show. latin is the format of a character
// below 0x100.
func escapeDirty(s, latin string) string {
	if !strings.ContainsFunc(s, dirty) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, latin, s[i])
		case !dirty(r):
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

// Line is Clean for a single line: line breaks and tabs are shown as well.
func Line(s string) string {
	s = strings.NewReplacer("\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(s)
	return Clean(s)
}

func dirty(r rune) bool {
	if r == '\n' || r == '\t' {
		return false
	}
	return r == utf8.RuneError || unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
}
