package printer

import "github.com/mcpctl/mcpctl/host/section/display"

// Settings bound answers. The zero value uses the default of every field. Ids do
// not depend on settings: an id that was offered under one is valid under all.
type Settings struct {
	LeafSize       int // bytes; a leaf up to twice this is returned whole, a window has this size; default 3000
	MaxLines       int // lines of an answer; default 24, at least 2
	MaxIndexBytes  int // bytes of an index; default 4096
	MaxIndexTokens int // estimated tokens of an index; default 1000
	MaxWholeBytes  int // bytes that "id!" returns at once; default 40000
}

// TitleBytes is the length of the title in a line.
const TitleBytes = 80

// The smallest bounds of a readable index. They override smaller bounds of a stage.
const (
	MinLines  = 2
	minBytes  = 512
	minTokens = 150
)

// WithDefaults returns s with defaults for the fields that are not set.
func (s Settings) WithDefaults() Settings {
	setDefault(&s.LeafSize, 3000, 64)
	setDefault(&s.MaxLines, 24, MinLines)
	setDefault(&s.MaxIndexBytes, 4096, minBytes)
	setDefault(&s.MaxIndexTokens, 1000, minTokens)
	setDefault(&s.MaxWholeBytes, 40000, s.LeafSize)
	return s
}

func setDefault(v *int, value, minimum int) {
	if *v <= 0 {
		*v = value
	}
	*v = max(*v, minimum)
}

// Limits bound one index.
type Limits struct{ Lines, Bytes, Tokens int }

// Limits returns the limits of an index.
func (s Settings) Limits() Limits { return Limits{s.MaxLines, s.MaxIndexBytes, s.MaxIndexTokens} }

// Narrow returns l bounded by the lines and bytes that a stage asked for, if
// positive.
func (l Limits) Narrow(lines, bytes int) Limits {
	if lines > 0 {
		l.Lines = min(l.Lines, max(lines, MinLines))
	}
	if bytes > 0 {
		l.Bytes = min(l.Bytes, max(bytes, minBytes))
	}
	return l
}

// Minus returns the limits that remain beside text, at least a third of l.
func (l Limits) Minus(text []byte) Limits {
	l.Bytes = max(l.Bytes-len(text), l.Bytes/3)
	l.Tokens = max(l.Tokens-display.Tokens(text)-1, l.Tokens/3) // 1, because both counts are rounded
	return l
}
