package explore

import (
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/jsonplace"
	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/internal/textlines"
	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// Limits on the values read and shown.
const (
	maxElements = 100   // of each array
	maxValues   = 20000 // in total
	maxMembers  = 60    // different keys of an object that are shown
	maxRows     = 300
	maxRow      = 500  // bytes
	maxSample   = 40   // bytes
	maxIndex    = 4096 // bytes of the index of a text
)

// structure describes the structure of a content.
type structure struct{ depth int }

func (s structure) ask(a *answer, c content) (problem string) {
	list, byLine, ok := readValues(c.Buf)
	if !ok {
		describeText(a, c)
		return ""
	}
	w := &walker{most: s.depth}
	top := newShape()
	if byLine {
		n := textlines.Count(c.Buf)
		a.writeText("JSON in " + formatCount(n, "line") + ", " + formatBytes(c.Len()) + "\n")
		top.arrays, top.elements, top.looked = 1, n, min(n, maxElements)
		top.element = newShape()
		list(func(v value) bool {
			w.visit(v, top.element, 1)
			return top.element.seen < maxElements && w.values < maxValues
		})
	} else {
		list(func(v value) bool { w.visit(v, top, 0); return true })
	}
	t := &table{answer: a}
	t.writeRow("", "$", top, 1)
	if w.values >= maxValues {
		a.addNote("looked at the first " + strconv.Itoa(w.values) + " values")
	}
	return ""
}

func formatBytes(n int) string { return formatCount(n, "byte") }

func formatCount(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

// shape summarizes the values at one place.
type shape struct {
	seen     int
	kinds    [6]int // by stage.Kind
	bytes    int    // of the largest value
	sample   string // of a scalar
	arrays   int
	elements int // in all arrays
	looked   int // elements that were read
	element  *shape
	keys     []string
	members  map[string]*shape
	others   int // members with keys beyond maxMembers
}

func newShape() *shape { return &shape{} }

// walker visits values up to a depth.
type walker struct{ most, values int }

func (w *walker) visit(v value, s *shape, depth int) {
	w.values++
	s.seen++
	kind := v.kind()
	s.kinds[kind]++
	s.bytes = max(s.bytes, v.at.Len())
	switch kind {
	case stage.KindArray:
		s.arrays++
		w.visitElements(v, s, depth)
	case stage.KindObject:
		w.visitMembers(v, s, depth)
	default:
		if s.sample == "" && kind != stage.KindNull {
			s.sample = caption.Of(v.in.keys.readAt(v.at.Start, min(v.at.Len(), 4*maxSample)), maxSample)
		}
	}
}

func (w *walker) visitElements(v value, s *shape, depth int) {
	s.elements += v.len()
	if s.element == nil {
		s.element = newShape()
	}
	if depth >= w.most {
		return
	}
	v.each(func(c child) bool {
		if c.i == maxElements || w.values >= maxValues {
			return false
		}
		s.looked++
		w.visit(v.child(c), s.element, depth+1)
		return true
	})
}

func (w *walker) visitMembers(v value, s *shape, depth int) {
	if s.members == nil {
		s.members = map[string]*shape{}
	}
	v.each(func(c child) bool {
		m := s.members[c.key]
		switch {
		case m == nil && len(s.keys) == maxMembers:
			s.others++
			return s.others < maxValues
		case m == nil:
			m = newShape()
			s.members[c.key] = m
			s.keys = append(s.keys, c.key)
		}
		if depth >= w.most {
			return true
		}
		w.visit(v.child(c), m, depth+1)
		return w.values < maxValues
	})
}

// table writes shapes as an indented list, one per row.
type table struct {
	*answer
	rows int
	full bool
}

func (t *table) writeRow(indent, name string, s *shape, of int) {
	switch {
	case t.full:
		return
	case t.rows == maxRows || t.room < maxRow:
		t.full = true
		t.addNote("there are more fields; use a lower max_depth")
		return
	}
	t.rows++
	t.writeText(indent + name + s.describe(of) + "\n")
	if s.element != nil && s.element.seen > 0 {
		t.writeRow(indent+"  ", "[]", s.element, s.element.seen)
	}
	for _, key := range s.keys {
		m := s.members[key]
		t.writeRow(indent+"  ", jsonplace.Key("", caption.Of([]byte(key), 2*maxSample)), m, s.kinds[stage.KindObject])
	}
	if s.others > 0 && !t.full {
		t.writeText(indent + "  ... " + strconv.Itoa(s.others) + " members with other keys\n")
	}
}

// describe returns the kinds and sizes of values, and how many of the objects have them.
func (s *shape) describe(of int) string {
	if s.seen == 0 && s.arrays == 0 {
		return ""
	}
	var kinds []string
	for _, k := range []stage.Kind{stage.KindObject, stage.KindArray, stage.KindString, stage.KindNumber, stage.KindBool, stage.KindNull} {
		switch {
		case k == stage.KindArray && s.arrays > 0:
			text := "array of " + strconv.Itoa(s.elements)
			if s.arrays > 1 {
				text = strconv.Itoa(s.arrays) + " arrays of " + strconv.Itoa(s.elements) + " in all"
			}
			if s.looked > 0 && s.looked < s.elements {
				text += ", looked at " + strconv.Itoa(s.looked)
			}
			kinds = append(kinds, text)
		case k == stage.KindObject && s.kinds[k] > 0:
			more := ""
			if s.others > 0 {
				more = "over "
			}
			kinds = append(kinds, "object of "+more+formatCount(len(s.keys), "key"))
		case s.kinds[k] > 0:
			kinds = append(kinds, k.String())
		}
	}
	text := ": " + strings.Join(kinds, " or ")
	if s.bytes > 0 {
		text += ", "
		if s.seen > 1 {
			text += "up to "
		}
		text += formatBytes(s.bytes)
	}
	if s.seen > 0 && s.seen < of {
		text += ", in " + strconv.Itoa(s.seen) + " of " + strconv.Itoa(of)
	}
	if s.sample != "" {
		text += ", e.g. " + s.sample
	}
	return text
}

// describeText describes a text: its length, its beginning, and the index of the host.
func describeText(a *answer, c content) {
	head := make([]byte, min(c.Len(), 4*maxLine))
	_, _ = c.ReadAt(head, 0)
	a.writeText("text, " + formatCount(textlines.Count(c.Buf), "line") + ", " + formatBytes(c.Len()) + ", est. " + strconv.Itoa(c.Tokens(0, -1)) + " tokens\n")
	for at, n := 0, 0; at < len(head) && n < 5; n++ {
		end := lines.End(head, at)
		if line := caption.Of(head[at:end], 2*maxSample); line != "" {
			a.writeText("  " + line + "\n")
		}
		at = end
	}
	index, err := a.c.Section(c.ref, "")
	if err == nil && index.Len() <= maxIndex && index.Len() < c.Len() {
		a.writeText(introduceSections(a.c, c.ref))
		a.writeSpan(index, 0, index.Len())
		a.writeText("\n")
	}
}

// introduceSections introduces an index with the tool that opens its sections. That is
// read_section, or proxy_search if no stage of the project makes sections and
// read_section is not listed.
func introduceSections(c *controller.Ctx, ref string) string {
	for t := range c.Tools() {
		if t.Kind == controller.HostTool && !t.Hidden {
			return "sections, to be read by read_section with ref " + ref + ":\n"
		}
	}
	return "sections; proxy_search with cache_id " + ref + " finds places in them:\n"
}
