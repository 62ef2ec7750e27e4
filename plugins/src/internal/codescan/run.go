package codescan

import "github.com/mcpctl/mcpctl/plugins/src/internal/part"

// run is a stretch of statements that will share a part.
type run struct {
	start, end int32
	code       int32  // where code begins, -1 until there is some
	only       header // of its only statement
	n          int    // statements
	head       bool   // it is what stands before the first member
}

// misc adds lines to the run of other text.
func (w *writer) misc(from, to int, p place) {
	start, end := w.span(from, to)
	most := int32(shortRun)
	l := &w.lines[from]
	if p.body {
		most = shortBody
		if w.run.start >= 0 && l.flags&gap != 0 && start-w.run.start >= shortRun {
			w.flush(p)
		}
	}
	if w.run.start >= 0 && end-w.run.start > most && l.flags&closes == 0 {
		w.flush(p)
	}
	if w.run.start < 0 {
		w.run = run{start: start, end: end, code: -1}
	}
	w.run.end, w.run.head = end, false
	w.run.n++
	w.run.only = header{}
	for i := from; i < to && w.run.code < 0; i++ {
		if w.lines[i].flags&comment == 0 {
			w.run.code = w.lines[i].code
		}
	}
}

// flush makes a part of the run.
func (w *writer) flush(p place) {
	if w.run.start < 0 {
		return
	}
	code := w.run.code
	if code < 0 {
		code = w.run.start
	}
	w.add(part.Part{Start: w.run.start, End: w.run.end, Parent: p.parent}, item{code: code, name: w.run.only.name, owner: w.run.only.owner, kind: w.run.only.kind})
	w.run = run{start: -1}
}
