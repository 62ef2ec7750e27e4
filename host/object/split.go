package object

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Limits of a YAML file. Nodes are counted before the parser sees the text: its
// time grows with their square.
const (
	maxFileBytes = 1 << 20
	maxDocuments = 1000
	maxNodes     = 8000
	maxDepth     = 64
)

// document is one YAML document of a file.
type document struct {
	text      string
	firstLine int // of the file, from 1
}

// splitDocuments cuts a file at its document markers. It is done here, not by
// the parser, for two reasons: a syntax error in one document does not hide the
// mistakes of the others, and the parser drops documents after an empty one.
func splitDocuments(text string) []document {
	var docs []document
	start, line, docLine := 0, 1, 1
	for at := 0; at < len(text); {
		end := strings.IndexByte(text[at:], '\n')
		next := len(text)
		if end >= 0 {
			next = at + end + 1
		}
		if isMarker(text[at:next]) {
			docs = append(docs, document{text[start:at], docLine})
			start, docLine = next, line+1
		}
		at = next
		line++
	}
	return append(docs, document{text[start:], docLine})
}

// isMarker reports whether a line is "---" or "...", maybe with a comment.
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

// empty reports whether a document holds blanks and comments only.
func (d document) empty() bool {
	for line := range strings.Lines(d.text) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			return false
		}
	}
	return true
}

// textFault finds the first byte that no YAML file may hold; "" if there is none.
// Text that is not YAML may hold control characters.
func textFault(text string, isYAML bool) (why string, at Position) {
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
		case r == '\r' && !strings.HasPrefix(text[i+1:], "\n"): // the parser ends a line here, nothing else does
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
