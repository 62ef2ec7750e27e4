package content

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
)

// Info is the metadata of an Original.
type Info struct {
	Type   abi.ContentType
	Source string
	MIME   string
	Hint   string
	Part   abi.Part

	Wrapper string // see flow.Content
}

// View is the result of the stages for an Original: the tree for drill-down and the
// text of the first index.
type View struct {
	Tree  abi.Tree
	Text  []byte
	Marks []abi.Mark

	// Key identifies the View: equal Keys mean equal Views. SetView uses it to skip
	// a repeated write. It is not stored; zero means unknown.
	Key [32]byte
}

// record is the file of one Ref: a head and, after SetView, a view. Each has its own
// checksum, so that the Original stays readable if the view is damaged. The checksums
// include the Ref, so that the record of another Ref in its place is damaged.
type record struct {
	hash    hash
	project string // that stored it; "" in a file of version 1
	info    Info
	view    *View
	sum     checksum // of the view; zero without a view
}

type checksum [sha256.Size]byte

// recordVersion is the first byte of a file. The rest is: checksum of the head, length
// of the head, head, checksum of the view, view. Head and view consist of varints and
// of strings with their length. Version 1 has no project; the checksums of versions 1
// and 2 do not include the Ref.
const recordVersion = 3

// headBytes is the size of version, checksum and a head of usual length.
const headBytes = 4096

// Minimum bytes of a Section and a mark, and maximum Sections of a tree. A count that
// exceeds the rest of the file is rejected before any allocation.
const (
	minSectionBytes = 8
	minMarkBytes    = 4
	maxSections     = 65536
)

var errRecord = errors.New("record is damaged")

// sumRecord returns the checksum of a head or view of the record of a Ref.
func sumRecord(version byte, ref string, b []byte) (sum checksum) {
	h := sha256.New()
	if version > 2 {
		h.Write([]byte(ref))
	}
	h.Write(b)
	h.Sum(sum[:0])
	return sum
}

// encode returns the contents of the file of a Ref and sets sum.
func (r *record) encode(ref string) []byte {
	head := r.encodeHead()
	file := encoder{recordVersion}
	sum := sumRecord(recordVersion, ref, head)
	file = append(file, sum[:]...)
	file.string(string(head))
	if r.sum = (checksum{}); r.view == nil {
		return file
	}
	at := len(file)
	file = slices.Grow(file, r.view.roughSize())
	file = append(file, r.sum[:]...)
	file.view(r.view)
	r.sum = sumRecord(recordVersion, ref, file[at+len(r.sum):])
	copy(file[at:], r.sum[:])
	return file
}

func (r *record) encodeHead() encoder {
	head := encoder(append(make([]byte, 0, 128), r.hash[:]...))
	for _, s := range [...]string{string(r.info.Type), r.info.Source, r.info.MIME, r.info.Hint, r.info.Part.Kind} {
		head.string(s)
	}
	head.int(r.info.Part.Index)
	head.int(r.info.Part.Count)
	head.string(r.project)
	if r.info.Wrapper != "" { // last, because earlier versions did not write it
		head.string(r.info.Wrapper)
	}
	return head
}

// decodeRecord is the inverse of encode. It returns errRecord for a damaged head and
// omits a damaged view.
func decodeRecord(ref string, b []byte) (record, error) {
	r, err := decodeHead(ref, b)
	if err != nil {
		return record{}, err
	}
	d := decoder{rest: string(b[1+sha256.Size:])} // one copy, shared by all strings of the view
	d.string()                                    // skip the head
	if view := b[len(b)-len(d.rest):]; len(view) > sha256.Size && sumRecord(b[0], ref, view[sha256.Size:]) == checksum(view) {
		d.rest = d.rest[sha256.Size:]
		if v := d.view(); !d.bad && d.rest == "" {
			r.view, r.sum = v, checksum(view)
		}
	}
	return r, nil
}

// decodeHead decodes a record without its view. b may end anywhere in the view.
func decodeHead(ref string, b []byte) (record, error) {
	var r record
	if len(b) < 1+sha256.Size || b[0] == 0 || b[0] > recordVersion {
		return r, errRecord
	}
	d := decoder{rest: string(b[1+sha256.Size : min(len(b), headBytes)])}
	head := d.string()
	if d.bad { // the head is longer than headBytes
		d = decoder{rest: string(b[1+sha256.Size:])}
		head = d.string()
	}
	if len(head) < len(r.hash) || sumRecord(b[0], ref, []byte(head)) != checksum(b[1:]) {
		return r, errRecord
	}
	if !r.parseHead(head, b[0]) {
		return record{}, errRecord
	}
	return r, nil
}

// parseHead is the inverse of encodeHead, for any version. It reports false for an
// invalid head.
func (r *record) parseHead(head string, version byte) bool {
	copy(r.hash[:], head)
	h := decoder{rest: head[len(r.hash):]}
	r.info = Info{
		Type: abi.ContentType(h.string()), Source: h.string(), MIME: h.string(), Hint: h.string(),
		Part: abi.Part{Kind: h.string(), Index: h.int(), Count: h.int()},
	}
	if version > 1 {
		r.project = h.string()
	}
	if h.rest != "" {
		r.info.Wrapper = h.string()
	}
	return !h.bad && h.rest == ""
}

type encoder []byte

func (e *encoder) int(n int)       { *e = binary.AppendVarint(*e, int64(n)) }
func (e *encoder) string(s string) { e.int(len(s)); *e = append(*e, s...) }

// roughSize returns an estimate of the encoded size, usually slightly too large.
func (v *View) roughSize() int {
	n := 1024 + len(v.Text) + len(v.Tree.Syntax) + 16*len(v.Marks) + 20*len(v.Tree.Sections)
	for i := range v.Tree.Sections {
		s := &v.Tree.Sections[i]
		n += len(s.ID) + len(s.Title) + len(s.Summary) + len(s.Body)
	}
	return n
}

func (e *encoder) view(v *View) {
	e.string(v.Tree.Type)
	e.int(len(v.Tree.Sections))
	at := 0 // offsets are stored as differences, which are usually small
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
	if v.Tree.Syntax != "" { // last, because earlier versions did not write it
		e.string(v.Tree.Syntax)
	}
}

// decoder decodes values from rest. After the first error, bad is set and all values
// are zero.
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

// count reads the number of following elements of at least size bytes each.
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
	if n := d.count(minSectionBytes); n > maxSections {
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
	for range d.count(minMarkBytes) {
		v.Marks = append(v.Marks, abi.Mark{Offset: d.int(), Section: d.int(), Lines: d.int(), Bytes: d.int()})
	}
	if d.rest != "" {
		v.Tree.Syntax = d.string()
	}
	return v
}
