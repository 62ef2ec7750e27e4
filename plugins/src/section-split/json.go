package sectionsplit

import (
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/table"
	"github.com/mcpctl/mcpctl/plugins/src/scan/json"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// splitJSON plans sections for the children of the top value and of every
// container in it that the scanner split.
func splitJSON(j *job) outline {
	t := newTree(j)
	if t.scan.Len() == 0 { // not even one section may be added
		return splitNothing(j)
	}
	if top := t.scan.Node(0); top.Kids > 0 && !t.scan.Split(0) {
		return splitMany(j, caption.Count(int(top.Kids), memberNoun(top.Kind)))
	}
	*j.room -= t.scan.Len() - 1
	top := t.level(0)
	o := outline{count: top.noun, parts: top.Len(), lines: top.lines(j), index: top.estimate(j), name: func() error { return t.name(top, 1) }}
	if t.plan(); t.planned != nil {
		o.lines += t.planned.lines
		o.index += t.planned.index
	}
	return o
}

// lineRoom is the capacity of the buffers for an id and a title, enough for most.
const lineRoom = 256

// tree adds sections for the nodes of a scan.
type tree struct {
	*job
	scan    *json.Scanner
	tables  *table.Reader
	section map[int32]int // sections of the nodes that are split; few, so a list for all nodes would waste memory
	in      int32         // node whose children are added, -1 for the top values
	id      []byte        // buffer for an id
	title   []byte        // buffer for a title
	line    *lineNumbers  // lines of records; nil if the text is one value

	planned *nested // document in a string that is nearly all of the text
	holder  int32   // node of that string
}

func newTree(j *job) *tree {
	return &tree{job: j, scan: j.found.JSON, tables: table.NewReader(j.found.JSON, j.b, j.config.maxLines, j.config.groupField())}
}

// memberNoun returns the noun for a child of a container.
func memberNoun(kind json.Kind) string {
	if kind == json.Object {
		return "key"
	}
	return "item"
}

// level is the children of one container, or the records. It is valid until the
// next level is read.
type level struct {
	*table.Table
	grouping *table.Grouping
	noun     string
}

func (t *tree) level(node int32) level {
	l := level{Table: t.tables.Children(node, node == 0 || t.isMost(node))}
	l.noun = l.Rows()
	if t.scan.Node(node).Kind == json.Object {
		l.noun = caption.Count(l.Len(), "key")
	}
	return t.grouped(l)
}

// grouped groups the rows of a level if there is room for the groups.
func (t *tree) grouped(l level) level {
	l.grouping = l.Group(t.config.groupBy, t.line != nil)
	if l.grouping == nil && t.wish.field != "" {
		l.grouping = l.Group(table.Auto, t.line != nil)
	}
	if l.grouping == nil {
		return l
	}
	t.wish.granted = t.wish.granted || l.grouping.By == t.wish.field
	if n := l.grouping.Len(); n <= *t.room {
		*t.room -= n
	} else {
		l.grouping = nil
	}
	return l
}

// lines returns the header above the index of the top level.
func (l level) lines(j *job) string {
	noun := l.noun
	first := j.heading(noun)
	if l.grouping != nil {
		first = first[:len(first)-1] + ", grouped by " + l.grouping.By + "\n"
	}
	if schema := l.Schema(l.grouping); schema != "" {
		first += schema + "\n"
	}
	return first
}

// estimate returns the estimated size of the index that the host will print: the
// lines of this level, and of deeper levels while lines are left.
func (l level) estimate(j *job) int {
	if len(j.b)*3 > 2*5*maxIndex { // the index pays even at its size limit
		return maxIndex
	}
	size, lines := 0, 0
	add := func(id, title string) {
		size += len(id) + len(title) + len("[@] (1.2K)\n")
		lines++
	}
	if l.grouping != nil {
		for i := range l.grouping.Parts {
			p := &l.grouping.Parts[i]
			add(string(l.grouping.AppendID(nil, p)), string(l.grouping.AppendTitle(nil, p)))
		}
	} else {
		for row := range min(l.Len(), j.config.maxLines) {
			id := l.AppendID(nil, row)
			add(string(id), string(l.AppendTitle(nil, row, id)))
		}
	}
	if lines > 0 && j.found.JSON.Len() > l.Len()+1 {
		size += size / lines * (j.config.maxLines - min(lines, j.config.maxLines))
	}
	return min(size, maxIndex)
}

// name adds the sections of the top level, then those of every node with
// children, starting at node first.
func (t *tree) name(top level, first int32) error {
	t.section = make(map[int32]int)
	t.id, t.title = make([]byte, 0, lineRoom), make([]byte, 0, lineRoom)
	if err := t.children(&top, stage.Top); err != nil {
		return err
	}
	for i := first; i < int32(t.scan.Len()); i++ {
		if !t.scan.Split(i) {
			continue
		}
		l, at := t.level(i), t.section[i]
		t.in = i
		if err := t.children(&l, at); err != nil {
			return err
		}
		if schema := l.Schema(l.grouping); schema != "" {
			t.tell(i, &l, schema)
			if err := t.summarize(at, schema); err != nil {
				return err
			}
		}
	}
	return nil
}

// children adds the rows of one level below a section.
func (t *tree) children(l *level, parent int) error {
	if l.grouping == nil {
		for row := range l.Len() {
			if err := t.row(l, row, parent); err != nil {
				return err
			}
		}
		return nil
	}
	if err := t.parts(l, parent); err != nil {
		return err
	}
	slices.Sort(l.grouping.Rest) // siblings are in text order
	for _, row := range l.grouping.Rest {
		if err := t.row(l, int(row), parent); err != nil {
			return err
		}
	}
	return nil
}

// parts adds the groups of a level and their rows. The table limits their depth.
func (t *tree) parts(l *level, parent int) error {
	parents := []int{parent} // section of the current group of each level
	return l.grouping.Walk(func(p *table.Part, rows []int32, level int) error {
		id, title := l.grouping.AppendID(t.id, p), l.grouping.AppendTitle(t.title, p)
		group, err := t.group(parents[level], text(id), text(title))
		if err != nil {
			return err
		}
		parents = append(parents[:level+1], group)
		for _, row := range rows {
			if err := t.row(l, int(row), group); err != nil {
				return err
			}
		}
		return nil
	})
}

// row adds the section of one row.
func (t *tree) row(l *level, row, parent int) error {
	node := l.Node(row)
	n := t.scan.Node(node)
	start, end := int(n.Start), int(n.End)
	id, title := t.id, t.title // a buffer that grows is not kept: this is rare, and storing the pointer costs more
	switch {
	case n.Depth == 0:
		start, end = json.Lines(t.b, start, end)
		id = caption.AppendNumber(append(id, 'L'), t.line.of(row))
		title = l.AppendTitle(title, row, id)
	case saysItself(n):
		id, title = caption.AppendNumber(id, int32(row)), t.b[start:end]
	default:
		id = l.AppendID(id, row)
		title = l.AppendTitle(title, row, id)
	}
	at, err := t.add(parent, start, end, id, title)
	switch {
	case err != nil:
		return err
	case n.Kind == json.Text:
		if n.Size() > t.config.leafSize {
			return t.enter(node, at)
		}
	case t.scan.Split(node):
		t.section[node] = at
	}
	return nil
}

// saysItself reports whether a value is an array element whose text is its title.
// Most elements of large arrays are.
func saysItself(n *json.Node) bool {
	return !n.Keyed() && (n.Kind <= json.Number && n.Size() <= maxTitle || n.Kind != json.Text && n.Size() == len("{}"))
}
