package fault

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable converts bytes from a guest to one line of at most limit bytes. It
// escapes control and direction characters and invalid UTF-8, and ends a
// shortened line with "...".
func Printable(b []byte, limit int) string {
	head := b[:min(len(b), limit)]
	if isPrintableASCII(head) {
		return markCut(string(head), len(b) > limit)
	}
	var out strings.Builder
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		text := escape(r, b[i:i+n])
		if out.Len()+len(text) > limit {
			return markCut(out.String(), true)
		}
		out.WriteString(text)
		i += n
	}
	return out.String()
}

func isPrintableASCII(b []byte) bool {
	for _, c := range b {
		if c < ' ' || c >= 0x7f {
			return false
		}
	}
	return true
}

func markCut(s string, isCut bool) string {
	if isCut {
		return s + "..."
	}
	return s
}

const hexDigits = "0123456789abcdef"

// escape returns the character r, whose bytes are raw, as it is printed.
func escape(r rune, raw []byte) string {
	switch {
	case r == utf8.RuneError && len(raw) == 1:
		return `\x` + string([]byte{hexDigits[raw[0]>>4], hexDigits[raw[0]&15]})
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == 0x2028, r == 0x2029:
		return escapeRune(r)
	}
	return string(raw)
}

func escapeRune(r rune) string {
	digits, prefix := 4, `\u`
	if r > 0xffff {
		digits, prefix = 8, `\U`
	}
	out := []byte(prefix)
	for d := digits - 1; d >= 0; d-- {
		out = append(out, hexDigits[r>>(4*d)&15])
	}
	return string(out)
}
