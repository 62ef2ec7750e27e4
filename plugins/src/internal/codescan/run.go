package codescan

import "github.com/mcpctl/mcpctl/plugins/src/internal/part"

// run is a stretch of statements that will share a part.
type run struct {
	start, end int32
	code       int32  // where code begins, -1 until there is some
	only       header // of its only statement
	n          int    // statements, without those for a preprocessor that name nothing
	imports    int32  // how many
	others     bool   // it holds something else than imports
	head       bool   // it is what stands before the first member
}

// misc adds lines without a statement to the run of other text.
func (w *writer) misc(from, to int, p place) { w.join(from, to, p, short{}) }

// short is a statement that shares a part.
type short struct {
	header
	imports int32
	clause  bool // it says what is imported to
	filler  bool // it is for a preprocessor and names nothing
}

// join adds lines to the run.
func (w *writer) join(from, to int, p place, s short) {
	start, end := w.span(from, to)
	most := int32(shortRun)
	l := &w.lines[from]
	switch {
	case s.imports > 0 && w.run.imports > 0 && !w.run.others:
		most = shortBody
	case w.run.imports >= minImports && !w.run.others && !s.clause && l.flags&comment == 0:
		w.flush(p)
	}
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
	if !s.filler {
		w.run.n++
	}
	if w.run.only = s.header; w.run.n > 1 || s.filler {
		w.run.only = header{}
	}
	w.run.imports += s.imports
	w.run.others = w.run.others || s.imports == 0 && !s.clause
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
	code, note := w.run.code, w.run.code < 0
	if note {
		code = w.run.start
	}
	it := item{code: code, name: w.run.only.name, owner: w.run.only.owner, kind: w.run.only.kind, text: w.run.only.text, note: note, about: w.run.start}
	if !w.run.others && !w.run.head {
		it.imports = w.run.imports
	}
	w.add(part.Part{Start: w.run.start, End: w.run.end, Parent: p.parent}, it)
	w.run = run{start: -1}
}
