package match

import (
	"math/bits"
	"strings"
	"unsafe"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
)

// finder looks for all keywords in one pass over a text: an automaton of Aho and
// Corasick over the classes of bytes that occur in keywords. For each keyword
// anew the pass would take as many times as long.
type finder struct {
	keywords []string // in lower case
	class    [256]uint8
	width    int      // classes
	next     []uint32 // by state and class: the state's row, and hit if a keyword ends there
	ends     []uint32 // by state: keywords that end there, as bits
	beyond   bool     // a keyword has letters beyond ASCII

	some, strong uint32 // keywords found in a prompt, and those that start a word, as bits
}

const hit = 1 << 31

// minInside is how long a keyword must be to count within a word.
const minInside = 3

func newFinder(keywords []string) *finder {
	f := &finder{width: 1}
	for _, k := range keywords {
		f.keywords = append(f.keywords, strings.ToLower(k))
		f.classify(f.keywords[len(f.keywords)-1])
	}
	f.fold()
	f.link(f.trie())
	return f
}

// classify gives each byte of a keyword a class; 0 is that of all other bytes.
func (f *finder) classify(keyword string) {
	for i := range len(keyword) {
		c := keyword[i]
		f.beyond = f.beyond || c >= 0x80
		if isGap(c) {
			c = ' '
		}
		if f.class[c] == 0 {
			f.class[c] = uint8(f.width)
			f.width++
		}
	}
}

// fold makes capitals and gaps of one class with what they are the same as.
func (f *finder) fold() {
	for c := byte('a'); c <= 'z'; c++ {
		f.class[c-'a'+'A'] = f.class[c]
	}
	f.class['-'], f.class['_'] = f.class[' '], f.class[' ']
}

func isGap(c byte) bool { return c == '-' || c == '_' || c == ' ' }

// trie lays the keywords out, 0 for no way on, and returns the number of states.
func (f *finder) trie() int {
	size := 1
	for _, k := range f.keywords {
		size += len(k)
	}
	f.next, f.ends = make([]uint32, size*f.width), make([]uint32, size)
	states := 1
	for i, k := range f.keywords {
		at := 0
		for j := range len(k) {
			way := &f.next[at*f.width+int(f.class[k[j]])]
			if *way == 0 {
				*way = uint32(states)
				states++
			}
			at = int(*way)
		}
		f.ends[at] |= 1 << i
	}
	f.next = f.next[:states*f.width]
	return states
}

// link completes the automaton: where a keyword does not go on, the longest end
// of what was read that begins one does.
func (f *finder) link(states int) {
	back := make([]int, states)
	queue := make([]int, 1, states)
	for at := 0; at < len(queue); at++ { // by length: shorter ones are complete
		s := queue[at]
		for c := range f.width {
			way := &f.next[s*f.width+c]
			down := 0
			if s != 0 {
				down = int(f.next[back[s]*f.width+c])
			}
			if *way == 0 {
				*way = uint32(down)
				continue
			}
			back[*way] = down
			f.ends[*way] |= f.ends[down]
			queue = append(queue, int(*way))
		}
	}
	for i, s := range f.next {
		f.next[i] = s * uint32(f.width)
		if f.ends[s] != 0 {
			f.next[i] |= hit
		}
	}
}

// look tells what matches in a prompt.
func (f *finder) look(p *controller.Prompt) matched {
	f.some, f.strong = 0, 0
	f.scan(p.Name)
	f.scan(p.Summary)
	for _, chapter := range p.Chapters {
		f.scan(chapter)
	}
	if f.some == 0 {
		return matched{}
	}
	tags := bits.OnesCount32(f.some)
	return matched{tags, tags + bits.OnesCount32(f.strong), f.names(p.Name)}
}

func (f *finder) names(name string) bool {
	for _, k := range f.keywords {
		if len(k) == len(name) && strings.EqualFold(k, name) {
			return true
		}
	}
	return false
}

// scan adds the keywords that a text holds. Its loop is what matching thousands of
// prompts costs: bounds are known to hold and not checked.
func (f *finder) scan(text string) {
	if f.beyond && !isASCII(text) {
		text = strings.ToLower(text)
	}
	next, class := unsafe.Pointer(&f.next[0]), unsafe.Pointer(&f.class)
	p, at := unsafe.Pointer(unsafe.StringData(text)), uint32(0)
	for i := range len(text) {
		c := *(*uint8)(unsafe.Add(p, i))
		step := uintptr(at) + uintptr(*(*uint8)(unsafe.Add(class, c)))
		if at = *(*uint32)(unsafe.Add(next, 4*step)); at&hit != 0 {
			at &^= hit
			f.found(text, i+1, f.ends[int(at)/f.width])
		}
	}
}

// found adds the keywords that end at a place.
func (f *finder) found(text string, end int, ends uint32) {
	for ; ends != 0; ends &= ends - 1 {
		i := bits.TrailingZeros32(ends)
		n := len(f.keywords[i])
		switch {
		case startsWord(text, end-n):
			f.strong |= 1 << i
			f.some |= 1 << i
		case n >= minInside:
			f.some |= 1 << i
		}
	}
}

// startsWord reports whether a word starts at a place: after what is neither
// letter nor digit, where letters follow digits or the other way round, at a
// capital after a small letter. Scripts beyond ASCII may write without blanks, so
// after one of their letters a word may start anywhere.
func startsWord(text string, at int) bool {
	if at == 0 {
		return true
	}
	before, here := kind(text[at-1]), kind(text[at])
	return before != here && !(before == capital && here == small) || before == other
}

const (
	other = iota
	digit
	small
	capital
)

func kind(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return digit
	case 'a' <= c && c <= 'z':
		return small
	case 'A' <= c && c <= 'Z':
		return capital
	}
	return other
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
