package pipeline

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"maps"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
)

// A cached value, little-endian:
//
//	version u8, flags u8 (1: PASS)
//	hash of the output [32] (not with PASS), hash of the shape [32]
//	meta, shape: length as uvarint, bytes
//	output: length as uvarint, bytes (not with PASS)
//	CRC-32C of all previous bytes, u32
//
// With the hashes, a pass whose steps are all cached needs neither hash nor decode
// the intermediate values.
const (
	valueVersion = 1
	flagPass     = 1
)

var errValue = errors.New("damaged cache value")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// value is the result of a run as stored in the cache. Its slices are parts of the
// encoded form.
type value struct {
	pass      bool
	hash      [32]byte // of output, if not pass
	output    []byte
	shapeHash [32]byte
	shape     []byte // appendShape
	meta      []byte // appendMeta
}

// newValue prepares the result of a run for the cache and for the next step.
func newValue(out *abi.Output) value {
	v := value{pass: out.Pass, shape: appendShape(nil, out.Marks, &out.Tree), meta: appendMeta(nil, out.Meta)}
	v.shapeHash = sha256.Sum256(v.shape)
	if !out.Pass {
		v.output = out.Bytes
		v.hash = sha256.Sum256(out.Bytes)
	}
	return v
}

// hasMarks reports whether the shape, which begins with the number of marks, has any.
func (v *value) hasMarks() bool { return len(v.shape) > 0 && v.shape[0] != 0 }

func (v *value) encode() []byte {
	b := make([]byte, 0, 96+len(v.meta)+len(v.shape)+len(v.output))
	if v.pass {
		b = append(b, valueVersion, flagPass)
	} else {
		b = append(b, valueVersion, 0)
		b = append(b, v.hash[:]...)
	}
	b = append(b, v.shapeHash[:]...)
	b = appendBytes(b, v.meta)
	b = appendBytes(b, v.shape)
	if !v.pass {
		b = appendBytes(b, v.output)
	}
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// decodeValue decodes the result of encode. It returns errValue for other bytes.
// Shape and meta are decoded later.
func decodeValue(b []byte) (v value, err error) {
	const least = 2 + 32 + 1 + 1 + 4
	if len(b) < least || b[0] != valueVersion || b[1]&^flagPass != 0 {
		return value{}, errValue
	}
	body := b[:len(b)-4]
	if crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(b[len(b)-4:]) {
		return value{}, errValue
	}
	d := decoder{b: body[2:]}
	v.pass = b[1]&flagPass != 0
	if !v.pass {
		copy(v.hash[:], d.take(len(v.hash)))
	}
	copy(v.shapeHash[:], d.take(len(v.shapeHash)))
	v.meta, v.shape = d.bytes(), d.bytes()
	if !v.pass {
		v.output = d.bytes()
	}
	if !d.done() {
		return value{}, errValue
	}
	return v, nil
}

// appendShape encodes the result of a step except its bytes: marks and tree.
func appendShape(b []byte, marks []abi.Mark, t *abi.Tree) []byte {
	b = binary.AppendUvarint(b, uint64(len(marks)))
	for _, m := range marks {
		b = appendInts(b, m.Offset, m.Section, m.Lines, m.Bytes)
	}
	b = appendBytes(b, t.Type)
	b = binary.AppendUvarint(b, uint64(len(t.Sections)))
	for i := range t.Sections {
		s := &t.Sections[i]
		b = appendInts(b, s.Parent, int(s.Kind), s.Start, s.End, s.Literal[0], s.Literal[1])
		b = appendBytes(b, s.ID)
		b = appendBytes(b, s.Title)
		b = appendBytes(b, s.Summary)
		b = appendBytes(b, s.Body)
	}
	if t.Syntax != "" { // last, because earlier versions did not write it
		b = appendBytes(b, t.Syntax)
	}
	return b
}

// Minimum sizes of an encoded mark and Section. A count for which the remaining
// bytes are too few is rejected before anything is allocated.
const (
	leastMark    = 4
	leastSection = 6 + 4
)

func decodeShape(b []byte) (marks []abi.Mark, t abi.Tree, err error) {
	d := decoder{b: b}
	if n := d.count(leastMark); n > 0 {
		marks = make([]abi.Mark, n)
	}
	for i := range marks {
		m := &marks[i]
		d.ints(&m.Offset, &m.Section, &m.Lines, &m.Bytes)
	}
	t.Type = string(d.bytes())
	if n := d.count(leastSection); n > 0 {
		t.Sections = make([]abi.Section, n)
	}
	for i := range t.Sections {
		s, kind := &t.Sections[i], 0
		d.ints(&s.Parent, &kind, &s.Start, &s.End, &s.Literal[0], &s.Literal[1])
		s.Kind = abi.SectionKind(kind)
		s.ID, s.Title, s.Summary = string(d.bytes()), string(d.bytes()), string(d.bytes())
		if body := d.bytes(); len(body) > 0 {
			s.Body = body
		}
	}
	if len(d.b) > 0 {
		t.Syntax = string(d.bytes())
	}
	if !d.done() {
		return nil, abi.Tree{}, errValue
	}
	return marks, t, nil
}

func appendMeta(b []byte, meta map[string]string) []byte {
	b = binary.AppendUvarint(b, uint64(len(meta)))
	for _, k := range slices.Sorted(maps.Keys(meta)) {
		b = appendBytes(b, k)
		b = appendBytes(b, meta[k])
	}
	return b
}

func decodeMeta(b []byte) (map[string]string, error) {
	d := decoder{b: b}
	n := d.count(2)
	if n == 0 && d.done() {
		return nil, nil
	}
	meta := make(map[string]string, n)
	for range n {
		k := string(d.bytes())
		meta[k] = string(d.bytes())
	}
	if !d.done() {
		return nil, errValue
	}
	return meta, nil
}

func appendBytes[T ~[]byte | ~string](b []byte, s T) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}

func appendInts(b []byte, ns ...int) []byte {
	for _, n := range ns {
		b = binary.AppendVarint(b, int64(n))
	}
	return b
}

// decoder reads fields. After the first truncated field it reads zeros, and done
// returns false.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) take(n int) []byte {
	if n < 0 || n > len(d.b) {
		d.bad, d.b = true, nil
		return nil
	}
	s := d.b[:n:n]
	d.b = d.b[n:]
	return s
}

func (d *decoder) uvarint() uint64 {
	n, w := binary.Uvarint(d.b)
	if w <= 0 {
		d.bad, d.b = true, nil
		return 0
	}
	d.b = d.b[w:]
	return n
}

func (d *decoder) bytes() []byte {
	n := d.uvarint()
	if n > uint64(len(d.b)) {
		d.bad, d.b = true, nil
		return nil
	}
	return d.take(int(n))
}

// count reads the number of items that take at least "least" bytes each.
func (d *decoder) count(least int) int {
	n := d.uvarint()
	if n > uint64(len(d.b)/least) {
		d.bad, d.b = true, nil
		return 0
	}
	return int(n)
}

func (d *decoder) ints(ns ...*int) {
	for _, p := range ns {
		n, w := binary.Varint(d.b)
		if w <= 0 {
			d.bad, d.b = true, nil
			return
		}
		*p, d.b = int(n), d.b[w:]
	}
}

func (d *decoder) done() bool { return !d.bad && len(d.b) == 0 }
