package json

import (
	"math/bits"
	"unsafe"
)

// Tokens that may be at the next byte that is not white space.
const (
	wantValue    = iota
	wantElement  // or the end of the array
	wantKey      // of a further member
	wantFirstKey // or the end of the object
	wantColon
	wantNext // a comma or the end of the container
)

// walker reads a container, or the rest of one, and counts its children.
type walker struct {
	at     int     // current offset
	want   int     // the token expected there
	open   uint64  // below the top bit, a bit for each open bracket, set for an object
	kids   int     // number of children that have ended
	key    uint32  // of the next child: its start and, in the upper half, its end
	value  int     // start of the next child if that is a container
	from   int     // start of the container: fields count from there
	fields []field // receives the children as far as there is room
}

// isClosed reports whether the bracket that was opened first has closed.
func (w *walker) isClosed() bool { return w.open == 1 && w.want == wantNext }

// run reads until the container has ended and reports whether it has. It stops at the start of
// a token that begins at or after last, is invalid or is nested too deep. The text must extend
// by margin after last.
func (w *walker) run(b []byte, last int) bool {
	for {
		w.walk(b, last)
		if w.isClosed() || w.at >= last || !w.readScalar(b, last) {
			return w.isClosed()
		}
	}
}

// readScalar reads a string or scalar of any form.
func (w *walker) readScalar(b []byte, last int) bool {
	start, end, ok := w.at, 0, false
	switch c := b[start]; {
	case c == '"' && w.want < wantColon:
		end, ok = ScanString(b, start)
	case c > ',' && c != ':' && c|0x20 < '{' && w.want <= wantElement:
		end, _, ok = scanScalar(b, start)
	}
	if !ok || end >= last {
		return false
	}
	w.at = end
	if w.want == wantKey || w.want == wantFirstKey {
		if w.want = wantColon; w.open < 4 {
			w.key = uint32(start-w.from) | uint32(end-w.from)<<16
		}
		return true
	}
	if w.want = wantNext; w.open < 4 {
		w.setField(w.kids, w.key, start, end)
		w.kids++
	}
	return true
}

// setField sets field i, if there is room for it.
func (w *walker) setField(i int, key uint32, start, end int) {
	if i < len(w.fields) {
		w.fields[i] = field{uint16(key), uint16(key >> 16), uint16(start - w.from), uint16(end - w.from)}
	}
}

// walk is run for the usual forms of tokens; it stops at any other, which readScalar reads. It
// keeps its state in local variables, which in Wasm is several times as fast as the loop of
// Scan. All functions that it calls are inlined: a real call would write all variables to
// memory in each iteration.
//
// Go has 16 registers in Wasm, and a variable that does not fit into them costs more than its
// use: hence the few variables, and reads that need no length. An iteration begins before last and
// reads at most 26 bytes from there, so all that it reads is in the text.
func (w *walker) walk(b []byte, last int) {
	text := unsafe.Pointer(unsafe.SliceData(b))
	p, stack, want, kids, key := w.at, w.open, w.want, w.kids, w.key
loop:
	for p < last {
		c, start := loadByte(text, p), p
		if c <= ' ' {
			if !isSpace(c) {
				break
			}
			p += 1 + countBlanks(text, p+1)
			continue
		}
		switch {
		case c == '"':
			if want >= wantColon {
				break loop
			}
			end := plainEnd(text, p+1, last)
			if loadByte(text, end) != '"' {
				break loop
			}
			p = end + 1
			if want < wantKey {
				break
			}
			if stack < 4 {
				key = uint32(start-w.from) | uint32(p-w.from)<<16
			}
			if want = wantColon; loadByte(text, p) == ':' {
				p, want = skipBlank(text, p+1), wantValue
			}
			continue
		case c-'-' <= '9'-'-': // digits and -, but . and / too
			end := integerEnd(text, p)
			if want > wantElement || end == 0 {
				break loop
			}
			end = fractionEnd(text, end, last)
			if end == 0 || loadByte(text, end)|0x20 == 'e' {
				break loop
			}
			p = end
		case c == ',':
			if want != wantNext {
				break loop
			}
			p, want = skipBlank(text, p+1), wantValue+int(stack&1)*wantKey
			continue
		case c|0x20 == '}':
			if !mayClose(stack, want, c) {
				break loop
			}
			p++
			if stack >>= 1; stack == 1 {
				want = wantNext
				break loop
			}
			start = w.value
		case c|0x20 == '{':
			if !mayOpen(stack, want) {
				break loop
			}
			if stack&^1 == 2 {
				w.value = p
			}
			p++
			object := isObject(c)
			stack, want = stack<<1|object, wantElement+int(object)*(wantFirstKey-wantElement)
			continue
		case c == ':':
			if want != wantColon {
				break loop
			}
			p, want = p+1, wantValue
			continue
		default:
			n := literalSize(loadWord(text, p))
			if want > wantElement || n == 0 {
				break loop
			}
			p += n
		}
		if stack < 4 { // a child ends here
			w.setField(kids, key, start, p)
			kids++
		}
		if want = wantNext; loadByte(text, p) == ',' {
			p, want = skipBlank(text, p+1), wantValue+int(stack&1)*wantKey
		}
	}
	w.at, w.open, w.want, w.kids, w.key = p, stack, want, kids, key
}

// isObject is 1 for { and }, and 0 for [ and ].
func isObject(bracket byte) uint64 { return uint64(bracket) >> 5 & 1 }

// mayClose reports whether a bracket closes the innermost container where a token is expected.
func mayClose(stack uint64, want int, bracket byte) bool {
	return stack&1 == isObject(bracket) && 1<<want&(1<<wantNext|1<<wantElement|1<<wantFirstKey) != 0
}

// mayOpen reports whether a container may begin where a token is expected, and there is a bit for
// its bracket.
func mayOpen(stack uint64, want int) bool { return want <= wantElement && stack>>63 == 0 }

// loadWord returns the eight bytes at p, which must all be in the text. The first is the lowest, as on
// all machines that Go's Wasm and the tests of this project run on.
func loadWord(text unsafe.Pointer, p int) uint64 { return *(*uint64)(unsafe.Add(text, p)) }

// loadByte returns the byte at p, which must be in the text.
func loadByte(text unsafe.Pointer, p int) byte { return *(*byte)(unsafe.Add(text, p)) }

// isSpace reports whether c is JSON white space.
func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// countBlanks returns the number of blanks at p, 8 at most: a line end is mostly followed by those
// of an indent.
func countBlanks(text unsafe.Pointer, p int) int {
	return bits.TrailingZeros64(loadWord(text, p)^wide20) >> 3
}

// skipBlank returns the offset after a blank at p, or p.
func skipBlank(text unsafe.Pointer, p int) int {
	if loadByte(text, p) == ' ' {
		p++
	}
	return p
}

// plainEnd returns the offset of the first byte from p on that may end a string or needs a look, or
// one at or after last.
func plainEnd(text unsafe.Pointer, p, last int) int {
	for p < last {
		if hit := markSpecial(loadWord(text, p)); hit != 0 {
			return p + bits.TrailingZeros64(hit)>>3
		}
		p += 8
	}
	return p
}

// integerEnd returns the offset after the integer at p, or 0 if it has more than 7 digits or begins
// with a 0 that is not alone.
func integerEnd(text unsafe.Pointer, p int) int {
	if loadByte(text, p) == '-' {
		p++
	}
	n := bits.TrailingZeros64(markNondigits(loadWord(text, p))) >> 3
	if uint(n-1) >= 7 || n > 1 && loadByte(text, p) == '0' {
		return 0
	}
	return p + n
}

// fractionEnd returns the offset after the fraction at p, or p if there is none. It returns 0 if the
// fraction has no digits or they do not end before last.
func fractionEnd(text unsafe.Pointer, p, last int) int {
	if loadByte(text, p) != '.' {
		return p
	}
	for end := p + 1; end < last; {
		n := bits.TrailingZeros64(markNondigits(loadWord(text, end))) >> 3
		if end += n; n < 8 {
			if end == p+1 {
				return 0
			}
			return end
		}
	}
	return 0
}

// The literal names as word reads them.
const (
	wordTrue  = 't' | 'r'<<8 | 'u'<<16 | 'e'<<24
	wordNull  = 'n' | 'u'<<8 | 'l'<<16 | 'l'<<24
	wordFalse = 'f' | 'a'<<8 | 'l'<<16 | 's'<<24 | 'e'<<32
)

// literalSize returns the size of the literal name that x begins with, or 0.
func literalSize(x uint64) int {
	switch {
	case uint32(x) == wordTrue, uint32(x) == wordNull:
		return 4
	case x<<24 == wordFalse<<24:
		return 5
	}
	return 0
}
