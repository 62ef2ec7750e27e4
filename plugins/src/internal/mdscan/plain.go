package mdscan

import "bytes"

const (
	// maxPlain is how long a line may be that is a heading of plain text: as long as
	// lines of such texts are.
	maxPlain = 80
	// leastAlike is how many lines have to look alike: two may be a coincidence.
	leastAlike = 3
)

// WithPlain is a text without headings as it is with those of plain text, if it has
// such: lines that stand alone between blank ones and are numbered alike, as
// CHAPTER 12 is, else those in capitals. They are none if they leave more than four
// fifths of the text below one of them, or before the first.
func (d *Doc) WithPlain(b []byte) *Doc {
	found := d.plainHeadings(b)
	if found == nil {
		return d
	}
	with := *d
	with.Headings, with.Plain = found, true
	return &with
}

func (d *Doc) plainHeadings(b []byte) []Heading {
	var numbered, capitals []Heading
	words := map[string]*alike{}
	for i := range d.Blocks {
		h, ok := d.alone(b, i)
		if !ok {
			continue
		}
		text := b[h.Text.Start:h.Text.End]
		if word := numberedBy(text); len(word) > 0 && len(numbered) < maxFound {
			a := words[string(word)]
			if a == nil {
				a = &alike{first: len(numbered)}
				words[string(word)] = a
			}
			a.count++
			numbered = append(numbered, h)
		} else if isCapitals(text) {
			capitals = append(capitals, h)
		}
	}
	for _, found := range [][]Heading{d.titled(b, levelled(b, numbered, words)), capitals} {
		if len(found) >= leastAlike && divides(found, len(b)) {
			return found
		}
	}
	return nil
}

// alike are numbered lines with the same first word.
type alike struct{ first, count, level int }

// alone is the line of block i as a heading of the first level, if the block is
// one line that is short.
func (d *Doc) alone(b []byte, i int) (h Heading, ok bool) {
	start, end := d.Blocks[i], d.blockEnd(b, i)
	n := bytes.IndexByte(b[start:min(end, start+2*maxPlain)], '\n') + 1
	if n == 0 || !onlyBlankLines(b[start+int32(n):end]) {
		return h, false
	}
	line := b[start : start+int32(n)]
	text := bytes.TrimSpace(line)
	if len(text) == 0 || len(text) > maxPlain {
		return h, false
	}
	from := start + int32(len(line)-len(bytes.TrimLeft(line, " \t")))
	return Heading{Span: Span{start, start + int32(n)}, Text: Span{from, from + int32(len(text))}, Level: 1}, true
}

func (d *Doc) blockEnd(b []byte, i int) int32 {
	if i+1 < len(d.Blocks) {
		return d.Blocks[i+1]
	}
	return int32(len(b))
}

func onlyBlankLines(b []byte) bool {
	for _, c := range b {
		if c != '\n' && c != '\r' && c != ' ' && c != '\t' {
			return false
		}
	}
	return true
}

// numberedBy is the word, of three letters or more, which a line begins with before
// a number: CHAPTER 12, Part IV: The Sea. Empty if it does not.
func numberedBy(text []byte) []byte {
	n := 0
	for n < len(text) && letter(text[n]) {
		n++
	}
	if n < 3 || n+1 >= len(text) || text[n] != ' ' {
		return nil
	}
	number := bytes.TrimLeft(text[n:], " ")
	size := 0
	for size < len(number) && number[size]-'0' <= 9 {
		size++
	}
	if size == 0 {
		for size < len(number) && bytes.IndexByte([]byte("IVXLCDM"), number[size]) >= 0 {
			size++
		}
	}
	if size == 0 || size < len(number) && bytes.IndexByte([]byte(".:)- "), number[size]) < 0 {
		return nil
	}
	return text[:n]
}

// isCapitals reports whether a line has letters, and none that are small. One of
// less than three may be initials, or a mark of the author's.
func isCapitals(text []byte) bool {
	letters := 0
	for _, c := range text {
		if c-'a' < 26 || c >= 0x80 {
			return false
		}
		if c-'A' < 26 {
			letters++
		}
	}
	return letters >= 3 && letters*2 > len(text)
}

// maxKinds is how many words are told apart by level: books have parts, chapters,
// scenes and figures, and a text of more has words that mean nothing.
const maxKinds = 16

// levelled are those of the numbered lines whose word stands there three times.
func levelled(b []byte, found []Heading, words map[string]*alike) []Heading {
	var kinds []*alike
	for _, a := range words {
		if a.level = 1; a.count >= leastAlike && len(kinds) <= maxKinds {
			kinds = append(kinds, a)
		}
	}
	if len(kinds) <= maxKinds {
		nest(kinds)
	}
	out := found[:0]
	for _, h := range found {
		if of := words[string(numberedBy(b[h.Text.Start:h.Text.End]))]; of.count >= leastAlike {
			h.Level = int8(of.level)
			out = append(out, h)
		}
	}
	return out
}

// nest finds the levels. A word that begins first and comes less often holds the
// other one: of three parts with ten chapters each the parts.
func nest(kinds []*alike) {
	for _, a := range kinds {
		for _, other := range kinds {
			if other.first < a.first && other.count < a.count && a.level < 6 {
				a.level++
			}
		}
	}
}

// titled adds the line behind a number to what it says, where most numbers stand
// alone and have such a line: CHAPTER 1, a blank line, Loomings.
func (d *Doc) titled(b []byte, found []Heading) []Heading {
	out := make([]Heading, len(found))
	named, block := 0, 0
	for i, h := range found {
		out[i] = h
		for d.Blocks[block] != h.Start {
			block++
		}
		text := b[h.Text.Start:h.Text.End]
		if block+1 == len(d.Blocks) || bytes.Count(text, []byte(" ")) > 1 {
			continue
		}
		if next, ok := d.alone(b, block+1); ok && numberedBy(b[next.Text.Start:next.Text.End]) == nil {
			out[i].End, out[i].Text.End = next.End, next.Text.End
			named++
		}
	}
	if named*2 < len(found) {
		return found
	}
	return out
}

// divides reports whether no heading, nor what stands before the first, has four
// fifths of a text.
func divides(found []Heading, size int) bool {
	at, most := 0, 0
	for _, h := range found {
		at, most = int(h.Start), max(most, int(h.Start)-at)
	}
	return max(most, size-at)*5 <= size*4
}
