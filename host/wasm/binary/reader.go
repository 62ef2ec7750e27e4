package binary

import (
	"encoding/binary"
	"fmt"
	"unicode/utf8"
)

// Reader decodes the binary format. It stops at the first error; every later read
// returns zero, so callers check Err once, at the end of a part.
//
// It never allocates according to a claimed count: Count compares a count with
// the remaining bytes first.
type Reader struct {
	b   []byte
	at  int
	err error // the first error
}

// NewReader returns a Reader of b.
func NewReader(b []byte) *Reader { return &Reader{b: b} }

// Err returns the first error.
func (r *Reader) Err() error { return r.err }

// Offset returns the position of the next byte to read.
func (r *Reader) Offset() int { return r.at }

// Len returns the number of bytes that are not read yet.
func (r *Reader) Len() int { return len(r.b) - r.at }

// Fail records an error, unless there is one, and ends the input.
func (r *Reader) Fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
		r.at = len(r.b)
	}
}

// Rest reads the bytes that are not read yet.
func (r *Reader) Rest() []byte { return r.Bytes(r.Len()) }

// Since returns the bytes that were read since an offset.
func (r *Reader) Since(offset int) []byte { return r.b[offset:r.at] }

// Byte reads one byte.
func (r *Reader) Byte() byte {
	if r.at >= len(r.b) {
		r.Fail("ends too early")
		return 0
	}
	r.at++
	return r.b[r.at-1]
}

// Bytes reads n bytes. The result is part of the underlying slice.
func (r *Reader) Bytes(n int) []byte {
	if n < 0 || n > r.Len() {
		r.Fail("ends too early")
		return nil
	}
	r.at += n
	return r.b[r.at-n : r.at]
}

// U32 reads an unsigned LEB128 number of at most 32 bits.
func (r *Reader) U32() uint32 {
	var v uint32
	for shift := 0; shift < 35; shift += 7 {
		c := r.Byte()
		if shift == 28 && c > 0x0f {
			r.Fail("number of more than 32 bits at byte %d", r.at-1)
			return 0
		}
		v |= uint32(c&0x7f) << shift
		if c < 0x80 {
			return v
		}
	}
	return 0
}

// S64 reads a signed LEB128 number of at most 64 bits.
func (r *Reader) S64() int64 { return r.signed(64) }

// signed reads a signed LEB128 number of at most size bits.
func (r *Reader) signed(size int) int64 {
	var v int64
	for shift := 0; shift < size; {
		c := r.Byte()
		v |= int64(c&0x7f) << shift
		shift += 7
		if c < 0x80 {
			if shift < 64 && c&0x40 != 0 {
				v |= -1 << shift
			}
			return v
		}
	}
	r.Fail("number of more than %d bits at byte %d", size, r.at)
	return 0
}

// Count reads the number of the following entries, each of at least size bytes.
// entries names them in the error.
func (r *Reader) Count(entries string, size int) int {
	n := r.U32()
	if int64(n)*int64(size) > int64(r.Len()) {
		r.Fail("claims %d %s in %d bytes", n, entries, r.Len())
		return 0
	}
	return int(n)
}

// CountAtMost is Count with a limit on the number.
func (r *Reader) CountAtMost(entries string, size, limit int) int {
	n := r.Count(entries, size)
	if n > limit {
		r.Fail("%d %s, limit %d", n, entries, limit)
		return 0
	}
	return n
}

// Name reads a name: its length and UTF-8.
func (r *Reader) Name() string {
	b := r.Bytes(int(r.U32()))
	if !utf8.Valid(b) {
		r.Fail("name is not UTF-8 at byte %d", r.at-len(b))
		return ""
	}
	return string(b)
}

// AppendU32 appends an unsigned LEB128 number.
func AppendU32(dst []byte, v uint32) []byte { return binary.AppendUvarint(dst, uint64(v)) }

// AppendS32 appends a signed LEB128 number.
func AppendS32(dst []byte, v int32) []byte {
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if v == 0 && c&0x40 == 0 || v == -1 && c&0x40 != 0 {
			return append(dst, c)
		}
		dst = append(dst, c|0x80)
	}
}

// AppendName appends a name with its length.
func AppendName(dst []byte, name string) []byte {
	return append(AppendU32(dst, uint32(len(name))), name...)
}
