// Package section turns one Original and the tree that stages made of it into
// what a client reads: bounded indexes, exact leaves, windows of long ones,
// search, and the answer to any path.
//
// Everything is a pure function of (original, tree, settings): New checks and
// completes the tree, Doc.Finish prints the index where a stage marked the
// place, Doc.Read answers read_section. A leaf is always a range of bytes of the
// Original (or of a decoded string in it), whatever a stage said.
//
// It stores nothing, runs no stage and knows no session; host/content keeps the
// Original and the tree, host puts both together.
package section

import (
	"bytes"
	"sync"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// Doc is one Original with its tree, checked and completed: what no Section
// covers is a leaf too. It is read-only and safe for concurrent use.
type Doc struct {
	set      Settings
	first    First
	typeName string
	sections []abi.Section
	syntax   syntax // how the named type separates its parts
	named    bool   // the type was named: its syntax is not guessed part by part
	original *space
	literals map[[2]int]*space

	owner []int32 // nearest ancestor that is no group: ids are unique below it
	home  []int32 // nearest ancestor whose bytes hold the Section: no group, not derived
	rank  []int32 // position among the Sections of the same home, by place
	size  []int   // bytes; of a group the sum of its members
	mixed []bool  // something below is not a plain range of the same bytes

	kids  lists // children by parent
	cover lists // exact and decoded Sections by home, sorted by place
	ids   idTable

	// containers holds for each Section that a path went below whether it is a
	// JSON container: to know that, all of it is looked at.
	containers *sync.Map // int32 to bool
}

// space is a text that parts are ranges of: the Original, a decoded string, the
// body of a derived Section.
type space struct {
	text    []byte
	kind    flow.AnswerKind // of a leaf in it
	literal [2]int          // decoded: where the string stands in the Original
	syntax  syntax          // decoded: what separates its parts
	lines   lineTable
}

// New checks and completes tree for original. A zero Tree is fine: the content
// is then served in windows.
//
// The caller must not modify original or tree while the Doc is in use.
// Errors: abi.ErrGuest if the tree breaks a rule of the contract: a span outside
// its parent, inside a character or over another's, a bad or doubled id. The
// caller then goes on with the zero Tree; nothing of the content is lost.
// Speed: about 100 ns a Section; nothing is rendered or copied.
func New(original []byte, tree abi.Tree, set Settings) (*Doc, error) {
	d := &Doc{
		set:      set.withDefaults(),
		typeName: typeName(tree.Type),
		sections: tree.Sections,
		original: &space{text: original, kind: flow.AnswerLeaf},
		literals: map[[2]int]*space{},

		containers: new(sync.Map),
	}
	d.syntax, d.named = syntaxOf(tree.Type)
	if err := d.link(); err != nil {
		return nil, err
	}
	if err := d.verify(); err != nil {
		return nil, err
	}
	d.measure()
	return d, nil
}

// Size is about how many bytes of memory a Doc keeps from being freed: original,
// tree and what was made of both.
func (d *Doc) Size() int {
	const perSection = 170 // 120 of it the Section itself
	n := len(d.original.text) + len(d.first.Text) + len(d.sections)*perSection
	for i := range d.sections {
		s := &d.sections[i]
		n += len(s.ID) + len(s.Title) + len(s.Summary) + len(s.Body)
	}
	for _, sp := range d.literals {
		n += len(sp.text)
	}
	return n
}

// typeName is the type as a line may say it.
func typeName(named string) string {
	if name := clean([]byte(named), 40); name != "" && name[0] != '[' {
		return name
	}
	return "text"
}

// partKind says what a part is.
type partKind uint8

const (
	partSection partKind = iota // a Section of the tree, or the whole (sec -1)
	partGap                     // bytes that no Section covers
	partFold                    // neighbours folded into one line
	partValue                   // a JSON value below the last Section
	partRange                   // a window of a long part, a piece of "id!"
	partSet                     // all that a path fits
	partElement                 // an element in a leaf of XML that a path leads to
)

// part is anything that a path can name and an answer can be about.
type part struct {
	kind       partKind
	sec        int32  // the Section; of a gap its home; else the Section it lies in
	from       int32  // gap: number from 0; fold: position of its first member
	rank       int32  // place in its home: of a Section its own, of a gap that of the next one
	space      *space // nil for a group and a fold
	start, end int
	*origin    // fold, value, range, set, element; nil for the others
}

// origin says what a part that is no Section and no gap was made of. It stands
// apart because lists of 40,000 parts are made of the others.
type origin struct {
	base    *part  // what it is a part of
	members []part // fold, set
	byID    bool   // fold: named by the ids of its members
	exact   []part // set: what just is what the path names, where members hold more than that
	tail    string // value, range: what follows the path of base, with its sign; set: its path
}

func (d *Doc) top() part {
	return part{kind: partSection, sec: -1, space: d.original, end: len(d.original.text)}
}

func (d *Doc) part(i int32) part {
	if i < 0 {
		return d.top()
	}
	s := &d.sections[i]
	p := part{kind: partSection, sec: i, rank: d.rank[i], start: s.Start, end: s.End}
	switch s.Kind {
	case abi.SectionExact:
		p.space = d.original
	case abi.SectionDecoded:
		p.space = d.literals[s.Literal]
	case abi.SectionDerived:
		p.space = &space{text: s.Body, kind: flow.AnswerDerived}
		p.start, p.end = 0, len(s.Body)
	case abi.SectionGroup:
		p.start, p.end = 0, 0
	}
	return p
}

// derive makes a value or range of base.
func derive(kind partKind, base *part, start, end int, tail string) part {
	return part{kind: kind, sec: base.sec, space: base.space, start: start, end: end, origin: &origin{base: base, tail: tail}}
}

func (p *part) bytes() []byte {
	if p.space == nil {
		return nil
	}
	return p.space.text[p.start:p.end]
}

func (d *Doc) isKind(p *part, kind abi.SectionKind) bool {
	return p.kind == partSection && p.sec >= 0 && d.sections[p.sec].Kind == kind
}

// partSize is what the line of a part says: of a group or fold the sum of its
// members, else its own bytes.
func (d *Doc) partSize(p *part) int {
	if p.kind == partSection && p.sec >= 0 {
		return d.size[p.sec]
	}
	return p.end - p.start
}

// blanks are the white space that no reader misses in a listing; rarer kinds, as
// vertical tabs and the wide blanks of Unicode, are content.
const blanks = " \t\r\n\f"

// isBlank reports whether there is nothing but white space.
func isBlank(b []byte) bool { return len(bytes.TrimLeft(b, blanks)) == 0 }
