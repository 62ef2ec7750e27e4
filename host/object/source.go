package object

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
)

// maxSnippet is the width in characters of the source shown in an error.
const maxSnippet = 100

// maxMasked is how far to each side of a mistake credentials are looked for: much
// further than is shown, for one may begin there.
const maxMasked = 8 << 10

// Source is the text that Objects were read from: it makes errors that point
// into it. It is immutable.
type Source struct {
	File  string          // as it is shown: relative to the home, or as given on the command line
	lines func() []string // a function, for fmt must not print them: they may hold credentials
	mute  bool            // its lines are secrets: never shown
}

func newSource(file, text string) *Source {
	return &Source{File: file, lines: sync.OnceValue(func() []string { return strings.Split(text, "\n") })}
}

// Errorf makes the error of one mistake at a place of the source. The text is
// put together as `object: path message`.
func (s *Source) Errorf(at Position, object, path, format string, args ...any) *FieldError {
	e := &FieldError{Line: at.Line, Column: at.Column, Object: object, Path: path,
		Message: fmt.Sprintf(format, args...), kind: abi.ErrConfig}
	if s != nil {
		e.File, e.Snippet = s.File, s.snippet(at)
	}
	return e
}

// snippet shows one line with a caret under the column, or "" if it is unknown.
func (s *Source) snippet(at Position) string {
	line, ok := s.line(at)
	if !ok {
		return ""
	}
	return pointed(line, at)
}

// keySnippet is snippet for a key whose value nobody knows: it may be a credential,
// and stays out.
func (s *Source) keySnippet(at Position) string {
	line, ok := s.line(at)
	if !ok {
		return ""
	}
	if from := min(at.Column-1, len(line)); !strings.HasSuffix(string(line), mask) {
		if colon := slices.Index(line[from:], ':'); colon >= 0 && strings.TrimSpace(string(line[from+colon+1:])) != "" {
			line = append(slices.Clone(line[:from+colon+1]), []rune(" "+mask)...)
		}
	}
	return pointed(line, at)
}

// line is the line of a position, what looks like a credential masked; not ok if it
// is unknown.
func (s *Source) line(at Position) (line []rune, ok bool) {
	if s == nil || s.mute || at.Line < 1 || at.Column < 1 {
		return nil, false
	}
	lines := s.lines()
	if at.Line > len(lines) {
		return nil, false
	}
	line = []rune(strings.TrimSuffix(maskedLine(lines, at.Line-1), "\r"))
	col := min(at.Column-1, len(line))
	near := line[max(0, col-maxMasked):min(len(line), col+maxMasked)]
	copy(near, []rune(maskedWords(string(near)))) // as many characters as before
	return line, true
}

// pointed shows a line with a caret under the column.
func pointed(line []rune, at Position) string {
	col := min(at.Column-1, len(line))
	from := 0
	if col > maxSnippet-20 {
		from = col - (maxSnippet - 20)
	}
	to := min(len(line), from+maxSnippet)
	var shown, pad strings.Builder
	for i := from; i < to; i++ {
		r := visible(line[i])
		shown.WriteRune(r)
		if i < col {
			pad.WriteRune(blankFor(r))
		}
	}
	num := fmt.Sprintf("%5d", at.Line)
	return num + " | " + strings.TrimRight(shown.String(), " ") + "\n" +
		strings.Repeat(" ", len(num)) + " | " + pad.String() + "^"
}

// visible replaces what could steer a terminal.
func visible(r rune) rune {
	if r == '\t' {
		return ' '
	}
	if r < ' ' || r >= 0x7f && r < 0xa0 || r == utf8.RuneError ||
		r >= 0x200b && r <= 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0xfeff {
		return '\ufffd'
	}
	return r
}

// blankFor keeps the caret below its character where one is two cells wide.
func blankFor(r rune) rune {
	wide := r >= 0x1100 && r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 ||
		r >= 0xf900 && r <= 0xfaff || r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 ||
		r >= 0x1f300 && r <= 0x1faff || r >= 0x20000 && r <= 0x3fffd
	if wide {
		return '\u3000'
	}
	return ' '
}

// secretBlocks are the keys whose values may be credentials.
var secretBlocks = []string{"env", "headers", "url", "apiKey", "baseURL", "healthURL"}

// maskedLine returns a line; of one that may hold a credential only what stands
// before the value. It looks at the text alone, for it is needed most where the
// YAML is broken.
func maskedLine(lines []string, i int) string {
	line := lines[i]
	if inSecretBlock(line) {
		return maskAfterKey(line)
	}
	indent := indentOf(line)
	for j := i - 1; j >= 0 && indent > 0; j-- {
		above := lines[j]
		if strings.TrimSpace(above) == "" || indentOf(above) >= indent {
			continue
		}
		if inSecretBlock(above) {
			return maskAfterKey(line)
		}
		indent = indentOf(above)
	}
	return line
}

// word is what may be an argument of a program, wherever YAML lets it stand.
var word = regexp.MustCompile("[^\\s,\\[\\]{}\"']+")

// maskedWords returns a line with stars for what looks like a credential, as many as
// it has characters: the caret stays under its column.
func maskedWords(line string) string {
	at := word.FindAllStringIndex(line, -1)
	args := make([]string, len(at))
	for i, w := range at {
		args[i] = line[w[0]:w[1]]
		if name, key := strings.CutSuffix(args[i], ":"); key && !strings.Contains(name, "=") {
			args[i] = "--" + name // as a flag it says what follows
		}
	}
	for _, c := range slices.Backward(Credentials(args...)) {
		if start, end := at[c.Arg][0]+c.Start, at[c.Arg][0]+c.End; end <= at[c.Arg][1] {
			line = line[:start] + strings.Repeat("*", utf8.RuneCountInString(line[start:end])) + line[end:]
		}
	}
	return line
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// inSecretBlock reports whether one of the keys stands anywhere in the line,
// as the start of a block or inside braces.
func inSecretBlock(line string) bool {
	for _, key := range secretBlocks {
		for rest := line; ; {
			at := strings.Index(rest, key)
			if at < 0 {
				break
			}
			after := strings.TrimLeft(rest[at+len(key):], `"' `)
			startsWord := at == 0 || strings.ContainsRune(` {,"'-`, rune(rest[at-1]))
			if startsWord && strings.HasPrefix(after, ":") {
				return true
			}
			rest = rest[at+len(key):]
		}
	}
	return false
}

func maskAfterKey(line string) string {
	if at := strings.IndexByte(line, ':'); at >= 0 {
		if strings.TrimSpace(line[at+1:]) == "" {
			return line
		}
		return line[:at+1] + " " + mask
	}
	return line[:indentOf(line)] + mask
}
