package focus

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/plugins/src/internal/bm25"
)

// eachSubword iterates over the words of a text. Identifiers are split where the case
// changes: readHeaderTimeout has three words. Single ASCII letters are not words.
func eachSubword(text []byte, yield func(w []byte)) {
	for at := 0; at < len(text); {
		if !inWord[text[at]] {
			at++
			continue
		}
		from, high := at, false
		for at < len(text) && inWord[text[at]] {
			high = high || text[at] >= utf8.RuneSelf
			at++
		}
		if run := text[from:at]; high { // may have characters that are no letters
			bm25.EachWord(run, func(w []byte) { splitIdentifier(w, yield) })
		} else {
			splitIdentifier(run, yield)
		}
	}
}

// inWord are the letters and digits of ASCII, and the bytes of all other characters.
var inWord = func() (set [256]bool) {
	for c := range set {
		b := byte(c)
		set[c] = b >= '0' && b <= '9' || isUpper(b) || isLower(b) || b >= utf8.RuneSelf
	}
	return set
}()

// splitIdentifier iterates over the subwords of a word.
func splitIdentifier(w []byte, yield func(w []byte)) {
	from := 0
	for i := 1; i < len(w); i++ {
		if isUpper(w[i]) && startsSubword(w, i) {
			yieldWord(w[from:i], yield)
			from = i
		}
	}
	yieldWord(w[from:], yield)
}

func yieldWord(w []byte, yield func(w []byte)) {
	if len(w) > 1 || w[0] >= '0' && w[0] <= '9' {
		yield(w)
	}
}

// startsSubword reports whether a subword begins at i, which is upper case: userName, HTTPServer, but
// not in URLs or IPv6.
func startsSubword(w []byte, i int) bool {
	return !isUpper(w[i-1]) || i+2 < len(w) && isLower(w[i+1]) && isLower(w[i+2])
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
func isLower(c byte) bool { return c >= 'a' && c <= 'z' }

// lower returns a word in lower case.
func lower(w []byte) string { return string(bytes.ToLower(w)) }

// stem removes common endings, so that forms of a word are equal. It is simple: a wrong stem
// makes two words equal at worst. Words of other scripts, and numbers, keep their form.
func stem(w string) string {
	if !isLetters(w) {
		return w
	}
	w = stemPlural(w)
	for _, ending := range endings {
		if rest, ok := strings.CutSuffix(w, ending); ok && len(rest) >= minStem {
			w = rest
			break
		}
	}
	if rest, ok := strings.CutSuffix(w, "e"); ok && len(rest) >= minStem {
		w = rest
	}
	if n := len(w); n >= minStem && w[n-1] == w[n-2] {
		w = w[:n-1] // running, installed
	}
	return w
}

// minStem is the length of the shortest stem that is left after an ending is removed.
const minStem = 4

// endings are removed from words, the longest first.
var endings = []string{"ation", "ment", "ing", "ion", "ity", "ful", "ed", "er", "or", "ly"}

func stemPlural(w string) string {
	n := len(w)
	switch {
	case n > 4 && strings.HasSuffix(w, "ies"):
		return w[:n-3] + "y"
	case strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "xes"), strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "shes"):
		return w[:n-2]
	case n > 3 && w[n-1] == 's' && w[n-2] != 's' && w[n-2] != 'u' && w[n-2] != 'i':
		return w[:n-1]
	}
	return w
}

func isLetters(w string) bool {
	for i := range len(w) {
		if !isLower(w[i]) {
			return false
		}
	}
	return len(w) >= minStem
}

// sharesStem reports whether two words begin with the same letters, at least five and three
// quarters of the longer one.
func sharesStem(a, b string) bool {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n >= 5 && 4*n >= 3*max(len(a), len(b)) && (n == len(a) || utf8.RuneStart(a[n]))
}

// lookup finds the terms in a text. The first two bytes exclude most words.
type lookup struct {
	terms []term
	seen  [64]uint64 // by first byte modulo 64: bit set of second bytes modulo 64
}

func newLookup(terms []term) *lookup {
	l := &lookup{terms: terms}
	for _, t := range terms {
		l.seen[t.word[0]%64] |= 1 << (second(t.word) % 64)
	}
	return l
}

// second returns the second byte of a word, 0 if it has one byte.
func second[T string | []byte](w T) byte {
	if len(w) < 2 {
		return 0
	}
	return w[1]
}

// find returns the term that a word is a form of, and how well it matches: 1, or less if
// only their beginnings are equal.
func (l *lookup) find(w []byte) (i int, match float64) {
	a, b := fold(w[0]), second(w)
	if b != 0 {
		b = fold(b)
	}
	if w[0] < utf8.RuneSelf && l.seen[a%64]&(1<<(b%64)) == 0 {
		return -1, 0
	}
	word := lower(w)
	form := stem(word)
	best := -1
	for i := range l.terms {
		t := &l.terms[i]
		switch {
		case t.word == word, t.stem == form:
			return i, 1
		case best < 0 && (sharesStem(t.word, word) || sharesStem(t.stem, form)):
			best = i
		}
	}
	if best < 0 {
		return -1, 0
	}
	return best, partly
}

// partly is the weight of a word of which only the beginning is that of a term.
const partly = 0.4

func fold(c byte) byte {
	if isUpper(c) {
		return c + 'a' - 'A'
	}
	return c
}

func itoa(n int) string { return strconv.Itoa(n) }
