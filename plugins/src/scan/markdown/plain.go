package markdown

import "bytes"

const (
	// maxPlainHeading is the size in bytes of a heading of plain text: a usual line.
	maxPlainHeading = 80
	// minNumbered is the number of similar lines that are headings: two may be a
	// coincidence.
	minNumbered = 3
)

// WithPlainHeadings returns a copy of d with headings of plain text, or d if there are
// none. These headings are single lines between blank lines that are numbered in the same
// way, such as CHAPTER 12, or else lines in capitals. They are ignored if more than four
// fifths of the text are below one of them or before the first.
func (d *Doc) WithPlainHeadings(b []byte) *Doc {
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
	words := map[string]*numberedLines{}
	for i := range d.Blocks {
		h, ok := d.singleLine(b, i)
		if !ok {
			continue
		}
		text := b[h.Text.Start:h.Text.End]
		if word := numberWord(text); len(word) > 0 && len(numbered) < maxListed {
			a := words[string(word)]
			if a == nil {
				a = &numberedLines{first: len(numbered)}
				words[string(word)] = a
			}
			a.count++
			numbered = append(numbered, h)
		} else if isCapitals(text) {
			capitals = append(capitals, h)
		}
	}
	for _, found := range [][]Heading{d.withTitles(b, withLevels(b, numbered, words)), capitals} {
		if len(found) >= minNumbered && isDivided(found, len(b)) {
			return found
		}
	}
	return nil
}

// numberedLines describes numbered lines with the same first word.
type numberedLines struct{ first, count, level int }

// singleLine returns the line of block i as a heading of level 1, if the block is one
// short line.
func (d *Doc) singleLine(b []byte, i int) (h Heading, ok bool) {
	start, end := d.Blocks[i], d.blockEnd(b, i)
	n := bytes.IndexByte(b[start:min(end, start+2*maxPlainHeading)], '\n') + 1
	if n == 0 || !isBlankText(b[start+int32(n):end]) {
		return h, false
	}
	line := b[start : start+int32(n)]
	text := bytes.TrimSpace(line)
	if len(text) == 0 || len(text) > maxPlainHeading {
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

func isBlankText(b []byte) bool {
	for _, c := range b {
		if c != '\n' && c != '\r' && c != ' ' && c != '\t' {
			return false
		}
	}
	return true
}

// numberWord returns the word before the number at the start of a line such as
// CHAPTER 12 or Part IV: The Sea. It returns nil if there is no number or the word has
// fewer than three letters.
func numberWord(text []byte) []byte {
	n := 0
	for n < len(text) && isLetter(text[n]) {
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

// isCapitals reports whether a line has at least three letters and none in lower case.
// Fewer letters may be initials.
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

// maxKinds is the number of words that get different levels. Books have parts, chapters,
// scenes and figures; in a text with more words they mean nothing.
const maxKinds = 16

// withLevels returns the numbered lines with frequent words, and sets their levels.
func withLevels(b []byte, found []Heading, words map[string]*numberedLines) []Heading {
	var kinds []*numberedLines
	for _, a := range words {
		if a.level = 1; a.count >= minNumbered && len(kinds) <= maxKinds {
			kinds = append(kinds, a)
		}
	}
	if len(kinds) <= maxKinds {
		setLevels(kinds)
	}
	out := found[:0]
	for _, h := range found {
		if of := words[string(numberWord(b[h.Text.Start:h.Text.End]))]; of.count >= minNumbered {
			h.Level = int8(of.level)
			out = append(out, h)
		}
	}
	return out
}

// setLevels sets the levels of words. A word that occurs first and less often contains
// the other one, as three parts contain ten chapters each.
func setLevels(kinds []*numberedLines) {
	for _, a := range kinds {
		for _, other := range kinds {
			if other.first < a.first && other.count < a.count && a.level < 6 {
				a.level++
			}
		}
	}
}

// withTitles adds the following line to the text of a number, if most headings are only
// numbers and have such a line: CHAPTER 1, a blank line, Loomings.
func (d *Doc) withTitles(b []byte, found []Heading) []Heading {
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
		if next, ok := d.singleLine(b, block+1); ok && numberWord(b[next.Text.Start:next.Text.End]) == nil {
			out[i].End, out[i].Text.End = next.End, next.Text.End
			named++
		}
	}
	if named*2 < len(found) {
		return found
	}
	return out
}

// isDivided reports whether each section, and the text before the first, has at most four
// fifths of a text.
func isDivided(found []Heading, size int) bool {
	at, most := 0, 0
	for _, h := range found {
		at, most = int(h.Start), max(most, int(h.Start)-at)
	}
	return max(most, size-at)*5 <= size*4
}
