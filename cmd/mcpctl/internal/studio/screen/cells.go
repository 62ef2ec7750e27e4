// Package screen lays out text in the cells of a terminal: Line is one row of a frame, Text is a
// long text of which a window is drawn. No row is wider than requested, whatever the text contains.
// The package writes nothing to a terminal.
package screen

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
)

// Width returns the cells that a clean text takes. Terminals measure some characters
// differently; the larger width counts.
func Width(s string) int {
	if isASCII(s) {
		return len(s)
	}
	n := 0
	for s != "" {
		size, w := firstCluster(s)
		n += w
		s = s[size:]
	}
	return n
}

// Cut returns the longest start of a clean text that takes at most width cells, and the
// cells it takes.
func Cut(s string, width int) (string, int) {
	if isASCII(s) {
		n := min(len(s), max(width, 0))
		return s[:n], n
	}
	at, used := 0, 0
	for at < len(s) {
		size, w := firstCluster(s[at:])
		if used+w > width {
			break
		}
		at += size
		used += w
	}
	return s[:at], used
}

// Short is like Cut, but ends in "…" if text is missing.
func Short(s string, width int) string {
	if Width(s) <= width {
		return s
	}
	s, _ = Cut(s, width-1)
	if width < 1 {
		return ""
	}
	return s + "…"
}

// Clean returns an untrusted text as one row of visible characters.
func Clean(s string) string { return iostreams.Cells(s) }

// firstCluster returns the bytes and cells of the first character of s.
func firstCluster(s string) (size, width int) {
	if s[0] < 0x80 && (len(s) == 1 || s[1] < 0x80) {
		return 1, 1
	}
	cluster, w := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	_, wc := ansi.FirstGraphemeCluster(s, ansi.WcWidth)
	return len(cluster), max(w, wc)
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// Style is the parameters of an SGR sequence; empty for plain text.
type Style string

// The styles. None carries information alone.
const (
	Plain   Style = ""
	Bold    Style = "1"
	Dim     Style = "2"
	Reverse Style = "7"
	Red     Style = "31"
	Green   Style = "32"
	Yellow  Style = "33"
	Cyan    Style = "36"
)

// With returns both styles.
func (s Style) With(t Style) Style {
	if s == "" || t == "" {
		return s + t
	}
	return s + ";" + t
}

// Span is a clean text in one style.
type Span struct {
	Text  string
	Style Style
}

// Line is a row of a frame, from left to right.
type Line []Span

// Of returns a line of one span.
func Of(style Style, text string) Line { return Line{{text, style}} }

// Width returns the cells that the line takes.
func (l Line) Width() (n int) {
	for _, s := range l {
		n += Width(s.Text)
	}
	return n
}

// Fit returns the line in exactly width cells: filled with blanks, or cut with "…".
func (l Line) Fit(width int) Line {
	have := l.Width()
	if have == width {
		return l
	}
	if have < width {
		return append(l[:len(l):len(l)], Span{Text: strings.Repeat(" ", width-have)})
	}
	out, left := Line{}, width
	for _, s := range l {
		w := Width(s.Text)
		if w < left {
			out = append(out, s)
			left -= w
			continue
		}
		short := Short(s.Text+" ", left) // the line goes on, so that the last span is always cut
		return append(out, Span{short + strings.Repeat(" ", left-Width(short)), s.Style})
	}
	return out
}

// Restyle adds a style to all spans.
func (l Line) Restyle(style Style) Line {
	out := make(Line, len(l))
	for i, s := range l {
		out[i] = Span{s.Text, s.Style.With(style)}
	}
	return out
}

// Render returns the line with SGR sequences.
func (l Line) Render() string {
	var b strings.Builder
	for _, s := range l {
		if s.Style == Plain {
			b.WriteString(s.Text)
			continue
		}
		b.WriteString("\x1b[" + string(s.Style) + "m" + s.Text + "\x1b[m")
	}
	return b.String()
}

// String returns the text without styles.
func (l Line) String() string {
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.Text)
	}
	return b.String()
}
