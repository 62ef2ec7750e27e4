package log

import (
	"encoding/binary"
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/times"
)

// layoutTexts are the layouts of times in logs, written as in package time of Go. A
// layout comes before those that match a part of its times.
//
// There are four additions: ? is a blank, T, _ or -; L is the letter of a level; the
// hour 3 has 24 hours; and epoch is a number of seconds or milliseconds since 1970. A
// fraction of a second, a zone, AM or PM may follow each layout, see stamp.finish.
var layoutTexts = [...]string{
	"2006-01-02?15:04:05", "2006/01/02?15:04:05", "2006.01.02?15:04:05", "2006-01-02-15.04.05", "2006-01-02?15:04",
	"20060102?3:4:5", "20060102?150405", webLayout, "02-Jan-2006 15:04:05", "02 Jan 2006 15:04:05", "02.01.2006 15:04:05",
	"Mon Jan _2 15:04:05.999 2006", "Jan _2 15:04:05.999 2006", "Jan _2 2006 15:04:05", "Jan _2, 2006 3:04:05", "Jan _2 15:04:05",
	"06/01/02 15:04:05", "01-02 15:04:05", "01.02 15:04:05", "01/02 15:04:05", "L0102 15:04:05", "060102 150405", epochLayout, clockLayout,
}

const (
	webLayout   = "02/Jan/2006:15:04:05" // of web servers
	epochLayout = "epoch"
	clockLayout = "15:04:05"
)

// element is a part of a layout.
type element struct {
	text      string // the element in a layout
	size      int    // bytes in a text; of a variable element, those of most texts
	to        int    // offset in a times.Stamp of the two digits of a number, discard for none
	kind      elementKind
	low, high byte // range of its bytes
}

type elementKind uint8

const (
	literal   elementKind = iota
	number                // exactly that many digits
	variable              // one or two digits
	padded                // the same, after an optional blank
	fraction              // an optional fraction of a second
	month                 // Jan
	weekday               // Mon
	letter                // of a level
	separator             // between date and time
	elementKinds
)

const (
	discard    = -1
	hourOffset = 11
)

// elements are the elements of layouts. One comes before those that it begins with.
var elements = []element{
	{"2006", 4, 0, number, '0', '9'},
	{"06", 2, 2, number, '0', '9'},
	{"01", 2, 5, number, '0', '9'},
	{"02", 2, 8, number, '0', '9'},
	{"15", 2, hourOffset, number, '0', '9'},
	{"04", 2, 14, number, '0', '9'},
	{"05", 2, discard, number, '0', '9'},
	{"3", 2, hourOffset, variable, '0', '9'},
	{"4", 2, 14, variable, '0', '9'},
	{"5", 2, discard, variable, '0', '9'},
	{"_2", 2, 8, padded, ' ', '9'},
	{".999", 0, discard, fraction, 0, 0},
	{"Jan", 3, 5, month, 'A', 'z'},
	{"Mon", 3, discard, weekday, 'A', 'z'},
	{"L", 1, discard, letter, 'A', 'z'},
	{"?", 1, discard, separator, ' ', '_'},
}

// nextElement returns the element at the start of a layout.
func nextElement(layout string) element {
	for _, e := range elements {
		if strings.HasPrefix(layout, e.text) {
			return e
		}
	}
	return element{text: layout[:1], size: 1, to: discard, low: layout[0], high: layout[0]}
}

// layout reads the times of one layout.
//
// Most times have a fixed size. Their bytes are compared with the lowest and highest
// byte at each place, eight at a time: in Wasm that takes a fraction of the time that
// reading them one by one takes.
type layout struct {
	isWeb, isEpoch, isClock bool
	hasLevel                bool // it begins with the letter of a level
	isNamed                 bool // it begins with a letter

	elements []element
	exact    bool // all of its times have a fixed size
	size     int
	low      [maxSize / 8]uint64
	high     [maxSize / 8]uint64
	used     [maxSize / 8]uint64 // the top bit of each place of the layout
	initial  times.Stamp
	numbers  []pair
	clock    int               // place of the time of day
	at       [elementKinds]int // by kind: place of the last element of that kind, -1 for none
}

// maxSize is the largest number of places.
const maxSize = 24

// pair is two digits: their places in a time, and their offset in a times.Stamp.
type pair struct{ from, to uint8 }

// layouts are compiled when a guest is created, for which no call waits.
var layouts = func() (all [len(layoutTexts)]layout) {
	for i, text := range layoutTexts {
		all[i] = compileLayout(text)
	}
	return all
}()

func compileLayout(text string) layout {
	l := layout{isWeb: text == webLayout, isEpoch: text == epochLayout, isClock: text == clockLayout}
	if l.isEpoch {
		return l
	}
	for kind := range l.at {
		l.at[kind] = -1
	}
	copy(l.initial[:], noTime)
	l.exact = true
	for text != "" {
		e := nextElement(text)
		text = text[len(e.text):]
		l.elements = append(l.elements, e)
		l.place(e)
	}
	first := l.elements[0].kind
	l.hasLevel, l.isNamed = first == letter, first == letter || first == month || first == weekday
	return l
}

// place adds the places of an element.
func (l *layout) place(e element) {
	at := l.size
	l.at[e.kind] = at
	for i := at; i < at+e.size; i++ {
		l.low[i/8] |= uint64(e.low) << (i % 8 * 8)
		l.high[i/8] |= uint64(e.high) << (i % 8 * 8)
		l.used[i/8] |= 0x80 << (i % 8 * 8)
	}
	if e.to == hourOffset {
		l.clock = at
	}
	if e.to != discard && e.kind != month {
		for i := 0; i < e.size; i += 2 {
			l.numbers = append(l.numbers, pair{uint8(at + i), uint8(e.to + i)})
		}
	}
	if e.text == "06" {
		copy(l.initial[:], "20")
	}
	l.exact = l.exact && e.kind != variable && e.kind != padded && e.kind != fraction
	l.size += e.size
}

// read reads the time at b[p].
func (l *layout) read(b []byte, p int) (s stamp, ok bool) {
	if l.isEpoch {
		return readEpoch(b, p)
	}
	if p+maxSize <= len(b) {
		if s, ok = l.readFixed(b, p); ok || l.exact {
			return s, ok
		}
	}
	return l.readElements(b, p)
}

// readFixed reads a time of the usual size. It compares each byte with the lowest and the
// highest of its place. The subtractions never borrow from the next byte, because the
// top bit of each byte is set first.
func (l *layout) readFixed(b []byte, p int) (s stamp, ok bool) {
	text := b[p : p+maxSize]
	for i := range l.used {
		x := binary.LittleEndian.Uint64(text[8*i:])
		good := ((x | tops) - l.low[i]) & ((l.high[i] | tops) - x&^tops) &^ x
		if good&l.used[i] != l.used[i] {
			return s, false
		}
	}
	if at := l.at[separator]; at >= 0 && !isSeparator(text[at]) {
		return s, false
	}
	if at := l.at[letter]; at >= 0 && levelOfLetter(text[at]) == unknown {
		return s, false
	}
	if at := l.at[weekday]; at >= 0 && !isWeekday(string(text[at:at+3])) {
		return s, false
	}
	s.Stamp = l.initial
	for _, n := range l.numbers {
		s.Stamp[n.to], s.Stamp[n.to+1] = text[n.from], text[n.from+1]
	}
	if at := l.at[padded]; at >= 0 {
		if text[at] == ' ' {
			s.Stamp[8] = '0'
		}
		if s.Stamp[8]-'0' > 9 || s.Stamp[9]-'0' > 9 {
			return s, false
		}
	}
	if at := l.at[month]; at >= 0 {
		n := times.Month(text[at:])
		if n == 0 {
			return s, false
		}
		s.set(5, n)
	}
	s.clock = p + l.clock
	return s, s.finish(b, p+l.size)
}

// readElements reads a time of any size, element by element.
func (l *layout) readElements(b []byte, p int) (s stamp, ok bool) {
	s.Stamp = l.initial
	for i := range l.elements {
		e := &l.elements[i]
		if p >= len(b) {
			return s, false
		}
		if e.to == hourOffset {
			s.clock = p
		}
		if p = e.read(b, p, &s); p < 0 {
			return s, false
		}
	}
	return s, s.finish(b, p)
}

// read reads an element at b[p] into s. It returns the offset after the element, or -1 if
// there is none.
func (e *element) read(b []byte, p int, s *stamp) int {
	switch e.kind {
	case number:
		return e.readNumber(b, p, s)
	case variable, padded:
		return e.readVariable(b, p, s)
	case fraction:
		for p < len(b) && b[p] == '.' {
			p = skipDigits(b, p+1)
		}
		return p
	case month:
		n := times.Month(b[p:])
		if n == 0 {
			return -1
		}
		s.set(e.to, n)
	case weekday:
		if len(b)-p < 3 || !isWeekday(string(b[p:p+3])) {
			return -1
		}
	case letter:
		if levelOfLetter(b[p]) == unknown {
			return -1
		}
	case separator:
		if !isSeparator(b[p]) {
			return -1
		}
	default:
		if b[p] != e.text[0] {
			return -1
		}
	}
	return p + e.size
}

func (e *element) readNumber(b []byte, p int, s *stamp) int {
	end := p + e.size
	if end > len(b) {
		return -1
	}
	for i, c := range b[p:end] {
		if c-'0' > 9 {
			return -1
		}
		if e.to != discard {
			s.Stamp[e.to+i] = c
		}
	}
	return end
}

func (e *element) readVariable(b []byte, p int, s *stamp) int {
	if e.kind == padded && b[p] == ' ' {
		p++
	}
	n, end := 0, p
	for ; end < len(b) && end < p+2 && b[end]-'0' <= 9; end++ {
		n = n*10 + int(b[end]-'0')
	}
	if end == p {
		return -1
	}
	if e.to != discard {
		s.set(e.to, n)
	}
	return end
}
