package code

import (
	"bytes"
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/room"
)

// Sizes in bytes. They depend on the text alone, so that ids do.
const (
	shortRun  = 600  // statements between definitions share a part up to this
	shortBody = 1500 // a statement in a function has a part of its own above this
	shortHead = 200  // what stands before the first part inside another one is joined to it up to this
	minNested = 300  // a function in a function has a part of its own above this
)

// A text has at most one part in so many bytes, so that these take little more
// memory than it does; a short one has these in any case. What is behind them is
// read in windows.
const (
	leastParts = 1 << 14
	partBytes  = 40
)

// maxNested is how many definitions may lie in each other.
const maxNested = 24

// writer makes parts of lines.
type writer struct {
	b     []byte
	v     *vocabulary
	lines []line

	parts []part.Part
	items []item // one for each part
	found [table + 1]int
	tests int // calls that define what their first string names
	run   run
}

// item is what a part is called by.
type item struct {
	code        int32 // where its code begins, after comments and attributes
	about       int32 // where its own comment begins
	line        int32 // its first
	imports     int32 // how many there are, if there is nothing else
	name, owner span  // empty if it has none
	kind        kind
	def         bool
	note        bool // it is all comment
	text        bool // name is a sentence
}

// span is a short stretch of the text.
type span struct {
	at int32
	n  int16
}

func (s span) of(b []byte) []byte { return b[s.at : s.at+int32(s.n)] }

// place is where statements are.
type place struct {
	parent int32
	depth  int16 // of the lines that begin statements
	level  int   // definitions round it
	body   bool  // of a function, or of data
}

func (w *writer) write() {
	w.run.start = -1
	if len(w.lines) == 0 {
		return
	}
	w.fill(0, len(w.lines), place{parent: -1, depth: w.level(0, len(w.lines), -1)})
	n := lines.NewCounter(w.b)
	for i := range w.items {
		w.items[i].line = int32(n.Line(int(w.parts[i].Start)))
	}
}

// level is the depth at which statements begin in lines: the least above floor of
// those that no bracket begins.
func (w *writer) level(from, to int, floor int16) int16 {
	least := int16(1<<15 - 1)
	for i := from; i < to; i++ {
		if l := &w.lines[i]; l.flags&(closes|comment|directive) == 0 && l.depth > floor && l.depth < least {
			least = l.depth
		}
	}
	return least
}

// fill makes parts of the statements in lines[from:to].
func (w *writer) fill(from, to int, p place) {
	lead := -1 // first line of the comments and attributes above
	for i := from; i < to; {
		l := &w.lines[i]
		switch {
		case l.flags&comment != 0:
			if lead >= 0 && l.flags&gap != 0 && !w.attribute(&w.lines[lead]) {
				w.misc(lead, i, p)
				lead = -1
			}
			if lead < 0 {
				lead = i
			}
			i++
		case l.depth <= p.depth && w.attribute(l):
			if lead < 0 || l.flags&gap != 0 && w.lines[i-1].flags&comment != 0 {
				w.leave(lead, i, p)
				lead = i
			}
			for i++; i < to && w.lines[i].depth > p.depth; i++ {
			}
			for i < to && w.lines[i].flags&closes != 0 {
				i++
			}
		default:
			if lead >= 0 && l.flags&gap != 0 && w.lines[i-1].flags&comment != 0 {
				w.leave(lead, i, p)
				lead = -1
			}
			if lead < 0 {
				lead = i
			}
			end := w.statement(i, to, p.depth, !p.body)
			w.emit(lead, i, end, p)
			lead, i = -1, end
		}
	}
	w.leave(lead, to, p)
	w.flush(p)
}

// leave makes other text of comments that belong to nothing.
func (w *writer) leave(lead, to int, p place) {
	if lead >= 0 {
		w.misc(lead, to, p)
	}
}

// attribute reports whether a line belongs to the definition below it.
func (w *writer) attribute(l *line) bool {
	for _, a := range w.v.attrs {
		if bytes.HasPrefix(w.b[l.code:], []byte(a)) {
			return a != "@" || !w.sameLine(l)
		}
	}
	return false
}

// sameLine reports whether what follows an annotation is on its own line:
// @objc func f().
func (w *writer) sameLine(l *line) bool {
	h := w.head(int(l.code), lines.End(w.b, int(l.code)))
	return h.kind != other
}

// emit makes parts of one statement: lead is the first line of what belongs to
// it, from that of its code.
func (w *writer) emit(lead, from, to int, p place) {
	start, end := w.span(lead, to)
	size := int(end - start)
	h := header{}
	if (!p.body || w.v.inner && size >= minNested || size > shortBody) && w.lines[from].flags&(directive|closes) == 0 && w.lines[from].depth <= p.depth {
		h = w.head(int(w.lines[from].code), int(end))
	} else if w.lines[from].flags&directive != 0 {
		h = w.macroHeader(int(w.lines[from].code))
	}
	def := h.kind != other && h.kind != value
	if p.body && (!w.v.inner || !def || size < minNested) {
		def = false
	}
	if !def {
		most := shortRun
		if p.body {
			most = shortBody
		}
		if size <= most {
			w.join(lead, from, to, start, end, p, &h)
			return
		}
	}
	if r := &w.run; r.start >= 0 && (r.head || p.body || r.code < 0 && w.v.syntax&receivers == 0 && ruled(w.b[r.start:r.end])) && r.end-r.start < shortHead {
		start, r.start = r.start, -1
	}
	w.flush(p)
	switch {
	case def && h.text:
		w.tests++
	case def:
		w.found[h.kind]++
	}
	it := item{code: w.lines[from].code, name: h.name, owner: h.owner, kind: h.kind, def: def, text: h.text, about: w.lines[lead].start}
	if !def && start == w.lines[lead].start {
		it.imports = w.imports(from, to, &h)
	}
	at := w.add(part.Part{Start: start, End: end, Parent: p.parent, Kind: h.treat(def)}, it)
	if at >= 0 {
		w.inside(at, from, to, p, h)
	}
}

// ruled reports a comment that begins with a line drawn of one mark: a title for
// what stands below it, whatever blank lines lie between. In Go they part a comment from a definition
// by rule, so it is not asked there.
func ruled(text []byte) bool {
	text = bytes.TrimLeft(text[:lines.End(text, 0)], " \t/*")
	text = bytes.TrimRight(text, " \t\r\n")
	return len(text) >= minRule && len(bytes.TrimLeft(text, string(text[:1]))) <= len("*/") && bytes.IndexByte([]byte("#-=*/~_+"), text[0]) >= 0
}

// minRule is how many marks make a line: more than begin any comment.
const minRule = 8

// treat is how a part of a kind is split.
func (h header) treat(def bool) part.Kind {
	if def && h.kind == function {
		return part.Record
	}
	return part.Plain
}

// inside makes parts of what a statement holds.
func (w *writer) inside(at int32, from, to int, p place, h header) {
	body := from + 1
	for body < to && w.lines[body].depth <= w.lines[from].depth {
		body++
	}
	members := h.kind == class || h.kind == table && w.v.syntax&blocks != 0 || h.kind == space || h.kind == impl || w.v.inner && h.kind != function
	if body == to || p.level == maxNested || !members && w.parts[at].Size() <= shortBody {
		return
	}
	depth := w.level(body, to, p.depth)
	if int(depth) == 1<<15-1 {
		return
	}
	inner := place{parent: at, depth: depth, level: p.level + 1, body: !members}
	n := len(w.parts)
	w.run = run{start: w.parts[at].Start, end: w.lineEnd(body), code: w.lines[from].code, n: 2, head: true}
	w.fill(body, to, inner)
	w.unwrap(at, n)
	for i := int32(len(w.parts) - 1); i != at; i = w.parts[i].Parent {
		w.parts[i].End = w.parts[at].End
	}
}

// unwrap puts the children of the part at position only, which is the last child
// of "at" and unless it is a definition says nothing new, in its place if it is
// the only one.
func (w *writer) unwrap(at int32, only int) {
	if only >= len(w.parts) || w.items[only].def {
		return
	}
	for _, p := range w.parts[only+1:] {
		if p.Parent == at {
			return
		}
	}
	w.parts, w.items = slices.Delete(w.parts, only, only+1), slices.Delete(w.items, only, only+1)
	for i := only; i < len(w.parts); i++ {
		if p := &w.parts[i].Parent; int(*p) == only {
			*p = at
		} else {
			*p--
		}
	}
}

// add notes a part; -1: there is no room for more of them.
func (w *writer) add(p part.Part, it item) int32 {
	if len(w.parts) == cap(w.parts) {
		n := max(leastParts, len(w.b)/partBytes)
		if len(w.parts) >= n {
			return -1
		}
		n = min(n, len(w.lines)+1) // statements begin lines
		w.parts, w.items = room.More(w.parts, int(p.Start), len(w.b), n), room.More(w.items, int(p.Start), len(w.b), n)
	}
	w.parts = append(w.parts, p)
	w.items = append(w.items, it)
	return int32(len(w.parts) - 1)
}

// span is the text of lines[from:to], without the blank lines after it.
func (w *writer) span(from, to int) (start, end int32) {
	return w.lines[from].start, w.lineEnd(to)
}

// lineEnd is the end of the text before line i, blank lines left out.
func (w *writer) lineEnd(i int) int32 {
	end := len(w.b)
	if i < len(w.lines) {
		end = int(w.lines[i].start)
	}
	for end > 0 && white(w.b[end-1]) {
		end--
	}
	if end < len(w.b) && w.b[end] == '\n' {
		return int32(end) + 1
	}
	return int32(lines.End(w.b, end))
}
