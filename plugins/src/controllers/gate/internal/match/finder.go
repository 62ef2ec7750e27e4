package match

import (
	"math"
	"math/bits"
	"strings"
	"unsafe"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
)

// finder finds all keywords in one pass over a text. For each pair of bytes, a table
// contains the keywords that may begin there. One iteration of the loop checks eight
// pairs, because an iteration costs a guest as much as about ten bytes. An automaton
// over all keywords, which checks one byte at a time, took up to twice as long.
type finder struct {
	keywords []string     // in lower case, with blanks for hyphens and underscores
	low      [256]byte    // maps a byte to its form in keywords
	pairs    [1024]uint32 // by the low five bits of two bytes: bit set of keywords that may begin with them
	third    [32]uint32   // by the low five bits of the third byte: bit set of keywords that may continue with it
	beyond   bool         // a keyword has a letter outside ASCII

	page         *controller.PromptPage
	yield        func(i int, m matched)
	prompt, end  int    // the current prompt and its end in the page
	some, strong uint32 // bit sets of keywords found in it, and of those that start a word
}

// minInside is the minimum length of a keyword that may match inside a word, in bytes.
const minInside = 3

// newFinder returns a finder for keywords of at least two bytes.
func newFinder(keywords []string) *finder {
	f := &finder{}
	for c := range 256 {
		f.low[c] = byte(c)
		if c >= 'A' && c <= 'Z' {
			f.low[c] += 'a' - 'A'
		}
	}
	f.low['-'], f.low['_'] = ' ', ' '
	for i, k := range keywords {
		b := []byte(strings.ToLower(k))
		for j, c := range b {
			f.beyond = f.beyond || c >= 0x80
			b[j] = f.low[c]
		}
		f.keywords = append(f.keywords, string(b))
		for c := 0; c < 256 && len(b) > 1; c++ { // the low five bits are ambiguous: three bytes normalize to a blank, two to a letter
			if f.low[c] == b[1] {
				f.pairs[pairOf(b[0], byte(c))] |= 1 << i
			}
			if len(b) == 2 || f.low[c] == b[2] {
				f.third[c&31] |= 1 << i
			}
		}
	}
	return f
}

func pairOf(c, d byte) int { return int(c&31)<<5 | int(d&31) }

// search calls yield for each prompt of a page that contains a keyword, in order.
func (f *finder) search(p *controller.PromptPage, yield func(i int, m matched)) {
	f.page, f.yield = p, yield
	if !f.beyond || isASCII(p.Text) {
		f.startPrompt(0)
		f.scan(p.Text)
		f.yieldMatch()
		return
	}
	for i := range p.Len() {
		f.startPrompt(i)
		f.end = math.MaxInt
		for line := range strings.Lines(p.Text[p.Starts[i]:p.Starts[i+1]]) {
			if !isASCII(line) {
				line = strings.ToLower(line)
			}
			f.scan(line)
		}
		f.yieldMatch()
	}
}

// startPrompt starts with a prompt of the page.
func (f *finder) startPrompt(i int) {
	f.prompt, f.end = i, f.page.Starts[i+1]
	f.some, f.strong = 0, 0
}

// yieldMatch yields the match of the current prompt if there is one.
func (f *finder) yieldMatch() {
	if f.some == 0 {
		return
	}
	tags := bits.OnesCount32(f.some)
	f.yield(f.prompt, matched{tags, tags + bits.OnesCount32(f.strong), f.hasName(f.page.Name(f.prompt))})
}

// hasName reports whether a keyword equals a name.
func (f *finder) hasName(name string) bool {
	for _, k := range f.keywords {
		if len(k) == len(name) && f.hasKeyword(name, k) {
			return true
		}
	}
	return false
}

// scan adds the keywords in a text. The last iteration starts earlier if needed, so
// that it has nine bytes.
func (f *finder) scan(text string) {
	const (
		turn = 9 // bytes that contain eight pairs
		five = 0x1f1f1f1f1f1f1f1f
		even = 0x00ff00ff00ff00ff
	)
	last := len(text) - turn
	if last < 0 {
		f.scanPairs(text, 0, len(text))
		return
	}
	p, t := unsafe.Pointer(unsafe.StringData(text)), &f.pairs
	for i := 0; i < last+turn-1; i += turn - 1 {
		i = min(i, last)
		x := *(*uint64)(unsafe.Add(p, i)) & five
		y := *(*uint64)(unsafe.Add(p, i+1)) & five
		x, y = x&even<<5|x>>8&even, y&even<<5|y>>8&even
		if t[x&1023]|t[x>>16&1023]|t[x>>32&1023]|t[x>>48&1023]|t[y&1023]|t[y>>16&1023]|t[y>>32&1023]|t[y>>48&1023] == 0 {
			continue
		}
		for at := i; at < i+turn-1; at += 2 {
			if maybe := t[x&1023]; maybe != 0 {
				f.addKeywords(text, at, maybe)
			}
			if maybe := t[y&1023]; maybe != 0 {
				f.addKeywords(text, at+1, maybe)
			}
			x, y = x>>16, y>>16
		}
	}
}

// scanPairs checks the pairs of a part of a text one by one.
func (f *finder) scanPairs(text string, from, to int) {
	for at := from; at+1 < to; at++ {
		if maybe := f.pairs[pairOf(text[at], text[at+1])]; maybe != 0 {
			f.addKeywords(text, at, maybe)
		}
	}
}

// addKeywords adds those of the keywords in maybe that occur at an offset.
func (f *finder) addKeywords(text string, at int, maybe uint32) {
	if at+2 < len(text) {
		maybe &= f.third[text[at+2]&31]
	}
	for ; maybe != 0; maybe &= maybe - 1 {
		i := bits.TrailingZeros32(maybe)
		k := f.keywords[i]
		if !f.hasKeyword(text[at:], k) {
			continue
		}
		starts := isWordStart(text, at)
		if !starts && len(k) < minInside {
			continue
		}
		for at >= f.end {
			f.yieldMatch()
			f.startPrompt(f.prompt + 1)
		}
		f.some |= 1 << i
		if starts {
			f.strong |= 1 << i
		}
	}
}

func (f *finder) hasKeyword(text, keyword string) bool {
	if len(text) < len(keyword) {
		return false
	}
	for i := range len(keyword) {
		if f.low[text[i]] != keyword[i] {
			return false
		}
	}
	return true
}

// isWordStart reports whether a word starts at an offset: after a character that is
// neither a letter nor a digit, between letters and digits, or at a capital after a
// small letter. Scripts outside ASCII may be written without blanks, so a word may
// start anywhere after one of their letters.
func isWordStart(text string, at int) bool {
	if at == 0 {
		return true
	}
	before, here := charKind(text[at-1]), charKind(text[at])
	return before != here && !(before == capital && here == small) || before == other
}

const (
	other = iota
	digit
	small
	capital
)

func charKind(c byte) int {
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
