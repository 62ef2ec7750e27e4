package strictyaml

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxFileBytes is the limit for the size of a YAML file.
const MaxFileBytes = 1 << 20

// Limits of a YAML file. Nodes are counted before the text is parsed, because the
// parser's time is quadratic in their number.
const (
	maxDocuments = 1000
	maxNodes     = 8000
	maxDepth     = 64
)

// textPart is the text of one YAML document of a file.
type textPart struct {
	text      string
	firstLine int // of the file, from 1
}

// splitDocuments splits a file at its document markers. The parser is not used for
// this, for two reasons: a syntax error in one document must not hide the errors of
// the others, and the parser drops documents after an empty one.
func splitDocuments(text string) []textPart {
	var docs []textPart
	start, line, docLine := 0, 1, 1
	for at := 0; at < len(text); {
		end := strings.IndexByte(text[at:], '\n')
		next := len(text)
		if end >= 0 {
			next = at + end + 1
		}
		if isMarker(text[at:next]) {
			docs = append(docs, textPart{text[start:at], docLine})
			start, docLine = next, line+1
		}
		at = next
		line++
	}
	return append(docs, textPart{text[start:], docLine})
}

// isMarker reports whether a line is "---" or "...", possibly with a comment.
func isMarker(line string) bool {
	rest, ok := strings.CutPrefix(line, "---")
	if !ok {
		rest, ok = strings.CutPrefix(line, "...")
	}
	if !ok || rest != "" && !strings.ContainsRune(" \t\r\n", rune(rest[0])) {
		return false
	}
	rest = strings.TrimSpace(rest)
	return rest == "" || rest[0] == '#'
}

// isEmpty reports whether a document contains only blanks and comments.
func (p textPart) isEmpty() bool {
	for line := range strings.Lines(p.text) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			return false
		}
	}
	return true
}

// CheckText finds the first byte that is not allowed in a file and returns the
// reason, or "". Text that is not YAML may contain control characters.
func CheckText(text string, isYAML bool) (why string, at Position) {
	line, lineStart := 1, 0
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '\n':
			line, lineStart = line+1, i+1
		case i == 0 && (strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff")):
			why = "the file is UTF-16: save it as UTF-8"
		case r == utf8.RuneError && n == 1:
			why = fmt.Sprintf("byte 0x%02x is not UTF-8", text[i])
		case !isYAML:
		case r == '\r' && !strings.HasPrefix(text[i+1:], "\n"): // only the parser would end a line here
			why = `carriage return without line feed is not allowed, in double quotes it is \r`
		case r < ' ' && r != '\t' && r != '\r', r == 0x7f:
			why = fmt.Sprintf("control character %U is not allowed, in double quotes it is \\x%02x", r, r)
		case r == 0xfeff && i > 0:
			why = "byte order mark inside the text"
		}
		if why != "" {
			return why, Position{line, utf8.RuneCountInString(text[lineStart:i]) + 1}
		}
		i += n
	}
	return "", Position{}
}
