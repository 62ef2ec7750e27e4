package passage

import "unicode/utf8"

// Unit is the extent of the surroundings of a match.
type Unit string

// The units. A section begins with a Markdown heading.
const (
	Paragraph Unit = "paragraph"
	Section   Unit = "section"
	Sentence  Unit = "sentence"
	Lines     Unit = "lines"
)

// Around returns the units of text that a match is in. It includes at most limit bytes
// before and after the match.
func Around(text []byte, match Span, unit Unit, limit int) Span {
	return extend(text, match, limit, func(at int) bool { return isBorder(text, at, unit) })
}

// LinesAround returns the lines of a match and n lines before and after it; see Around.
func LinesAround(text []byte, match Span, n, limit int) Span {
	back, ahead := n+1, n+1
	start := Span{match.Start, match.Start}
	before := extend(text, start, limit, func(at int) bool {
		if at <= match.Start && isLineStart(text, at) {
			back--
		}
		return back == 0 || at > match.Start
	})
	end := max(match.Start, match.End)
	if end > match.Start && text[end-1] == '\n' {
		end--
	}
	after := extend(text, Span{end, end}, limit, func(at int) bool {
		if at > end && isLineStart(text, at) {
			ahead--
		}
		return ahead == 0 || at < end
	})
	return Span{before.Start, after.End}
}

// extend extends a span to the next border on both sides, by at most limit bytes.
func extend(text []byte, s Span, limit int, isBorder func(at int) bool) Span {
	start, end := s.Start, s.End
	for start > 0 && s.Start-start < limit && !isBorder(start) {
		start--
	}
	for end < len(text) && end-s.End < limit && (end == s.Start || !isBorder(end)) {
		end++
	}
	for start < s.Start && !utf8.RuneStart(text[start]) {
		start++
	}
	for end > s.End && end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	return Span{start, end}
}

// isBorder reports whether a unit begins or ends at an offset.
func isBorder(text []byte, at int, unit Unit) bool {
	switch unit {
	case Section:
		return isLineStart(text, at) && isHeading(text[at:])
	case Sentence:
		if at > 1 && (isBlank(text[at-1]) || text[at-1] == '\n') && isSentenceEnd(text[at-2]) {
			return true
		}
	case Lines:
		return isLineStart(text, at)
	}
	return isLineStart(text, at) && (isBlankLine(text, at) || followsBlankLine(text, at))
}

func isLineStart(text []byte, at int) bool { return at == 0 || text[at-1] == '\n' }

// followsBlankLine reports whether the line before the one that begins at the given offset
// is blank.
func followsBlankLine(text []byte, at int) bool {
	at -= 2
	for low := max(0, at-maxBlank); at >= low && isBlank(text[at]); {
		at--
	}
	return at < 0 || text[at] == '\n'
}

// isHeading reports whether a line begins with one to six # and a blank.
func isHeading(line []byte) bool {
	n := 0
	for n < len(line) && n < 7 && line[n] == '#' {
		n++
	}
	return n > 0 && n < 7 && n < len(line) && line[n] == ' '
}
