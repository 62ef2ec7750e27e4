package logscan

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/times"
)

// maxNamed is how many records are named one by one. Of more than that, spans of
// time are named, which are read in windows of lines.
const maxNamed = 60_000

// doc makes a document of a log that has been read.
func (l *log) doc() *part.Doc {
	n := len(l.levels)
	d := &part.Doc{Count: caption.Count(n, "record"), Lines: l.lines()}
	w := &writer{log: l, doc: d, named: n <= maxNamed}
	groups := l.groups()
	if !w.named && groups == nil {
		return d // windows of the host's are all there is
	}
	parts := 1 + count(groups)
	if w.named {
		parts += n
	}
	d.Parts, w.of = make([]part.Part, 0, parts), make([]int32, 0, parts)
	if l.hasHead() {
		w.add(part.Part{Start: int32(l.head), End: l.place[0], Parent: -1}, head)
	}
	if groups == nil {
		w.records(&group{to: n}, -1)
	}
	w.groups(groups, -1)
	d.Name = w.name
	return d
}

// count is how many groups there are, on all levels.
func count(groups []group) int {
	n := len(groups)
	for i := range groups {
		n += count(groups[i].inner)
	}
	return n
}

// hasHead reports whether there is anything before the first record.
func (l *log) hasHead() bool { return len(bytes.TrimSpace(l.b[l.head:l.start[0]])) > 0 }

// lines say what there is: times, levels, messages that come again and again.
func (l *log) lines() []string {
	first, last := l.stamps[0], l.stamps[0]
	for i := 1; i < len(l.stamps); i++ {
		s := &l.stamps[i]
		if s.Same(&l.stamps[i-1]) { // most records are of the same minute as those before
			continue
		}
		if s.Before(first, len(s)) {
			first = *s
		}
		if last.Before(*s, len(s)) {
			last = *s
		}
	}
	about, said := undated(between(first, last)), l.said(l.count(0, len(l.levels)), false)
	switch {
	case l.f.leveled:
		about = said
	case said != "":
		about += ": " + said
	}
	out := []string{about}
	if often := l.shapes.often(l.b); often != "" {
		out = append(out, "often: "+often)
	}
	return out
}

// between says two times, of the second only what differs.
func between(a, b times.Stamp) string {
	if string(a[:10]) == string(b[:10]) {
		return a.String() + ".." + string(b[11:])
	}
	return a.String() + ".." + b.String()
}

// writer makes the parts of a log.
type writer struct {
	*log
	doc   *part.Doc
	named bool    // records are parts
	of    []int32 // by part: its record, head, or a group before that
	said  []*group
}

// head and what is below it are no records; a group n is head-1-n.
const head = -1

func (w *writer) add(p part.Part, of int32) {
	w.doc.Parts = append(w.doc.Parts, p)
	w.of = append(w.of, of)
}

func (w *writer) groups(groups []group, parent int32) {
	for i := range groups {
		g := &groups[i]
		p := part.Part{Parent: parent, Kind: part.Group}
		if !w.named {
			p = part.Part{Start: w.place[g.from], End: w.place[g.to], Parent: parent}
		}
		at := int32(len(w.doc.Parts))
		w.add(p, head-1-int32(len(w.said)))
		w.said = append(w.said, g)
		w.groups(g.inner, at)
		if g.inner == nil && w.named {
			w.records(g, at)
		}
	}
}

func (w *writer) records(g *group, parent int32) {
	for _, row := range g.rows {
		w.record(row, parent)
	}
	for row := g.from; row < g.to; row++ {
		w.record(int32(row), parent)
	}
}

func (w *writer) record(row, parent int32) {
	w.add(part.Part{Start: w.place[row], End: w.place[row+1], Parent: parent, Kind: part.Record}, row)
}

func (w *writer) name(i int, n *part.Name) {
	switch of := w.of[i]; {
	case of == head:
		n.ID = append(n.ID, "head"...)
		if n.Title = caption.Append(n.Title, w.b[w.head:w.start[0]], maxTitle); len(n.Title) == 0 {
			n.Title = append(n.Title, n.ID...) // control characters alone
		}
	case of < head:
		g := w.said[head-1-of]
		n.ID, n.Title = append(n.ID, g.id...), append(n.Title, g.title...)
	default:
		n.ID = caption.AppendNumber(append(n.ID, 'L'), w.line[of])
		n.Title = caption.Append(n.Title, w.b[w.message(of):w.start[of+1]], maxTitle)
	}
}

// message is where a record goes on from its time of day, if that is the first
// thing it says: the day is that of its group.
func (w *writer) message(record int32) int32 {
	if w.f.token > 0 || w.f.layout.pattern == "E" {
		return w.start[record]
	}
	return w.start[record] + int32(w.clocks[record])
}
