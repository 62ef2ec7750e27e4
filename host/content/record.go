package content

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
)

// Info is what is known of an Original beside its bytes.
type Info struct {
	Type   abi.ContentType
	Source string
	MIME   string
	Hint   string
	Part   abi.Part
}

// View is what stages made of an Original: the tree that drill-down walks, and
// the text of the first index as the last stage left it.
type View struct {
	Tree  abi.Tree
	Text  []byte
	Marks []abi.Mark

	// Key names the View: equal Keys, equal Views. It saves writing one again that
	// is there already, and is not stored. Zero: unknown.
	Key [32]byte
}

// record is the file of one Ref: a head and, once SetView was called, a view.
// Each has a checksum of its own, so that a view that is damaged does not take
// the Original with it.
type record struct {
	hash    hash
	project string // who stored it; "" in a file of version 1
	info    Info
	view    *View
	sum     checksum // of the view; zero without one
}

type checksum [sha256.Size]byte

// A file is version, checksum of the head, length of the head, head, checksum of
// the view, view. Both are varints and strings with their length.
// Version 1 has no project.
const recordVersion = 2

// headBytes are enough for a version, a checksum and a head of usual length.
const headBytes = 4096

// Least bytes that a Section and a mark take, and most Sections of a tree: a
// count that the rest cannot hold is refused before anything is allocated.
const (
	sectionBytes = 8
	markBytes    = 4
	maxSections  = 65536
)

var errRecord = errors.New("record is damaged")

// encode writes the file and sets sum.
func (r *record) encode() []byte {
	head := encoder(r.hash[:])
	for _, s := range [...]string{string(r.info.Type), r.info.Source, r.info.MIME, r.info.Hint, r.info.Part.Kind} {
		head.string(s)
	}
	head.int(r.info.Part.Index)
	head.int(r.info.Part.Count)
	head.string(r.project)
	file := encoder{recordVersion}
	sum := sha256.Sum256(head)
	file = append(file, sum[:]...)
	file.string(string(head))
	if r.sum = (checksum{}); r.view == nil {
		return file
	}
	at := len(file)
	file = slices.Grow(file, r.view.roughSize())
	file = append(file, r.sum[:]...)
	file.view(r.view)
	r.sum = sha256.Sum256(file[at+len(r.sum):])
	copy(file[at:], r.sum[:])
	return file
}

// decodeRecord reads what encode wrote. A damaged head is errRecord, a damaged
// view is left out.
func decodeRecord(b []byte) (record, error) {
	r, err := decodeHead(b)
	if err != nil {
		return record{}, err
	}
	d := decoder{rest: string(b[1+sha256.Size:])} // one copy: all strings of the view are parts of it
	d.string()                                    // the head
	if view := b[len(b)-len(d.rest):]; len(view) > sha256.Size && sha256.Sum256(view[sha256.Size:]) == checksum(view) {
		d.rest = d.rest[sha256.Size:]
		if v := d.view(); !d.bad && d.rest == "" {
			r.view, r.sum = v, checksum(view)
		}
	}
	return r, nil
}

// decodeHead reads a record without its view, of which b may be a part or nothing.
func decodeHead(b []byte) (record, error) {
	var r record
	if len(b) < 1+sha256.Size || b[0] == 0 || b[0] > recordVersion {
		return r, errRecord
	}
	d := decoder{rest: string(b[1+sha256.Size : min(len(b), headBytes)])}
	head := d.string()
	if d.bad { // longer than usual
		d = decoder{rest: string(b[1+sha256.Size:])}
		head = d.string()
	}
	if len(head) < len(r.hash) || sha256.Sum256([]byte(head)) != checksum(b[1:]) {
		return r, errRecord
	}
	copy(r.hash[:], head)
	h := decoder{rest: head[len(r.hash):]}
	r.info = Info{
		Type: abi.ContentType(h.string()), Source: h.string(), MIME: h.string(), Hint: h.string(),
		Part: abi.Part{Kind: h.string(), Index: h.int(), Count: h.int()},
	}
	if b[0] > 1 {
		r.project = h.string()
	}
	if h.bad || h.rest != "" {
		return record{}, errRecord
	}
	return r, nil
}

type encoder []byte

func (e *encoder) int(n int)       { *e = binary.AppendVarint(*e, int64(n)) }
func (e *encoder) string(s string) { e.int(len(s)); *e = append(*e, s...) }

// roughSize is about what encode will write, mostly a little more.
func (v *View) roughSize() int {
	n := 1024 + len(v.Text) + 16*len(v.Marks) + 20*len(v.Tree.Sections)
	for i := range v.Tree.Sections {
		s := &v.Tree.Sections[i]
		n += len(s.ID) + len(s.Title) + len(s.Summary) + len(s.Body)
	}
	return n
}

func (e *encoder) view(v *View) {
	e.string(v.Tree.Type)
	e.int(len(v.Tree.Sections))
	at := 0 // sections mostly follow each other: differences are short
	for i := range v.Tree.Sections {
		s := &v.Tree.Sections[i]
		e.int(i - s.Parent)
		*e = append(*e, byte(s.Kind))
		e.int(s.Start - at)
		e.int(s.End - s.Start)
		at = s.Start
		if s.Kind == abi.SectionDecoded {
			e.int(s.Literal[0])
			e.int(s.Literal[1])
		}
		e.string(s.ID)
		e.string(s.Title)
		e.string(s.Summary)
		if s.Kind == abi.SectionDerived {
			e.string(string(s.Body))
		} else {
			e.int(0)
		}
	}
	e.string(string(v.Text))
	e.int(len(v.Marks))
	for _, m := range v.Marks {
		e.int(m.Offset)
		e.int(m.Section)
		e.int(m.Lines)
		e.int(m.Bytes)
	}
}

// decoder reads on with zero values after the first fault.
type decoder struct {
	rest string
	bad  bool
}

func (d *decoder) fail() {
	d.bad, d.rest = true, ""
}

func (d *decoder) int() int {
	var n uint64
	for i := 0; i < len(d.rest) && i < binary.MaxVarintLen64; i++ {
		c := d.rest[i]
		n |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			d.rest = d.rest[i+1:]
			return int(int64(n>>1) ^ -int64(n&1))
		}
	}
	d.fail()
	return 0
}

func (d *decoder) byte() byte {
	if d.rest == "" {
		d.fail()
		return 0
	}
	c := d.rest[0]
	d.rest = d.rest[1:]
	return c
}

func (d *decoder) string() string {
	n := d.int()
	if n < 0 || n > len(d.rest) {
		d.fail()
		return ""
	}
	s := d.rest[:n]
	d.rest = d.rest[n:]
	return s
}

// count reads how many things of at least size bytes follow.
func (d *decoder) count(size int) int {
	n := d.int()
	if n < 0 || n > len(d.rest)/size {
		d.fail()
		return 0
	}
	return n
}

func (d *decoder) view() *View {
	v := &View{Tree: abi.Tree{Type: d.string()}}
	if n := d.count(sectionBytes); n > maxSections {
		d.fail()
	} else if n > 0 {
		v.Tree.Sections = make([]abi.Section, n)
	}
	at := 0
	for i := range v.Tree.Sections {
		s := &v.Tree.Sections[i]
		s.Parent = i - d.int()
		s.Kind = abi.SectionKind(d.byte())
		s.Start = at + d.int()
		s.End = s.Start + d.int()
		at = s.Start
		if s.Kind == abi.SectionDecoded {
			s.Literal = [2]int{d.int(), d.int()}
		}
		s.ID, s.Title, s.Summary = d.string(), d.string(), d.string()
		if body := d.string(); body != "" {
			s.Body = []byte(body)
		}
	}
	if text := d.string(); text != "" {
		v.Text = []byte(strings.Clone(text))
	}
	for range d.count(markBytes) {
		v.Marks = append(v.Marks, abi.Mark{Offset: d.int(), Section: d.int(), Lines: d.int(), Bytes: d.int()})
	}
	return v
}
