package code

import "github.com/mcpctl/mcpctl/plugins/src/internal/part"

// run is a stretch of statements that will share a part.
type run struct {
	start, end int32
	code       int32  // where code begins, -1 until there is some
	only       header // of its only statement
	n          int    // statements, without those for a preprocessor that name nothing
	imports    int32  // how many
	others     bool   // it holds something else than imports
	meets      bool   // it holds imports, and one more comes
	head       bool   // it is what stands before the first member
}

// misc adds lines without a statement to the run of other text.
func (w *writer) misc(from, to int, p place) {
	start, end := w.span(from, to)
	w.room(&w.lines[from], start, end, p)
	w.run.n++
	w.run.only, w.run.others = header{}, true
	for i := from; i < to && w.run.code < 0; i++ {
		if w.lines[i].flags&comment == 0 {
			w.run.code = w.lines[i].code
		}
	}
}

// join adds the statement in b[start:end] to the run: lead is the first line of
// what belongs to it, from that of its code.
func (w *writer) join(lead, from, to int, start, end int32, p place, h *header) {
	if r := &w.run; r.start >= 0 && !r.others && r.n > 0 {
		w.meet(from, to, p, h)
	}
	w.room(&w.lines[lead], start, end, p)
	r := &w.run
	if r.code < 0 {
		r.code = w.lines[from].code
	}
	if !r.others {
		n := w.imports(from, to, h)
		r.imports += n
		r.others = n == 0 && !w.clauses(from, h)
	}
	if w.lines[from].flags&directive != 0 && h.kind == other && (r.others || r.imports == 0) {
		return
	}
	if r.n++; r.n == 1 {
		r.only = *h
	} else if r.n == 2 {
		r.only = header{}
	}
}

// room makes a place in the run for the lines in b[start:end], of which l is the
// first.
func (w *writer) room(l *line, start, end int32, p place) {
	most := int32(shortRun)
	if p.body {
		most = shortBody
		if w.run.start >= 0 && l.flags&gap != 0 && start-w.run.start >= shortRun {
			w.flush(p)
		}
	} else if w.run.meets {
		most = shortBody
	}
	if w.run.start >= 0 && end-w.run.start > most && l.flags&closes == 0 {
		w.flush(p)
	}
	if w.run.start < 0 {
		w.run = run{start: start, end: end, code: -1}
	}
	w.run.end, w.run.head, w.run.meets = end, false, false
}

// meet decides about a statement that meets a run of imports: one more may make it
// longer than other text, something else begins a new one.
func (w *writer) meet(from, to int, p place, h *header) {
	switch n := w.imports(from, to, h); {
	case n > 0:
		w.run.meets = w.run.imports > 0
	case w.run.imports >= minImports && !w.clauses(from, h):
		w.flush(p)
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
