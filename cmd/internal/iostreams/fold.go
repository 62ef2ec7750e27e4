package iostreams

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"
)

// Fold is a writer that breaks long lines at blanks. Continuation lines are indented to the
// value of the line, or two blanks deeper than the line. Close writes a last line without a
// newline.
type Fold struct {
	w     io.Writer
	width int // 0: no limit
	line  []byte
}

// NewFold returns a writer that limits lines to width characters. 0 means no limit.
func NewFold(w io.Writer, width int) *Fold { return &Fold{w: w, width: width} }

// Page returns a writer that folds lines to the width of Out.
func (s *Streams) Page() *Fold { return NewFold(s.Out, s.OutWidth) }

// Write implements io.Writer.
func (f *Fold) Write(p []byte) (int, error) {
	if f.width == 0 {
		return f.w.Write(p)
	}
	f.line = append(f.line, p...)
	end := bytes.LastIndexByte(f.line, '\n') + 1
	var b strings.Builder
	for line := range strings.Lines(string(f.line[:end])) {
		f.fold(&b, strings.TrimSuffix(line, "\n"))
		b.WriteByte('\n')
	}
	f.line = append(f.line[:0], f.line[end:]...)
	if _, err := io.WriteString(f.w, b.String()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close writes the text after the last newline.
func (f *Fold) Close() error {
	var b strings.Builder
	f.fold(&b, string(f.line))
	f.line = nil
	_, err := io.WriteString(f.w, b.String())
	return err
}

func (f *Fold) fold(b *strings.Builder, line string) {
	indent := strings.Repeat(" ", hangingIndent(line, f.width))
	for utf8.RuneCountInString(line) > f.width {
		at := breakAt(line, f.width)
		b.WriteString(strings.TrimRight(line[:at], " ") + "\n")
		line = indent + strings.TrimLeft(line[at:], " ")
	}
	b.WriteString(line)
}

// hangingIndent returns the column after the last gap of two blanks in the first half of
// the line, or the line's own indent plus two.
func hangingIndent(line string, width int) int {
	text := strings.TrimLeft(line, " ")
	own := len(line) - len(text)
	at := strings.LastIndex(line[:min(len(line), width/2)], "  ")
	if at < own || at+2 >= len(line) || line[at+2] == ' ' {
		return min(own+2, width/2)
	}
	return at + 2
}

// breakAt returns the byte offset at which to break a line: the last blank after a word, or
// width inside a long word.
func breakAt(line string, width int) int {
	end, n := 0, 0
	for end = range line {
		if n == width {
			break
		}
		n++
	}
	if line[end] == ' ' {
		return end
	}
	if at := strings.LastIndexByte(line[:end], ' '); strings.TrimSpace(line[:max(at, 0)]) != "" {
		return at
	}
	return end
}
