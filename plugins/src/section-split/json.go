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
		return splitUnknown(j)
	}
	if top := t.scan.Node(0); top.Kids > 0 && !t.scan.IsSplit(0) {
		return splitMany(j, caption.Count(int(top.Kids), memberNoun(top.Kind)))
	}
	*j.room -= t.scan.Len() - 1
	top := t.readLevel(0)
	o := outline{count: top.noun, parts: top.Len(), header: top.formatHeader(j), index: top.estimateIndex(j), addSections: func() error { return t.addSections(top, 1) }}
	if t.planDominant(); t.dominant != nil {
		o.header += t.dominant.header
		o.index += t.dominant.index
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

	dominant     *nested // document in a string that is nearly all of the text
	dominantNode int32   // node of that string
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

func (t *tree) readLevel(node int32) level {
	l := level{Table: t.tables.Children(node, node == 0 || t.isMost(node))}
	l.noun = l.Rows()
	if t.scan.Node(node).Kind == json.Object {
		l.noun = caption.Count(l.Len(), "key")
	}
	return t.groupRows(l)
}

// groupRows groups the rows of a level if there is room for the groups.
func (t *tree) groupRows(l level) level {
	l.grouping = l.Group(t.config.groupBy, t.line != nil)
	if l.grouping == nil && t.groupField.field != "" {
		l.grouping = l.Group(table.Auto, t.line != nil)
	}
	if l.grouping == nil {
		return l
	}
	t.groupField.found = t.groupField.found || l.grouping.By == t.groupField.field
	if n := l.grouping.Len(); n <= *t.room {
		*t.room -= n
	} else {
		l.grouping = nil
	}
	return l
}

// formatHeader returns the header above the index of the top level.
func (l level) formatHeader(j *job) string {
	noun := l.noun
	first := j.formatHeading(noun)
	if l.grouping != nil {
		first = first[:len(first)-1] + ", grouped by " + l.grouping.By + "\n"
	}
	if schema := l.Schema(l.grouping); schema != "" {
		first += schema + "\n"
	}
	return first
}

// estimateIndex returns the estimated size of the index that the host will print: the
// lines of this level, and of deeper levels while lines are left.
func (l level) estimateIndex(j *job) int {
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

// addSections adds the sections of the top level, then those of every node with
// children, starting at node first.
func (t *tree) addSections(top level, first int32) error {
	t.section = make(map[int32]int)
	t.id, t.title = make([]byte, 0, lineRoom), make([]byte, 0, lineRoom)
	if err := t.addChildren(&top, stage.Top); err != nil {
		return err
	}
	for i := first; i < int32(t.scan.Len()); i++ {
		if !t.scan.IsSplit(i) {
			continue
		}
		l, at := t.readLevel(i), t.section[i]
		t.in = i
		if err := t.addChildren(&l, at); err != nil {
			return err
		}
		if schema := l.Schema(l.grouping); schema != "" {
			t.keepHeader(i, &l, schema)
			if err := t.summarize(at, schema); err != nil {
				return err
			}
		}
	}
	return nil
}

// addChildren adds the rows of one level below a section.
func (t *tree) addChildren(l *level, parent int) error {
	if l.grouping == nil {
		for row := range l.Len() {
			if err := t.addRow(l, row, parent); err != nil {
				return err
			}
		}
		return nil
	}
	if err := t.addGroups(l, parent); err != nil {
		return err
	}
	slices.Sort(l.grouping.Rest) // siblings are in text order
	for _, row := range l.grouping.Rest {
		if err := t.addRow(l, int(row), parent); err != nil {
			return err
		}
	}
	return nil
}

// addGroups adds the groups of a level and their rows. The table limits their depth.
func (t *tree) addGroups(l *level, parent int) error {
	parents := []int{parent} // section of the current group of each level
	return l.grouping.Walk(func(p *table.Part, rows []int32, level int) error {
		id, title := l.grouping.AppendID(t.id, p), l.grouping.AppendTitle(t.title, p)
		group, err := t.group(parents[level], unsafeString(id), unsafeString(title))
		if err != nil {
			return err
		}
		parents = append(parents[:level+1], group)
		for _, row := range rows {
			if err := t.addRow(l, int(row), group); err != nil {
				return err
			}
		}
		return nil
	})
}

// addRow adds the section of one row.
func (t *tree) addRow(l *level, row, parent int) error {
	node := l.Node(row)
	n := t.scan.Node(node)
	start, end := int(n.Start), int(n.End)
	id, title := t.id, t.title // a buffer that grows is not kept: this is rare, and storing the pointer costs more
	switch {
	case n.Depth == 0:
		start, end = json.ExtendToLines(t.b, start, end)
		id = caption.AppendNumber(append(id, 'L'), t.line.line(row))
		title = l.AppendTitle(title, row, id)
	case isOwnTitle(n):
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
			return t.splitString(node, at)
		}
	case t.scan.IsSplit(node):
		t.section[node] = at
	}
	return nil
}

// isOwnTitle reports whether a value is an array element whose text is its title.
// Most elements of large arrays are.
func isOwnTitle(n *json.Node) bool {
	return !n.HasKey() && (n.Kind <= json.Number && n.Size() <= maxTitle || n.Kind != json.Text && n.Size() == len("{}"))
}
