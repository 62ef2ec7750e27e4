package passage

import "unicode/utf8"

// Unit is what is shown round a place.
type Unit string

// The units. A section begins with a Markdown heading.
const (
	Paragraph Unit = "paragraph"
	Section   Unit = "section"
	Sentence  Unit = "sentence"
	Lines     Unit = "lines"
)

// Around gives the unit of text that a place stands in, or of which it has parts. Of
// one that has more than most bytes before or behind the place, that many are left.
func Around(text []byte, place Span, unit Unit, most int) Span {
	return reach(text, place, most, func(at int) bool { return border(text, at, unit) })
}

// LinesAround gives the lines of a place and n lines before and behind it; see Around.
func LinesAround(text []byte, place Span, n, most int) Span {
	back, ahead := n+1, n+1
	start := Span{place.Start, place.Start}
	before := reach(text, start, most, func(at int) bool {
		if at <= place.Start && lineStart(text, at) {
			back--
		}
		return back == 0 || at > place.Start
	})
	end := max(place.Start, place.End)
	if end > place.Start && text[end-1] == '\n' {
		end--
	}
	behind := reach(text, Span{end, end}, most, func(at int) bool {
		if at > end && lineStart(text, at) {
			ahead--
		}
		return ahead == 0 || at < end
	})
	return Span{before.Start, behind.End}
}

// reach widens a place to the next border on both sides.
func reach(text []byte, place Span, most int, border func(at int) bool) Span {
	start, end := place.Start, place.End
	for start > 0 && place.Start-start < most && !border(start) {
		start--
	}
	for end < len(text) && end-place.End < most && (end == place.Start || !border(end)) {
		end++
	}
	for start < place.Start && !utf8.RuneStart(text[start]) {
		start++
	}
	for end > place.End && end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	return Span{start, end}
}

// border reports whether a unit begins or ends at an offset.
func border(text []byte, at int, unit Unit) bool {
	switch unit {
	case Section:
		return lineStart(text, at) && heading(text[at:])
	case Sentence:
		if at > 1 && (blank(text[at-1]) || text[at-1] == '\n') && ends(text[at-2]) {
			return true
		}
	case Lines:
		return lineStart(text, at)
	}
	return lineStart(text, at) && (blankLine(text, at) || blankBefore(text, at))
}

func lineStart(text []byte, at int) bool { return at == 0 || text[at-1] == '\n' }

// blankBefore reports whether the line before the one that begins at has nothing in it.
func blankBefore(text []byte, at int) bool {
	at -= 2
	for low := max(0, at-maxBlank); at >= low && blank(text[at]); {
		at--
	}
	return at < 0 || text[at] == '\n'
}

// heading reports whether a line begins with one to six # and a blank.
func heading(line []byte) bool {
	n := 0
	for n < len(line) && n < 7 && line[n] == '#' {
		n++
	}
	return n > 0 && n < 7 && n < len(line) && line[n] == ' '
}
