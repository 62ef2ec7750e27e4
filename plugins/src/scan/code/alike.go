package code

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
)

const (
	headText = 400 // bytes of code that a title is made of
	minAlike = 24  // what two titles begin with in common is left out from so many bytes on
)

// text appends the start of code without a name. Where that of the part before or
// behind begins alike, it is told from where they differ.
func (w *writer) text(title []byte, i int) []byte {
	code := w.codeOf(i)
	if w.items[i].note && ruled(code) {
		return caption.Append(title, w.sentence(code), maxTitle)
	}
	if n := w.alike(i, code); n > 0 {
		title, code = append(title, "..."...), code[n:]
	}
	if w.v.syntax&selectors != 0 {
		return w.rules(title, i, code)
	}
	return caption.Append(title, code, maxTitle-len(title))
}

// codeOf is the start of the code of part i.
func (w *writer) codeOf(i int) []byte {
	from := w.items[i].code
	return w.b[from:min(w.parts[i].End, from+headText)]
}

// alike is how much of its code part i has in common with one beside it, up to
// the start of a word; 0 if it is little.
func (w *writer) alike(i int, code []byte) int {
	least := 0
	for _, j := range [...]int{i - 1, i + 1} {
		if w.items[i].note || j < 0 || j >= len(w.parts) || w.parts[j].Parent != w.parts[i].Parent || w.items[j].kind != other || w.items[j].imports >= minImports {
			continue
		}
		other := w.codeOf(j)
		n := shared(code, other)
		if n == len(code) || n == len(other) {
			continue
		}
		for n > 0 && (w.v.ident[code[n-1]] || inQuotes.has(code[n-1])) {
			n--
		}
		if n >= minAlike && (least == 0 || n < least) {
			least = n
		}
	}
	return least
}

// shared is how many bytes two texts begin with in common. It looks at eight at a
// time: in Wasm a loop that turns for every byte takes several times as long.
func shared(a, b []byte) (n int) {
	for n+8 <= len(a) && n+8 <= len(b) {
		if x := binary.LittleEndian.Uint64(a[n:]) ^ binary.LittleEndian.Uint64(b[n:]); x != 0 {
			return n + bits.TrailingZeros64(x)/8
		}
		n += 8
	}
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// rules appends the first selector of a style sheet's rules, and how many more
// there are. A rule alone is told with what it sets.
func (w *writer) rules(title []byte, i int, code []byte) []byte {
	all := w.b[w.items[i].code:w.parts[i].End]
	n, noun := bytes.Count(all, []byte("{")), "rule"
	if n <= 1 {
		head, _, _ := bytes.Cut(all, []byte("{"))
		n, noun = 1+bytes.Count(head, []byte(",")), "selector"
	}
	if n <= 1 {
		return caption.Append(title, code, maxTitle-len(title))
	}
	if end := bytes.IndexAny(code, ",{"); end > 0 {
		code = code[:end]
	}
	count := ", " + caption.Count(n, noun)
	return append(caption.Append(title, code, maxTitle-len(title)-len(count)), count...)
}
