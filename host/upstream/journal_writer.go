package upstream

import (
	"bytes"
	"strings"
)

// journalWriter is an io.Writer that splits the standard error of one process into lines
// of a Journal. Only one goroutine may write to it.
type journalWriter struct {
	to    *Journal
	scrub scrubber
	line  []byte
	cut   bool // the line is longer than lineBytes
}

// Write never fails and never blocks.
func (w *journalWriter) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		text, rest, ended := bytes.Cut(p, []byte("\n"))
		room := lineBytes - len(w.line)
		w.cut = w.cut || len(text) > room
		w.line = append(w.line, text[:min(len(text), room)]...)
		if ended {
			w.flush()
		}
		p = rest
	}
	return n, nil
}

// flush adds the line to the Journal. The end of a cut line may be a part of a secret,
// which the scrubber cannot recognize, so flush drops as many bytes as the longest secret.
func (w *journalWriter) flush() {
	text := w.scrub.clean(strings.TrimSuffix(string(w.line), "\r"))
	if w.cut {
		text = text[:max(0, len(text)-w.scrub.longest)] + "..."
	}
	w.to.add(printable(text))
	w.line, w.cut = w.line[:0], false
}

// end adds the text after the last newline.
func (w *journalWriter) end() {
	if len(w.line) > 0 {
		w.flush()
	}
}
