package section

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// windows cuts a long part into at most lines ranges, each of at most unit
// bytes or, where that is not enough, of so many units that such a range, which
// is answered by windows of its own, has about as many. Names come from name.
func (d *Doc) windows(p part, unit, lines int, name rangeName) []part {
	base := &p
	if p.kind == partRange {
		base = p.base
	}
	size := windowSize(p.end-p.start, unit, lines)
	var cuts []int
	for {
		if cuts = cutAll(p, size, lines); cuts != nil {
			break
		}
		size *= 2
	}
	return ranges(base, p.start, cuts, name)
}

// ranges are the windows of base from start on that end at the cuts.
func ranges(base *part, start int, cuts []int, name rangeName) []part {
	list := make([]part, len(cuts))
	for i, end := range cuts {
		list[i] = derive(partRange, base, start, end, name(base, start, end))
		start = end
	}
	return list
}

// windowSize is that of the windows on the first of as few levels as do. All levels
// have about as many windows: 30 units are 6 times 5, which a reader finds the way
// through by 11 lines, rather than 24 and 6 by 26.
func windowSize(total, unit, lines int) int {
	power := func(base, levels int) int {
		n := 1
		for range levels {
			n *= base
		}
		return n
	}
	units := (total + unit - 1) / unit
	levels := 1
	for power(lines, levels) < units {
		levels++
	}
	if levels == 1 {
		return unit
	}
	per := 2
	for power(per, levels) < units {
		per++
	}
	return unit * power(per, levels-1)
}

// cutAll returns the ends of the windows of p, or nil if they are too many.
func cutAll(p part, size, most int) []int {
	var cuts []int
	for at := p.start; at < p.end; {
		if len(cuts) == most {
			return nil
		}
		at = cut(p.space.text, at, p.end, size)
		cuts = append(cuts, at)
	}
	return cuts
}

// cut returns where a window of at most size bytes that begins at start ends: behind
// the last blank line of its last quarter, else at the last line end, else the last
// blank of its second half, else a border between characters that is not inside an
// escape of a JSON string.
func cut(text []byte, start, end, size int) int {
	if end-start <= size {
		return end
	}
	limit := start + size
	tail := start + size*3/4
	for _, blank := range [...]string{"\n\n", "\n\r\n"} { // what stands between two of them belongs together
		if i := bytes.LastIndex(text[tail:limit], []byte(blank)); i >= 0 {
			return tail + i + len(blank)
		}
	}
	if i := bytes.LastIndexByte(text[start:limit], '\n'); i >= 0 {
		return start + i + 1
	}
	half := start + size/2
	for _, between := range [...]string{"},{", "}, {"} {
		if i := bytes.LastIndex(text[half:limit], []byte(between)); i >= 0 {
			return half + i + len("},")
		}
	}
	if i := bytes.LastIndexAny(text[half:limit], " \t"); i >= 0 {
		return border(text, start, half+i+1)
	}
	return border(text, start, limit)
}

// border moves a cut back to where a character, and an escape of a JSON string,
// begins; back to start at most, then on to the next one.
func border(text []byte, start, at int) int {
	from := at
	for at > start && !isBorder(text, at) {
		at--
	}
	at = escapeStart(text, start, at)
	if at > start {
		return at
	}
	for at = from; at < len(text) && !utf8.RuneStart(text[at]); {
		at++
	}
	return at
}

// escapeStart returns where the escape begins that a cut at would split, a pair
// of surrogates taken as one, or at itself. In a text that is no JSON it may
// move a cut too, by 11 bytes at most.
func escapeStart(text []byte, start, at int) int {
	for _, back := range [...]int{1, 2, 3, 4, 5} {
		i := at - back
		if i < start || text[i] != '\\' {
			continue
		}
		if !opensEscape(text, start, i) {
			return at
		}
		if back > 1 && (i+1 >= len(text) || text[i+1] != 'u') {
			return at
		}
		at = i
		break
	}
	if at-6 >= start && isSurrogate(text[at-6:], 'd', "89ab") && isSurrogate(text[at:], 'd', "cdef") &&
		opensEscape(text, start, at-6) {
		return at - 6
	}
	return at
}

// opensEscape reports whether the backslash at i is not itself escaped.
func opensEscape(text []byte, start, i int) bool {
	n := 0
	for i-n > start && text[i-n-1] == '\\' {
		n++
	}
	return n%2 == 0
}

func isSurrogate(b []byte, hi byte, second string) bool {
	return len(b) >= 6 && b[0] == '\\' && b[1] == 'u' && b[2]|0x20 == hi &&
		bytes.IndexByte([]byte(second), b[3]|0x20) >= 0
}

// rangeName spells a range of base, with the sign that parts it from the path.
type rangeName func(base *part, start, end int) string

// lineRange names a window by its lines and bytes: ~L33-66@1965 ends with line
// 66 or with the part, ~L7-7@100-3100 at byte 3100.
func lineRange(base *part, start, end int) string {
	first, last := base.space.lineEnds(start)+1, base.space.lineEnds(end-1)+1
	id := windowSign + strconv.Itoa(first) + "-" + strconv.Itoa(last) + "@" + strconv.Itoa(start)
	if end != base.end && base.space.text[end-1] != '\n' {
		id += "-" + strconv.Itoa(end)
	}
	return id
}

// byteRange names a piece of "id!" by its bytes within the part.
func byteRange(base *part, start, end int) string {
	return "!" + strconv.Itoa(start-base.start) + "-" + strconv.Itoa(end-base.start)
}

// parseLines reads what lineRange writes, and shorter forms of it; false if seg
// is none or names nothing inside base.
func parseLines(base *part, seg string) (start, end int, ok bool) {
	var first, last int
	if first, seg, ok = cutNumber(seg, "~L"); !ok || base.space == nil {
		return 0, 0, false
	}
	if last, seg, ok = cutNumber(seg, "-"); !ok {
		last = first
	}
	text, explicit := base.space.text, 0
	at, rest, hasByte := cutNumber(seg, "@")
	if hasByte {
		start, seg = at, rest
		if explicit, seg, ok = cutNumber(seg, "-"); !ok {
			explicit = 0
		}
	} else {
		start = max(base.space.lineStart(first-1), base.start)
	}
	if seg != "" || first < 1 || start < base.start || start >= base.end || last < first {
		return 0, 0, false
	}
	if end = explicit; end == 0 {
		end = base.space.lineStart(last)
	}
	start, end = settle(text, base, base.start, start), min(end, base.end)
	return start, settle(text, base, start, end), start < end
}

// settle moves one end of a range to a border, unless lines or the part end
// there anyway.
func settle(text []byte, base *part, start, at int) int {
	if at <= start || at >= base.end || text[at-1] == '\n' {
		return at
	}
	return border(text, start, at)
}

// cutNumber reads a number behind prefix.
func cutNumber(s, prefix string) (n int, rest string, ok bool) {
	if len(s) <= len(prefix) || s[:len(prefix)] != prefix {
		return 0, s, false
	}
	i := len(prefix)
	for i < len(s) && i < len(prefix)+12 && '0' <= s[i] && s[i] <= '9' {
		n = n*10 + int(s[i]-'0')
		i++
	}
	return n, s[i:], i > len(prefix)
}

// long reports whether a part without parts is more than is read at once.
func (d *Doc) long(p *part) bool { return p.end-p.start > 2*d.set.LeafSize }
