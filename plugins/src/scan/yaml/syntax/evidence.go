package syntax

import "bytes"

// Evidence counts the signs for and against a text being YAML.
type Evidence struct {
	Odd      int  // lines that YAML does not allow where they are
	Unclosed bool // a quote or bracket is not closed

	entries   int // keys and items
	keys      int
	more      int // lines of plain scalars that are not entries
	roots     int // documents that are one scalar
	wordy     int // keys of several words
	unlikely  int // keys with characters of code
	sentences int // values in the first column that are sentences
}

// addKey counts an entry with a key with bytes of the given classes.
func (e *Evidence) addKey(seen uint8) {
	e.entries++
	e.keys++
	if seen&(unlikely|blank) == 0 {
		return
	}
	if seen&unlikely != 0 {
		e.unlikely++
	}
	if seen&blank != 0 {
		e.wordy++
	}
}

// minSentence is the number of blanks in a sentence.
const minSentence = 5

// addText counts a plain value of an entry in column col.
func (e *Evidence) addText(text []byte, col int32) {
	if col > 0 || len(text) < minSentence {
		return
	}
	n := 0
	for i := bytes.IndexByte(text, ' '); i >= 0 && n < minSentence; i = bytes.IndexByte(text, ' ') {
		text = text[i+1:]
		n++
	}
	if n == minSentence {
		e.sentences++
	}
}

// isHopeless reports whether the text is not YAML, whatever follows.
func (e *Evidence) isHopeless() bool {
	return e.Odd > 20 && e.Odd*4 > e.entries || e.more > 200 && e.more > 4*e.entries ||
		e.wordy > 200 && e.wordy*10 > 9*e.entries // a log
}

// IsYAML reports whether the text is YAML: nearly all lines are valid, and the text
// is not prose with a few colons, a list of sentences, or code whose blocks begin
// with a colon. If forced is set, one entry is enough.
func (e *Evidence) IsYAML(forced bool) bool {
	switch {
	case forced:
		return e.entries > 0
	case e.Unclosed, e.entries < 2, e.Odd*20 > e.entries, e.more > e.entries, e.roots*4 > e.entries:
		return false
	case e.keys*2 < e.entries && e.sentences*5 > e.entries:
		return false
	}
	return e.unlikely*10 <= e.keys && e.wordy*3 <= e.entries
}
