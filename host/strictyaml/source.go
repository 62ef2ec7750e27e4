package strictyaml

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/credential"
)

// maxSnippet is the width in characters of the source line that an error shows.
const maxSnippet = 100

// Source is the text of a file. It creates errors that point into it. A Source is
// immutable; a nil Source is one with an unknown text.
type Source struct {
	File  string          // as shown: relative to the home, or as given on the command line
	lines func() []string // a function, so that fmt does not print the lines: they may hold credentials
	shows display         // what errors show of the text
}

// display is the part of a text that errors show.
type display int

const (
	showLines display = iota // the line, with possible credentials masked
	showKeys                 // the line up to its first colon
	showNone                 // no line and no word of the text
)

// NewSource returns the Source of a text.
func NewSource(file, text string) *Source {
	return &Source{File: file, lines: sync.OnceValue(func() []string { return strings.Split(text, "\n") })}
}

// NewSecretSource is NewSource for a file of secrets: errors show none of its lines.
func NewSecretSource(file, text string) *Source {
	return NewSource(file, text).Muted()
}

// Muted returns a Source of the same text whose errors show nothing of it.
func (s *Source) Muted() *Source { return s.showing(showNone) }

// KeysOnly returns a Source of the same text whose errors show lines only up to their first
// colon. It is for the syntax errors of a file that holds credentials: its structure, by
// which they are recognised, is not known.
func (s *Source) KeysOnly() *Source { return s.showing(showKeys) }

func (s *Source) showing(d display) *Source {
	out := *s
	out.shows = d
	return &out
}

// quote returns a word of the text as an error shows it.
func (s *Source) quote(word string, maxLen int) string {
	if s != nil && s.shows != showLines {
		return credential.Mask
	}
	return Clip(word, maxLen)
}

// quoteKey returns a key as an error shows it.
func (s *Source) quoteKey(key string) string {
	if s != nil && s.shows == showNone {
		return credential.Mask
	}
	return strconv.Quote(Clip(key, 80))
}

// quoted matches the words of the text in a message of the parser.
var quoted = regexp.MustCompile(`"[^"]*"?`)

// syntaxMessage returns a message of the parser as an error shows it.
func (s *Source) syntaxMessage(text string) string {
	if s != nil && s.shows != showLines {
		text = quoted.ReplaceAllString(text, credential.Mask)
	}
	return Clip(strings.ReplaceAll(text, "\t", `\t`), 200)
}

// Errorf returns an error at a position of the source. Its text begins with
// `object: path message`.
func (s *Source) Errorf(at Position, object, path, format string, args ...any) *FieldError {
	e := &FieldError{Line: at.Line, Column: at.Column, Object: object, Path: path,
		Message: fmt.Sprintf(format, args...), kind: abi.ErrConfig}
	if s != nil {
		e.File, e.Snippet = s.File, s.snippet(at)
	}
	return e
}

// Find returns the first position of text at or after the line of from. It returns
// from if no single line contains the text.
func (s *Source) Find(from Position, text string) Position {
	if s == nil {
		return from
	}
	lines := s.lines()
	for i := max(from.Line-1, 0); i < len(lines); i++ {
		if at := strings.Index(lines[i], text); at >= 0 {
			return Position{i + 1, utf8.RuneCountInString(lines[i][:at]) + 1}
		}
	}
	return from
}

// isAfterComma reports whether the text before a position, on its line, ends in a comma.
func (s *Source) isAfterComma(at Position) bool {
	if s == nil || at.Line < 1 {
		return false
	}
	lines := s.lines()
	if at.Line > len(lines) {
		return false
	}
	line := []rune(lines[at.Line-1])
	return strings.HasSuffix(strings.TrimRight(string(line[:min(max(at.Column-1, 0), len(line))]), " \t"), ",")
}

// snippet returns the line of a position with a caret under its column, or "" if
// the position is unknown.
func (s *Source) snippet(at Position) string {
	line, at, ok := s.maskedLine(at)
	if !ok {
		return ""
	}
	return markColumn(line, at)
}

// keySnippet is snippet for an unknown key: its value may be a credential and is masked.
func (s *Source) keySnippet(at Position) string {
	line, at, ok := s.maskedLine(at)
	if !ok {
		return ""
	}
	if from := min(at.Column-1, len(line)); !strings.HasSuffix(string(line), credential.Mask) {
		if colon := slices.Index(line[from:], ':'); colon >= 0 && strings.TrimSpace(string(line[from+colon+1:])) != "" {
			line = append(slices.Clone(line[:from+colon+1]), []rune(" "+credential.Mask)...)
		}
	}
	return markColumn(line, at)
}

// maskedLine returns the line of a position with possible credentials masked, and the
// position in the returned line. It reports false if the position is unknown or the source
// must not be shown.
func (s *Source) maskedLine(at Position) (line []rune, masked Position, ok bool) {
	if s == nil || s.shows == showNone || at.Line < 1 || at.Column < 1 {
		return nil, at, false
	}
	lines := s.lines()
	if at.Line > len(lines) {
		return nil, at, false
	}
	line, at = maskLine(lines, at)
	if s.shows == showKeys {
		line = []rune(maskAllButKey(string(line)))
	}
	return line, at, true
}

// markColumn returns a line with a caret under the column.
func markColumn(line []rune, at Position) string {
	col := min(at.Column-1, len(line))
	from := 0
	if col > maxSnippet-20 {
		from = col - (maxSnippet - 20)
	}
	to := min(len(line), from+maxSnippet)
	var shown, pad strings.Builder
	for i := from; i < to; i++ {
		r := printable(line[i])
		shown.WriteRune(r)
		if i < col {
			pad.WriteRune(blankFor(r))
		}
	}
	num := fmt.Sprintf("%5d", at.Line)
	return num + " | " + strings.TrimRight(shown.String(), " ") + "\n" +
		strings.Repeat(" ", len(num)) + " | " + pad.String() + "^"
}

// printable replaces characters that could control a terminal.
func printable(r rune) rune {
	if r == '\t' {
		return ' '
	}
	if r < ' ' || r >= 0x7f && r < 0xa0 || r == utf8.RuneError ||
		r == 0x61c || r >= 0x200b && r <= 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0xfeff {
		return '\ufffd'
	}
	return r
}

// blankFor returns a blank as wide as r, so that the caret stays under its
// character after characters of two cells.
func blankFor(r rune) rune {
	wide := r >= 0x1100 && r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 ||
		r >= 0xf900 && r <= 0xfaff || r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 ||
		r >= 0x1f300 && r <= 0x1faff || r >= 0x20000 && r <= 0x3fffd
	if wide {
		return '\u3000'
	}
	return ' '
}
