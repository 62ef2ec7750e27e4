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

// Cells is like Line for programs that place text in the cells of a terminal. It also
// escapes invisible characters, which can hide text from a reader and which terminals
// measure differently, and long runs of combining marks. Tabs become blanks up to the next
// tab stop.
func Cells(s string) string {
	if isPrintableASCII(s) {
		return s
	}
	var b strings.Builder
	column, marks := 0, 0
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		from := b.Len()
		switch {
		case r == '\t':
			b.WriteString(strings.Repeat(" ", tabStop-column%tabStop))
		case isMark(r) && marks < maxMarks:
			marks++
			b.WriteRune(r)
			column--
		case isPresentation(r) && marks == 0: // of an emoji; without it the width is unambiguous
			marks = maxMarks
		default:
			if !isMark(r) {
				marks = 0
			}
			b.WriteString(cell(r, s[i:i+n]))
		}
		column += utf8.RuneCountInString(b.String()[from:])
		i += n
	}
	return b.String()
}

const (
	tabStop  = 8
	maxMarks = 4 // on one character; more would cover the lines above and below
)

// cell returns a character, or its escape if it is not visible.
func cell(r rune, text string) string {
	switch {
	case r == '\n' || r == '\r':
		return Line(text)
	case isMark(r) || isInvisible(r):
		if r > 0xffff {
			return fmt.Sprintf(`\U%08x`, r)
		}
		return fmt.Sprintf(`\u%04x`, r)
	}
	return Clean(text)
}

func isPrintableASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

func isMark(r rune) bool {
	return r >= 0x300 && unicode.In(r, unicode.Mn, unicode.Me) && !isInvisible(r)
}

// isPresentation reports whether r selects the text or emoji form of the character before it.
func isPresentation(r rune) bool { return r == 0xfe0e || r == 0xfe0f }

// isInvisible reports whether r has no cell of its own and no visible effect: format
// characters, separators of lines, variation selectors and fillers.
func isInvisible(r rune) bool {
	return r >= 0xad && (unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Variation_Selector) ||
		unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r))
}
