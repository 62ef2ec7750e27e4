package yamlscan

import "bytes"

// census counts what speaks for YAML and what against it.
type census struct {
	entries   int // keys and items
	keys      int
	odd       int  // lines that YAML would not have where they are
	more      int  // lines of plain scalars that are no entries
	roots     int  // documents that are one scalar
	open      bool // a quote or bracket is not closed
	wordy     int  // keys of several words
	unlikely  int  // keys with signs of code
	sentences int  // values on the first column that are sentences
}

// key counts an entry with a key.
func (c *census) key(seen uint8) {
	c.entries++
	c.keys++
	if seen&(unlikely|blank) == 0 {
		return
	}
	if seen&unlikely != 0 {
		c.unlikely++
	}
	if seen&blank != 0 {
		c.wordy++
	}
}

// sentence is how many blanks make one of a value.
const sentence = 5

// said counts a plain value of an entry on column col.
func (c *census) said(text []byte, col int32) {
	if col > 0 || len(text) < sentence {
		return
	}
	n := 0
	for i := bytes.IndexByte(text, ' '); i >= 0 && n < sentence; i = bytes.IndexByte(text, ' ') {
		text = text[i+1:]
		n++
	}
	if n == sentence {
		c.sentences++
	}
}

// hopeless reports that no lines could still make YAML of the text.
func (c *census) hopeless() bool {
	return c.open || c.odd > 20 && c.odd*4 > c.entries || c.more > 200 && c.more > 4*c.entries ||
		c.wordy > 200 && c.wordy*10 > 9*c.entries // a log
}

// yaml reports whether a text is YAML: nearly all lines fit into it, and it is
// no prose with a colon here and there, no list of sentences and no code whose
// blocks begin with a colon.
func (c *census) yaml(forced bool) bool {
	switch {
	case forced:
		return c.entries > 0
	case c.open, c.entries < 2, c.odd*20 > c.entries, c.more > c.entries, c.roots*4 > c.entries:
		return false
	case c.keys*2 < c.entries && c.sentences*5 > c.entries:
		return false
	}
	return c.unlikely*10 <= c.keys && c.wordy*3 <= c.entries
}
