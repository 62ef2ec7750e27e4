package code

import (
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/decl"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/language"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/lex"
)

// run is a sequence of short statements that share a part.
type run struct {
	start, end  int32     // start is -1 if there is no run
	code        int32     // offset of its first code, -1 until there is some
	only        decl.Head // of its only statement
	n           int       // number of statements, except directives that name nothing
	imports     int32     // number of imports
	others      bool      // it contains other statements than imports
	moreImports bool      // it contains imports, and another one follows
	head        bool      // it is the text before the first member of a definition
}

// addComments adds lines without a statement to the run.
func (t *builder) addComments(from, to int, in scope) {
	start, end := t.span(from, to)
	t.extendRun(&t.lines[from], start, end, in)
	r := &t.run
	r.n++
	r.only, r.others = decl.Head{}, true
	for i := from; i < to && r.code < 0; i++ {
		if t.lines[i].Flags&lex.Comment == 0 {
			r.code = t.lines[i].Code
		}
	}
}

// addToRun adds a statement to the run.
func (t *builder) addToRun(st statement, in scope) {
	if r := &t.run; r.start >= 0 && !r.others && r.n > 0 {
		t.continueImports(st, in)
	}
	t.extendRun(&t.lines[st.lead], st.start, st.end, in)
	r := &t.run
	if r.code < 0 {
		r.code = t.lines[st.from].Code
	}
	if !r.others {
		n := t.countImports(st.from, st.to, &st.head)
		r.imports += n
		r.others = n == 0 && !t.isPackageClause(st.from, &st.head)
	}
	if t.lines[st.from].Flags&lex.Directive != 0 && st.head.Kind == language.Other && (r.others || r.imports == 0) {
		return
	}
	if r.n++; r.n == 1 {
		r.only = st.head
	} else if r.n == 2 {
		r.only = decl.Head{}
	}
}

// extendRun extends the run to the lines in b[start:end], the first of which is l. A run that
// would become too long is ended first.
func (t *builder) extendRun(l *lex.Line, start, end int32, in scope) {
	most := int32(shortRun)
	if in.body {
		most = shortBody
		if t.run.start >= 0 && l.Flags&lex.Gap != 0 && start-t.run.start >= shortRun {
			t.endRun(in)
		}
	} else if t.run.moreImports {
		most = shortBody
	}
	if t.run.start >= 0 && end-t.run.start > most && l.Flags&lex.Closes == 0 {
		t.endRun(in)
	}
	if t.run.start < 0 {
		t.run = run{start: start, end: end, code: -1}
	}
	t.run.end, t.run.head, t.run.moreImports = end, false, false
}

// continueImports prepares a run that contains imports for the next statement. Another import
// may extend it beyond the usual size; any other statement begins a new run.
func (t *builder) continueImports(st statement, in scope) {
	switch n := t.countImports(st.from, st.to, &st.head); {
	case n > 0:
		t.run.moreImports = t.run.imports > 0
	case t.run.imports >= minImports && !t.isPackageClause(st.from, &st.head):
		t.endRun(in)
	}
}

// endRun makes a part of the run.
func (t *builder) endRun(in scope) {
	r := t.run
	if r.start < 0 {
		return
	}
	it := item{code: r.code, name: r.only.Name, owner: r.only.Owner, kind: r.only.Kind, sentence: r.only.Sentence, comment: r.code < 0, lead: r.start}
	if it.comment {
		it.code = r.start
	}
	if !r.others && !r.head {
		it.imports = r.imports
	}
	t.add(part.Part{Start: r.start, End: r.end, Parent: in.parent}, it)
	t.run = run{start: -1}
}
