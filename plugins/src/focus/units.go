package focus

import (
	"github.com/mcpctl/mcpctl/plugins/src/internal/passage"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// unit is a part of the content that is shown whole or not at all: a record, a chapter, a
// function, or neighbouring members of an object that are small.
type unit struct {
	section    int // whose part it is, -1 if it belongs to none
	start, end int // in the original, or in the text of the section if that is decoded
	decoded    bool
}

// document is the content in units.
type document struct {
	c        *stage.Ctx
	text     []byte // the original
	sections []stage.Section
	children [][]int // by section+1: its children in the order of the text; groups are replaced by their members
	units    []unit
	most     int            // bytes of a unit, unless a section is a little larger
	bodies   map[int][]byte // texts of decoded sections
	records  bool           // the content is a list of records
}

// readUnits returns the units of a content whose sections were added. most is the size in
// bytes above which a section is divided further.
func readUnits(c *stage.Ctx, most int) *document {
	d := &document{c: c, text: c.Original.Bytes(), sections: c.Sections.List(), most: most, bodies: make(map[int][]byte)}
	d.children = childrenOf(d.sections)
	if len(d.sections) == 0 {
		d.cut(unit{section: -1, end: len(d.text)})
		return d
	}
	d.add(d.children[0])
	return d
}

// childrenOf returns the children of each section, those of the top level first. Members of
// a group count as children of its parent, sorted by their position.
func childrenOf(sections []stage.Section) [][]int {
	counts := make([]int, len(sections)+1)
	parents := make([]int, len(sections))
	for i, s := range sections {
		parent := s.Parent
		for parent >= 0 && sections[parent].Kind == stage.Group {
			parent = sections[parent].Parent
		}
		parents[i] = parent
		if s.Kind != stage.Group {
			counts[parent+1]++
		}
	}
	children := make([][]int, len(counts))
	for i, n := range counts {
		if n > 0 {
			children[i] = make([]int, 0, n)
		}
	}
	for i, s := range sections {
		if s.Kind != stage.Group {
			children[parents[i]+1] = append(children[parents[i]+1], i)
		}
	}
	for _, list := range children {
		sortByStart(list, sections)
	}
	return children
}

// add adds the units of sibling sections. Siblings that are small are joined, unless they are
// records.
func (d *document) add(siblings []int) {
	joined := unit{section: -1}
	flush := func() {
		if joined.end > joined.start {
			d.units = append(d.units, joined)
		}
		joined = unit{section: -1}
	}
	for _, i := range siblings {
		s := &d.sections[i]
		u := unit{section: i, start: s.Start, end: s.End, decoded: s.Kind == stage.Decoded}
		if s.Kind == stage.Exact {
			u.start = d.keyStart(u.start, joined.end)
		}
		switch size := s.End - s.Start; {
		case size > d.most && len(d.children[i+1]) > 0:
			flush()
			d.add(d.children[i+1])
		case size > 2*d.most:
			flush()
			d.cut(u)
		case u.decoded || size >= smallUnit || d.isRecord(u):
			flush()
			d.units = append(d.units, u)
		case joined.end > joined.start && u.end-joined.start <= d.most/2:
			joined.end = u.end
		default:
			flush()
			joined = u
		}
	}
	flush()
}

// smallUnit is the size below which siblings are joined.
const smallUnit = 120

// keyStart returns the start of the key of a member of a JSON object, or start if the value
// has none. It is not before least.
func (d *document) keyStart(start, least int) int {
	at := skipBlanksBack(d.text, start)
	if at <= least || d.text[at-1] != ':' {
		return start
	}
	at = skipBlanksBack(d.text, at-1)
	if at <= least+1 || d.text[at-1] != '"' {
		return start
	}
	for from := at - 2; from >= least && at-from < maxKey; from-- {
		if d.text[from] == '"' && (from == 0 || d.text[from-1] != '\\') {
			return from
		}
	}
	return start
}

// maxKey is the length of the longest key that is looked for.
const maxKey = 300

// isRecord reports whether a unit is a record: an element of a JSON array, or a whole line.
func (d *document) isRecord(u unit) bool {
	at := skipBlanksBack(d.text, u.start)
	if at > 0 && (d.text[at-1] == '[' || d.text[at-1] == ',') && u.start == d.sections[u.section].Start && d.text[u.start] != '"' {
		return true
	}
	return (u.start == 0 || d.text[u.start-1] == '\n') && d.text[u.end-1] == '\n' && d.isFlat()
}

// isFlat reports whether most sections are at the top or in groups: the lines of a log or a
// table.
func (d *document) isFlat() bool {
	return len(d.children[0])*10 >= len(d.sections)*8
}

// cut adds the units of a part that has no sections and is too large.
func (d *document) cut(u unit) {
	text := d.bytes(&u)
	for _, p := range passage.Chunks(text, d.most) {
		d.units = append(d.units, unit{section: u.section, start: u.start + p.Start, end: u.start + p.End, decoded: u.decoded})
	}
}

// bytes returns the text of a unit.
func (d *document) bytes(u *unit) []byte {
	if u.decoded {
		base := d.sections[u.section].Start
		body := d.body(u.section)
		return body[min(u.start-base, len(body)):min(u.end-base, len(body))]
	}
	return d.text[u.start:u.end]
}

// body returns the text of a decoded section.
func (d *document) body(section int) []byte {
	if b, ok := d.bodies[section]; ok {
		return b
	}
	buf, err := d.c.Sections.Text(section, stage.TextBody)
	if err != nil {
		return nil
	}
	b := append([]byte(nil), buf.Bytes()...)
	buf.Free()
	d.bodies[section] = b
	return b
}

// tokens returns the estimated tokens of a unit.
func (d *document) tokens(u *unit) int {
	if !u.decoded {
		return d.c.Original.Tokens(u.start, u.end-u.start)
	}
	return len(d.bytes(u))/bytesPerToken + 1
}

// title returns the title of a section.
func (d *document) title(section int) string { return d.sectionText(section, stage.TextTitle) }

func (d *document) sectionText(section int, what stage.SectionText) string {
	buf, err := d.c.Sections.Text(section, what)
	if err != nil {
		return ""
	}
	text := string(buf.Bytes())
	buf.Free()
	return text
}

func skipBlanksBack(text []byte, at int) int {
	for at > 0 && (text[at-1] == ' ' || text[at-1] == '\n' || text[at-1] == '\t' || text[at-1] == '\r') {
		at--
	}
	return at
}
