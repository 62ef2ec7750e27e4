package code

import (
	"bytes"
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/grow"
	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/decl"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/language"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/lex"
)

// Sizes in bytes. They do not depend on the config, so that ids depend on the text alone.
const (
	shortRun  = 600  // statements between definitions share a part up to this size
	shortBody = 1500 // a statement in a function has its own part above this size
	shortHead = 200  // the text before the first member is joined to that up to this size
	minNested = 300  // a function in a function has its own part from this size on
)

// A text has at most one part in partBytes bytes, so that the parts take little more memory
// than the text, but a short text may have leastParts. Text after the last part is read in
// windows.
const (
	leastParts = 1 << 14
	partBytes  = 40
)

// maxNested is the largest number of definitions around another.
const maxNested = 24

// item is the naming data of a part.
type item struct {
	code        int32 // offset of its code, after comments and attributes
	lead        int32 // offset of its own comment
	line        int32 // number of its first line
	imports     int32 // number of imports if it contains nothing else
	name, owner decl.Span
	kind        language.Kind
	def         bool // it is a definition
	comment     bool // it contains no code
	sentence    bool // name is a sentence
}

// tree contains the parts of a text.
type tree struct {
	*source
	counts
	parts []part.Part
	items []item // by part
}

// builder makes the parts of a tree.
type builder struct {
	tree
	run run
}

// scope is the surroundings of statements.
type scope struct {
	parent int32
	depth  int16 // of the lines that begin statements
	level  int   // number of definitions around it
	body   bool  // of a function, or of data
}

// statement is a statement with the comments and attributes above it.
type statement struct {
	lead, from, to int   // lines: of the comments, of the code, after the last
	start, end     int32 // in the text
	head           decl.Head
}

// buildTree makes the parts of a source.
func buildTree(s *source) *tree {
	t := &builder{tree: tree{source: s}, run: run{start: -1}}
	if len(t.lines) == 0 {
		return &t.tree
	}
	t.addStatements(0, len(t.lines), scope{parent: -1, depth: t.statementDepth(0, len(t.lines), -1)})
	n := lines.NewCounter(t.b)
	for i := range t.items {
		t.items[i].line = int32(n.Line(int(t.parts[i].Start)))
	}
	return &t.tree
}

// addStatements makes parts of the statements in lines[from:to].
func (t *builder) addStatements(from, to int, in scope) {
	lead := -1 // first line of the comments and attributes above
	for i := from; i < to; {
		l := &t.lines[i]
		afterComment := lead >= 0 && l.Flags&lex.Gap != 0 && t.lines[i-1].Flags&lex.Comment != 0
		switch {
		case l.Flags&lex.Comment != 0:
			if lead >= 0 && l.Flags&lex.Gap != 0 && !t.isAttribute(&t.lines[lead]) {
				t.addComments(lead, i, in)
				lead = -1
			}
			if lead < 0 {
				lead = i
			}
			i++
		case l.Depth <= in.depth && t.isAttribute(l):
			if afterComment {
				t.addComments(lead, i, in)
				lead = -1
			}
			if lead < 0 {
				lead = i
			}
			i = t.skipAttribute(i, to, in.depth)
		default:
			if afterComment {
				t.addComments(lead, i, in)
				lead = -1
			}
			if lead < 0 {
				lead = i
			}
			end := t.statementEnd(i, to, in.depth, !in.body)
			t.addStatement(lead, i, end, in)
			lead, i = -1, end
		}
	}
	if lead >= 0 {
		t.addComments(lead, to, in)
	}
	t.endRun(in)
}

// skipAttribute returns the line after the attribute that begins on line i.
func (t *builder) skipAttribute(i, to int, depth int16) int {
	for i++; i < to && t.lines[i].Depth > depth; i++ {
	}
	for i < to && t.lines[i].Flags&lex.Closes != 0 {
		i++
	}
	return i
}

// addStatement makes parts of a statement, or adds it to the run if it is short and no
// definition.
func (t *builder) addStatement(lead, from, to int, in scope) {
	st := statement{lead: lead, from: from, to: to}
	st.start, st.end = t.span(lead, to)
	size := int(st.end - st.start)
	st.head = t.readHead(st, in)
	def := st.head.Kind != language.Other && st.head.Kind != language.Value
	if in.body && (!t.v.NestedFunctions || size < minNested) {
		def = false
	}
	if !def && (size <= shortRun || in.body && size <= shortBody) {
		t.addToRun(st, in)
		return
	}
	if t.joinsRun(in) {
		st.start, t.run.start = t.run.start, -1
	}
	t.endRun(in)
	h := &st.head
	switch {
	case def && h.Sentence:
		t.tests++
	case def:
		t.of[h.Kind]++
	}
	it := item{code: t.lines[from].Code, name: h.Name, owner: h.Owner, kind: h.Kind, def: def, sentence: h.Sentence, lead: t.lines[lead].Start}
	if !def && st.start == t.lines[lead].Start {
		it.imports = t.countImports(from, to, h)
	}
	p := part.Part{Start: st.start, End: st.end, Parent: in.parent}
	if def && h.Kind == language.Function {
		p.Kind = part.Record
	}
	if at := t.add(p, it); at >= 0 {
		t.addMembers(at, st, in)
		if !def && in.parent < 0 && t.isDefaultObject(it) {
			t.dissolve(at)
		}
	}
}

// isDefaultObject reports whether a statement exports an object as the only value of its module. A reader looks
// for its members: the options of a component, the hooks of a plugin.
func (t *builder) isDefaultObject(it item) bool {
	return it.name.N == 0 && t.v.AssignedFunctions && bytes.HasPrefix(t.b[it.code:], []byte("export default "))
}

// dissolve replaces the part at a position, which has children and follows all other parts, by those.
func (t *builder) dissolve(at int32) {
	if int(at)+1 < len(t.parts) {
		t.remove(int(at), t.parts[at].Parent)
	}
}

// readHead reads the head of a statement, unless it is too short for its own part.
func (t *builder) readHead(st statement, in scope) decl.Head {
	l, size := &t.lines[st.from], int(st.end-st.start)
	if l.Flags&lex.Directive != 0 {
		return t.heads.ReadMacro(int(l.Code))
	}
	if in.body && size <= shortBody && (!t.v.NestedFunctions || size < minNested) || l.Flags&lex.Closes != 0 || l.Depth > in.depth {
		return decl.Head{}
	}
	return t.heads.Read(int(l.Code), int(st.end))
}

// joinsRun reports whether the run becomes part of the definition after it: it is short, and
// is the head of the definition around it, or a ruled comment.
func (t *builder) joinsRun(in scope) bool {
	r := &t.run
	if r.start < 0 || r.end-r.start >= shortHead {
		return false
	}
	return r.head || in.body || r.code < 0 && !t.v.Has(language.Receivers) && isRuled(t.b[r.start:r.end])
}

// minRule is the number of marks in a rule: more than begin any comment.
const minRule = 8

// isRuled reports whether a comment begins with a rule of one repeated mark. It is the title of
// the code below it, regardless of blank lines. This does not apply to Go, where a blank line
// separates a comment from a definition.
func isRuled(text []byte) bool {
	text = bytes.TrimLeft(text[:lines.End(text, 0)], " \t/*")
	text = bytes.TrimRight(text, " \t\r\n")
	return len(text) >= minRule && len(bytes.TrimLeft(text, string(text[:1]))) <= len("*/") && bytes.IndexByte([]byte("#-=*/~_+"), text[0]) >= 0
}

// addMembers makes parts of the body of a statement.
func (t *builder) addMembers(at int32, st statement, in scope) {
	body := st.from + 1
	for body < st.to && t.lines[body].Depth <= t.lines[st.from].Depth {
		body++
	}
	members := t.hasMembers(st.head.Kind)
	if body == st.to || in.level == maxNested || !members && t.parts[at].Size() <= shortBody {
		return
	}
	depth := t.statementDepth(body, st.to, in.depth)
	if depth == noDepth {
		return
	}
	inner := scope{parent: at, depth: depth, level: in.level + 1, body: !members}
	n := len(t.parts)
	t.run = run{start: t.parts[at].Start, end: t.endBefore(body), code: t.lines[st.from].Code, n: 2, head: true}
	t.addStatements(body, st.to, inner)
	t.unwrap(at, n)
	for i := int32(len(t.parts) - 1); i != at; i = t.parts[i].Parent {
		t.parts[i].End = t.parts[at].End
	}
}

// hasMembers reports whether the statements in the body of a statement are definitions.
func (t *builder) hasMembers(k language.Kind) bool {
	switch k {
	case language.Class, language.Namespace, language.Impl:
		return true
	case language.Table:
		return t.v.Has(language.LabelledBlocks) || t.v.NestedFunctions
	}
	return t.v.NestedFunctions && k != language.Function
}

// unwrap replaces the part at position only, the last child of parent at, by its children. It
// does so if that is the only child and no definition, and thus adds no information.
func (t *builder) unwrap(at int32, only int) {
	if only >= len(t.parts) || t.items[only].def {
		return
	}
	for _, p := range t.parts[only+1:] {
		if p.Parent == at {
			return
		}
	}
	t.remove(only, at)
}

// remove removes the part at a position, which is the last of its level, and makes parent the parent of its children.
func (t *builder) remove(at int, parent int32) {
	t.parts, t.items = slices.Delete(t.parts, at, at+1), slices.Delete(t.items, at, at+1)
	for i := at; i < len(t.parts); i++ {
		if p := &t.parts[i].Parent; int(*p) == at {
			*p = parent
		} else {
			*p--
		}
	}
}

// add adds a part and returns its position, or -1 if there is no room for more.
func (t *builder) add(p part.Part, it item) int32 {
	if len(t.parts) == cap(t.parts) {
		n := max(leastParts, len(t.b)/partBytes)
		if len(t.parts) >= n {
			return -1
		}
		n = min(n, len(t.lines)+1) // statements begin lines
		t.parts, t.items = grow.Slice(t.parts, int(p.Start), len(t.b), n), grow.Slice(t.items, int(p.Start), len(t.b), n)
	}
	t.parts = append(t.parts, p)
	t.items = append(t.items, it)
	return int32(len(t.parts) - 1)
}
