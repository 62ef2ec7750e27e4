package section

// Settings bound answers. The zero value takes the default of every field, so
// Settings{} works. Ids never depend on them: an id that one setting offered is
// read under any other.
type Settings struct {
	LeafSize       int // bytes; a leaf up to twice this is served whole, size of a window; default 3000
	MaxLines       int // offered lines of an answer; default 24, at least 2
	MaxIndexBytes  int // bytes of an index; default 4096
	MaxIndexTokens int // estimated tokens of an index; default 1000
	MaxWholeBytes  int // bytes that "id!" gives at once; default 40000
}

const (
	// titleBytes is how much of a title a line shows.
	titleBytes = 80
	// Least bounds that still make a readable index whatever a stage asks for.
	leastLines  = 2
	leastBytes  = 512
	leastTokens = 150
)

func (s Settings) withDefaults() Settings {
	setDefault(&s.LeafSize, 3000, 64)
	setDefault(&s.MaxLines, 24, leastLines)
	setDefault(&s.MaxIndexBytes, 4096, leastBytes)
	setDefault(&s.MaxIndexTokens, 1000, leastTokens)
	setDefault(&s.MaxWholeBytes, 40000, s.LeafSize)
	return s
}

func setDefault(v *int, def, least int) {
	if *v <= 0 {
		*v = def
	}
	*v = max(*v, least)
}

// limits bound one index.
type limits struct{ lines, bytes, tokens int }

func (s Settings) limits() limits {
	return limits{s.MaxLines, s.MaxIndexBytes, s.MaxIndexTokens}
}

// within narrows l by what a stage asked for; 0 asks for nothing.
func (l limits) within(lines, bytes int) limits {
	if lines > 0 {
		l.lines = min(l.lines, max(lines, leastLines))
	}
	if bytes > 0 {
		l.bytes = min(l.bytes, max(bytes, leastBytes))
	}
	return l
}

// minus leaves what is free once text stands beside the index, but never less
// than a third.
func (l limits) minus(text []byte) limits {
	l.bytes = max(l.bytes-len(text), l.bytes/3)
	l.tokens = max(l.tokens-tokens(text)-1, l.tokens/3) // 1: both are rounded
	return l
}
