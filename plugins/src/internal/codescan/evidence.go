package codescan

import "bytes"

// evidence is what the lines of a text say about it being code.
type evidence struct {
	lines int // looked at that hold code
	words int // begin with a word of the language
	ends  int // end as statements of the language do
	prose int // hold words and blanks only
	found int // definitions
}

// evidence looks at up to about two thousand lines.
func (w *writer) evidence() (e evidence) {
	step := 1 + len(w.lines)/2000
	for i := 0; i < len(w.lines); i += step {
		l := &w.lines[i]
		if l.flags&comment != 0 {
			continue
		}
		e.lines++
		switch w.v.look(w.first(l)).role {
		case defines, modifies, controls, continues:
			e.words++
		}
		if bytes.IndexByte([]byte(";{}()[],:=\\"), l.last) >= 0 {
			e.ends++
		} else if plainWords(w.b[l.code:min(len(w.b), int(l.code)+100)]) {
			e.prose++
		}
	}
	for k := function; k <= table; k++ {
		if k != value {
			e.found += w.found[k]
		}
	}
	return e
}

// plainWords reports a line of at least five words without what code is made of.
func plainWords(text []byte) bool {
	words, in := 0, false
	for _, c := range text {
		switch {
		case c == '\n':
			return words >= 5
		case c <= ' ':
			in = false
		case bytes.IndexByte([]byte("(){}[]=<>;$_\"'|&*"), c) >= 0:
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
	most := 4 // one line in so many may look like prose
	if named && !l.layout {
		most = 2
	}
	if e.lines == 0 || e.prose*most > e.lines {
		return false
	}
	if named {
		return e.claimed(l)
	}
	full := e.ends*10 >= e.lines*9
	switch {
	case e.found == 0:
		return false
	case l.fold:
		return e.words*4 >= e.lines || e.found > 2 && full
	case l.layout:
		return e.words*4 >= e.lines
	}
	return e.words*8 >= e.lines && e.ends*2 >= e.lines || e.found > 1 && e.words*30 >= e.lines && e.ends*10 >= e.lines*7
}

// claimed is proves for a text with the name of a program.
func (e evidence) claimed(l *language) bool {
	switch {
	case l.name == "css":
		return e.ends*3 >= e.lines*2
	case e.words == 0:
		return false
	case l.layout:
		return e.found > 0 && e.words*20 >= e.lines || e.words*4 >= e.lines || (e.words+e.ends)*2 >= e.lines && e.words*30 >= e.lines || e.ends*10 >= e.lines*9
	}
	return e.found > 0 && (e.words+e.ends)*8 >= e.lines ||
		e.ends > 0 && e.prose*10 <= e.lines || (e.words+e.ends)*2 >= e.lines
}
