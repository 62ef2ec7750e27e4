package code

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/decl"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/language"
)

const (
	maxExcerpt = 400 // bytes of code from which a title is made
	minShared  = 24  // bytes that adjacent titles share before the shared text is omitted
)

// appendCode appends the start of code without a name. If an adjacent part begins alike, it
// begins where they differ.
func (t namer) appendCode(title []byte, i int) []byte {
	code := t.excerpt(i)
	if t.items[i].comment && isRuled(code) {
		return caption.Append(title, firstSentence(code), maxTitle)
	}
	if n := t.sharedStart(i, code); n > 0 {
		title, code = append(title, "..."...), code[n:]
	}
	if t.v.Has(language.Selectors) {
		return t.appendRules(title, i, code)
	}
	return caption.Append(title, code, maxTitle-len(title))
}

// excerpt returns the start of the code of part i.
func (t namer) excerpt(i int) []byte {
	from := t.items[i].code
	return t.b[from:min(t.parts[i].End, from+maxExcerpt)]
}

// sharedStart returns the size of the text that the code of part i shares with the part before
// or after it, up to the start of a word. It returns 0 if that is short.
func (t namer) sharedStart(i int, code []byte) int {
	least := 0
	for _, j := range [...]int{i - 1, i + 1} {
		if t.items[i].comment || j < 0 || j >= len(t.parts) || t.parts[j].Parent != t.parts[i].Parent || t.items[j].kind != language.Other || t.items[j].imports >= minImports {
			continue
		}
		other := t.excerpt(j)
		n := commonPrefix(code, other)
		if n == len(code) || n == len(other) {
			continue
		}
		for n > 0 && (t.v.Ident[code[n-1]] || decl.Quotes.Has(code[n-1])) {
			n--
		}
		if n >= minShared && (least == 0 || n < least) {
			least = n
		}
	}
	return least
}

// commonPrefix returns the length of the common prefix of two texts. It compares eight bytes at a
// time, because in Wasm a loop over single bytes takes several times as long.
func commonPrefix(a, b []byte) (n int) {
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

// appendRules appends the first selector of the rules of a style sheet and the number of rules. A
// single rule with one selector is titled by its code.
func (t namer) appendRules(title []byte, i int, code []byte) []byte {
	all := t.b[t.items[i].code:t.parts[i].End]
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
