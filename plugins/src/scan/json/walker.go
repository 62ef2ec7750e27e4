package json

import (
	"math/bits"
	"unsafe"
)

// What may stand at the next byte that is no white space.
const (
	wantValue    = iota
	wantElement  // or the end of the array
	wantKey      // of a further member
	wantFirstKey // or the end of the object
	wantColon
	wantNext // a comma or the end of the container
)

// The literal names as word reads them.
const (
	wordTrue  = 't' | 'r'<<8 | 'u'<<16 | 'e'<<24
	wordNull  = 'n' | 'u'<<8 | 'l'<<16 | 'l'<<24
	wordFalse = 'f' | 'a'<<8 | 'l'<<16 | 's'<<24 | 'e'<<32
)

// walker reads a container, or the rest of one, and counts its children.
type walker struct {
	at     int     // where it stands
	want   int     // what may stand there
	open   uint64  // below the top bit, a bit for each bracket that is open, set for an object
	kids   int     // children that have ended
	key    uint32  // of the next child: where it starts and, in the upper half, ends
	value  int     // where the next child starts if that is a container
	from   int     // where the container starts: fields count from there
	fields []field // the children go here as far as there is room
}

// closed reports whether the bracket has closed that was opened first.
func (w *walker) closed() bool { return w.open == 1 && w.want == wantNext }

// run reads on until the container has ended. What begins at last or behind is left,
// as well as what is wrong or nested too deep: then it stands at the start of that
// token. A margin of the text must be behind last.
func (w *walker) run(b []byte, last int) bool {
	for {
		w.walk(b, last)
		if w.closed() || w.at >= last || !w.step(b, last) {
			return w.closed()
		}
	}
}

// step reads a string or scalar of any kind.
func (w *walker) step(b []byte, last int) bool {
	start, end, ok := w.at, 0, false
	switch c := b[start]; {
	case c == '"' && w.want < wantColon:
		end, ok = String(b, start)
	case c > ',' && c != ':' && c|0x20 < '{' && w.want <= wantElement:
		end, _, ok = scalar(b, start)
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
		w.child(start, end)
	}
	return true
}

func (w *walker) child(start, end int) {
	if w.kids < len(w.fields) {
		w.fields[w.kids] = field{uint16(w.key), uint16(w.key >> 16), uint16(start - w.from), uint16(end - w.from)}
	}
	w.kids++
}

// walk is run for what is usual. It keeps all it knows in local variables, which is
// several times as fast in Wasm as the loop of Scan. It calls nothing, else all of
// them would be written to memory in each turn; what it does not understand it leaves
// to step.
//
// Go has 16 registers in Wasm, and what does not fit into them costs more than
// what is done with it: hence the few variables, and reads that need no length. A
// turn begins below last and looks at 26 bytes from there at most, so all it reads
// lies in the text.
func (w *walker) walk(b []byte, last int) {
	text := unsafe.Pointer(unsafe.SliceData(b))
	p, stack, want, kids, key := w.at, w.open, w.want, w.kids, w.key
loop:
	for p < last {
		c, start := char(text, p), p
		if c <= ' ' {
			if c != ' ' && c != '\n' && c != '\t' && c != '\r' {
				break
			}
			// A line end is mostly followed by the blanks of an indent.
			p += 1 + bits.TrailingZeros64(word(text, p+1)^wide20)>>3
			continue
		}
		switch {
		case c == '"':
			if want >= wantColon {
				break loop
			}
			end := p + 1
			for end < last {
				if hit := special(word(text, end)); hit != 0 {
					end += bits.TrailingZeros64(hit) >> 3
					break
				}
				end += 8
			}
			if char(text, end) != '"' {
				break loop
			}
			p = end + 1
			if want < wantKey {
				break
			}
			if stack < 4 {
				key = uint32(start-w.from) | uint32(p-w.from)<<16
			}
			if want = wantColon; char(text, p) == ':' {
				if p, want = p+1, wantValue; char(text, p) == ' ' {
					p++
				}
			}
			continue
		case c-'-' <= '9'-'-': // digits and -, but . and / too
			if want > wantElement {
				break loop
			}
			end := p
			if c == '-' {
				end++
			}
			n := bits.TrailingZeros64(nondigits(word(text, end))) >> 3
			if n == 0 || n == 8 || n > 1 && char(text, end) == '0' {
				break loop
			}
			end += n
			if char(text, end) == '.' {
				for end, n = end+1, 8; n == 8 && end < last; end += n {
					n = bits.TrailingZeros64(nondigits(word(text, end))) >> 3
				}
				if n == 8 || char(text, end-1) == '.' {
					break loop
				}
			}
			if char(text, end)|0x20 == 'e' {
				break loop
			}
			p = end
		case c == ',':
			if want != wantNext {
				break loop
			}
			want = wantValue + int(stack&1)*wantKey
			if p++; char(text, p) == ' ' {
				p++
			}
			continue
		case c|0x20 == '}':
			object := stack&1 != 0
			if object != (c == '}') || want != wantNext && want != wantElement && want != wantFirstKey {
				break loop
			}
			p++
			if stack >>= 1; stack == 1 {
				want = wantNext
				break loop
			}
			start = w.value
		case c|0x20 == '{':
			if want > wantElement || stack>>63 != 0 {
				break loop
			}
			if stack&^1 == 2 {
				w.value = p
			}
			p++
			if stack, want = stack<<1, wantElement; c == '{' {
				stack, want = stack|1, wantFirstKey
			}
			continue
		case c == ':':
			if want != wantColon {
				break loop
			}
			p, want = p+1, wantValue
			continue
		default:
			x := word(text, p)
			word4, word5 := uint32(x) == wordTrue || uint32(x) == wordNull, x<<24 == wordFalse<<24
			if want > wantElement || !word4 && !word5 {
				break loop
			}
			if p += 4; word5 {
				p++
			}
		}
		if stack < 4 { // a child ends here
			if kids < len(w.fields) {
				w.fields[kids] = field{uint16(key), uint16(key >> 16), uint16(start - w.from), uint16(p - w.from)}
			}
			kids++
		}
		if want = wantNext; char(text, p) == ',' {
			if p, want = p+1, wantValue+int(stack&1)*wantKey; char(text, p) == ' ' {
				p++
			}
		}
	}
	w.at, w.open, w.want, w.kids, w.key = p, stack, want, kids, key
}

// word is the eight bytes at p, which must all be in the text; the first is the
// lowest, as on all machines that Go's Wasm and this project's tests run on.
func word(text unsafe.Pointer, p int) uint64 { return *(*uint64)(unsafe.Add(text, p)) }

// char is the byte at p, which must be in the text.
func char(text unsafe.Pointer, p int) byte { return *(*byte)(unsafe.Add(text, p)) }
