package code

import "bytes"

// evidence is what the lines of a text say about it being code.
type evidence struct {
	lines  int // looked at that hold code
	words  int // begin with a word of the language
	ends   int // end as statements of the language do
	prose  int // hold words and blanks only
	found  int // definitions
	others int // begin with another word of the language than the line before
}

// A sample is so many lines, in blocks that are spread over the text, of one that has
// twice as many at least.
const (
	sampleLines = 64
	sampleBlock = 16
	sampleError = 8 // about two standard deviations of a count of so many lines
)

// proven reports whether the lines are those of a program. Most are so plainly that
// a sample tells.
func (w *writer) proven(named bool) bool {
	if len(w.lines) >= 2*sampleLines && w.sample().proves(w.v.language, named) {
		return true
	}
	return w.evidence().proves(w.v.language, named)
}

// evidence looks at up to about two thousand lines.
func (w *writer) evidence() evidence {
	e := evidence{found: w.definitions()}
	w.weigh(&e, 0, len(w.lines), 1+len(w.lines)/2000)
	return e
}

// sample is the evidence of a sample, with its error counted against it: what it
// proves, all lines would.
func (w *writer) sample() (e evidence) {
	const blocks = sampleLines / sampleBlock
	for i := range blocks {
		from := i * (len(w.lines) - sampleBlock) / (blocks - 1)
		w.weigh(&e, from, from+sampleBlock, 1)
	}
	for _, n := range [...]*int{&e.words, &e.ends, &e.others} {
		*n = max(0, *n-sampleError)
	}
	e.prose += sampleError / 2
	e.found = min(1, w.definitions())
	return e
}

// weigh adds what some of the lines say.
func (w *writer) weigh(e *evidence, from, to, step int) {
	var last []byte
	for i := from; i < to; i += step {
		l := &w.lines[i]
		if l.flags&comment != 0 {
			continue
		}
		e.lines++
		if word := w.first(l); w.says(w.v.look(word).role, int(l.code)+len(word)) {
			e.words++
			if next := int(l.code) + len(word); !bytes.Equal(word, last) && (next == len(w.b) || !followers.has(w.b[next])) {
				e.others++
			}
			last = word
		}
		if lineEnds.has(l.last) {
			e.ends++
		} else if plainWords(w.b[l.code:min(len(w.b), int(l.code)+100)]) {
			e.prose++
		}
	}
}

// definitions are those that were found.
func (w *writer) definitions() int {
	n := w.tests
	for k := function; k <= table; k++ {
		if k != value {
			n += w.found[k]
		}
	}
	return n
}

// says reports whether a word with a role, which ends at an offset, is said as the
// language does: test "x", not "test passed".
func (w *writer) says(r role, end int) bool {
	if r != describes {
		return r != unknown
	}
	rest := bytes.TrimLeft(w.b[end:min(len(w.b), end+8)], " (")
	return len(rest) > 0 && (inQuotes.has(rest[0]) || rest[0] == '.')
}

var (
	followers = stopsAt(",:=.")         // what follows a word that is not said, but used
	lineEnds  = stopsAt(";{}()[],:=\\") // last bytes of lines of code
	codeBytes = stopsAt("(){}[]=<>;$_\"'|&*")
)

// plainWords reports a line of at least five words without what code is made of.
func plainWords(text []byte) bool {
	words, in := 0, false
	for _, c := range text {
		switch {
		case c == '\n':
			return words >= 5
		case c <= ' ':
			in = false
		case codeBytes.has(c):
			return false
		case !in:
			words, in = words+1, true
		}
	}
	return words >= 5
}

// proves reports whether that is enough for a language; named says that a file
// name claims it.
func (e evidence) proves(l *language, named bool) bool {
	few := 4 // one line in so many may look like prose
	if named && !l.layout {
		few = 2
	}
	if e.lines == 0 || e.prose*few > e.lines {
		return false
	}
	if named {
		return e.claimed(l)
	}
	most := e.words*5 >= e.lines*2 && e.others*8 >= e.lines
	ends := func(percent int) bool { return e.ends*100 >= e.lines*percent }
	switch {
	case l.syntax&selectors != 0:
		return e.words*4 >= e.lines && ends(85)
	case e.found == 0:
		return most && (l.layout && e.others*5 >= e.lines || ends(50))
	case l.fold:
		return e.words*4 >= e.lines || e.found > 2 && ends(90)
	case l.layout:
		return e.words*4 >= e.lines || e.words*6 >= e.lines && e.others*20 >= e.lines && e.prose*10 <= e.lines
	}
	return most || e.words*8 >= e.lines && ends(50) || e.found > 1 && e.words*100 >= e.lines && ends(75) || e.found > 3 && e.found*6 >= e.lines
}

// claimed is proves for a text with the name of a program.
func (e evidence) claimed(l *language) bool {
	switch {
	case l.syntax&selectors != 0:
		return e.ends*3 >= e.lines*2
	case e.words == 0:
		return false
	case l.layout:
		return e.found > 0 && e.words*20 >= e.lines || e.words*4 >= e.lines || (e.words+e.ends)*2 >= e.lines && e.words*30 >= e.lines || e.ends*10 >= e.lines*9
	}
	return e.found > 0 && (e.words+e.ends)*8 >= e.lines ||
		e.ends > 0 && e.prose*10 <= e.lines || (e.words+e.ends)*2 >= e.lines
}
