package wasm

import (
	"fmt"
	"unicode/utf8"
)

// reader walks over the bytes of a module. It stops at the first fault, after
// which every read gives zero: callers check err once, at the end of a part.
//
// It allocates nothing by a claimed count: count checks one against the bytes
// that are left before anybody makes room for it.
type reader struct {
	b     []byte
	at    int
	short bool  // err came from reading past the end
	err   error // the first fault
}

func (r *reader) left() int { return len(r.b) - r.at }

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
		r.at = len(r.b)
	}
}

func (r *reader) end() {
	if r.err == nil {
		r.short = true
	}
	r.fail("ends too early")
}

func (r *reader) byte() byte {
	if r.left() < 1 {
		r.end()
		return 0
	}
	r.at++
	return r.b[r.at-1]
}

func (r *reader) bytes(n int) []byte {
	if n < 0 || n > r.left() {
		r.end()
		return nil
	}
	r.at += n
	return r.b[r.at-n : r.at]
}

// u32 reads an unsigned LEB128 number of at most 32 bits.
func (r *reader) u32() uint32 {
	var v uint32
	for shift := 0; shift < 35; shift += 7 {
		c := r.byte()
		if shift == 28 && c > 0x0f {
			r.fail("number of more than 32 bits at byte %d", r.at-1)
			return 0
		}
		v |= uint32(c&0x7f) << shift
		if c < 0x80 {
			return v
		}
	}
	return 0
}

// skipInt passes a signed LEB128 number of up to n bytes.
func (r *reader) skipInt(n int) {
	for range n {
		if r.byte() < 0x80 {
			return
		}
	}
	r.fail("number of more than %d bytes at byte %d", n, r.at)
}

// count reads how many entries follow, each of which takes at least size bytes.
func (r *reader) count(what string, size int) int {
	n := r.u32()
	if int64(n)*int64(size) > int64(r.left()) {
		r.fail("claims %d %s in %d bytes", n, what, r.left())
		return 0
	}
	return int(n)
}

func (r *reader) name() string {
	b := r.bytes(int(r.u32()))
	if !utf8.Valid(b) {
		r.fail("name is not UTF-8 at byte %d", r.at-len(b))
		return ""
	}
	return string(b)
}
