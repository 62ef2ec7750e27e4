package compress

import (
	"bytes"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/duty"
	"github.com/mcpctl/mcpctl/plugins/src/scan/markdown"
)

// removeRepeats returns a log in which consecutive equal lines are replaced with one
// line and their number.
func removeRepeats(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for at := 0; at < len(b); {
		line, next := nextLine(b, at)
		times := 1
		for next < len(b) {
			again, after := nextLine(b, next)
			if !bytes.Equal(again, line) {
				break
			}
			times, next = times+1, after
		}
		out = append(out, bytes.TrimRight(line, " \t\r")...)
		if times > 1 {
			out = append(out, " (x"...)
			out = append(strconv.AppendInt(out, int64(times), 10), ')')
		}
		out = append(out, '\n')
		at = next
	}
	return out
}

// nextLine returns the line that starts at an offset, without its end, and the offset of the next.
func nextLine(b []byte, at int) (line []byte, next int) {
	if i := bytes.IndexByte(b[at:], '\n'); i >= 0 {
		return b[at : at+i], at + i + 1
	}
	return b[at:], len(b)
}

// rules configures the removal of text from prose.
type rules struct {
	keepHeaders bool
	minLength   int
}

// apply removes decoration, badges, comments, extra blank lines, a table of contents that only
// repeats headings, and paragraphs that were there before. Front matter and code stay unchanged.
// A line of a comment with a duty is kept.
func (r rules) apply(b []byte) []byte {
	doc := markdown.Scan(b)
	w := writer{out: make([]byte, 0, len(b)), keepHeaders: r.keepHeaders}
	fences, headings := doc.Fences, doc.Headings
	comment, seen := false, paragraphs{b: b}
	lastEnd := bytes.LastIndex(b, []byte("-->")) // a comment that begins after it does not end
	afterText := false                           // the last line belongs to a paragraph
	var contents markdown.Span
	if r.keepHeaders {
		contents = tableOfContents(b, doc)
	}
	for at := 0; at < len(b); {
		for len(fences) > 0 && int(fences[0].End) <= at {
			fences = fences[1:]
		}
		for len(headings) > 0 && int(headings[0].Start) < at {
			headings = headings[1:]
		}
		line, next := nextLine(b, at)
		isParagraph := false
		switch {
		case at >= int(contents.Start) && at < int(contents.End):
			w.blank, next = true, int(contents.End)
		case len(headings) > 0 && int(headings[0].Start) == at:
			h := headings[0]
			w.writeHeader(b[h.Text.Start:h.Text.End], int(h.Level))
			next = int(h.End)
		case at < int(doc.Front.End) || len(fences) > 0 && at >= int(fences[0].Start):
			w.writeLine(line)
		default:
			if isParagraph = len(bytes.TrimSpace(line)) > 0; isParagraph && !afterText && !comment && r.minLength == 0 && r.isKept(line) {
				if end := seen.end(at, nextMark(b, fences, headings)); seen.isRepeated(at, end) {
					w.writeLine(appendReference(nil, line))
					next = end
					break
				}
			}
			if comment || bytes.IndexByte(line, '`') < 0 && !isIndentedCode(line) { // code may contain the marks of comments
				line, comment = removeComments(line, comment, lastEnd >= next)
			}
			w.writeProse(line, r.isKept(line))
		}
		at, afterText = next, isParagraph
	}
	return w.finish()
}

func isIndentedCode(line []byte) bool {
	return bytes.HasPrefix(line, []byte("    ")) || bytes.HasPrefix(line, []byte("\t"))
}

// nextMark returns the offset of the next fence or heading.
func nextMark(b []byte, fences []markdown.Fence, headings []markdown.Heading) int {
	end := len(b)
	if len(fences) > 0 {
		end = min(end, int(fences[0].Start))
	}
	if len(headings) > 0 {
		end = min(end, int(headings[0].Start))
	}
	return end
}

// isKept reports whether a line of prose is kept.
func (r rules) isKept(line []byte) bool {
	text := bytes.TrimSpace(line)
	switch {
	case len(text) == 0 || isDecoration(text) || isBadge(text) && !duty.IsDuty(string(text)):
		return false
	case isItem(text) || text[0] == '|' || text[0] == '>' || duty.IsDuty(string(text)):
		return true
	}
	return len(text) >= r.minLength
}

// isDecoration reports whether a line consists of four or more punctuation marks. The
// underline of a heading and the delimiter row of a table are not decoration.
func isDecoration(text []byte) bool {
	return len(text) >= 4 && len(bytes.Trim(text, "-=*_~#+. ")) == 0 && bytes.IndexByte(text, '|') < 0
}

// isBadge reports whether a line consists of linked images.
func isBadge(text []byte) bool {
	for len(text) > 0 {
		if !bytes.HasPrefix(text, []byte("[![")) {
			return false
		}
		end := bytes.Index(text, []byte(")]("))
		if end < 0 {
			return false
		}
		last := bytes.IndexByte(text[end+3:], ')')
		if last < 0 {
			return false
		}
		text = bytes.TrimSpace(text[end+3+last+1:])
	}
	return true
}

func isItem(text []byte) bool {
	rest := bytes.TrimLeft(text, "0123456789")
	if len(rest) < len(text) {
		return len(rest) > 1 && (rest[0] == '.' || rest[0] == ')') && rest[1] == ' '
	}
	return len(text) > 1 && bytes.IndexByte([]byte("-*+"), text[0]) >= 0 && text[1] == ' '
}

// removeComments removes HTML comments from a line, but not the text of one that states a duty.
// open reports whether the line begins inside a comment, and endsBelow whether a comment that
// begins in it may end below. One that does not end is text.
func removeComments(line []byte, open, endsBelow bool) (rest []byte, stillOpen bool) {
	for {
		if open {
			end := bytes.Index(line, []byte("-->"))
			text := line[:max(end, 0)]
			if end < 0 {
				text = line
			}
			if duty.IsDuty(string(text)) {
				rest = append(rest[:len(rest):len(rest)], text...)
			}
			if end < 0 {
				return rest, true
			}
			line = line[end+3:]
		}
		start := bytes.Index(line, []byte("<!--"))
		if start < 0 || !endsBelow && !bytes.Contains(line[start:], []byte("-->")) {
			return append(rest[:len(rest):len(rest)], line...), false
		}
		rest = append(rest[:len(rest):len(rest)], line[:start]...)
		line, open = line[start+4:], true
	}
}

// writer joins the lines that are kept, with single blank lines between paragraphs.
type writer struct {
	out         []byte
	blank       bool
	keepHeaders bool
	empty       []header // preceding headers without text so far
}

type header struct{ at, level int }

func (w *writer) writeProse(line []byte, keep bool) {
	if keep && bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte("|")) {
		w.writeLine(compactRow(line))
	} else if keep {
		w.writeLine(bytes.TrimRight(line, " \t\r"))
	} else {
		w.blank = true
	}
}

// writeLine adds a line unchanged.
func (w *writer) writeLine(line []byte) {
	w.empty = w.empty[:0]
	w.writeRaw(line)
}

func (w *writer) writeRaw(line []byte) {
	if w.blank && len(w.out) > 0 {
		w.out = append(w.out, '\n')
	}
	w.blank = false
	w.out = append(append(w.out, line...), '\n')
}

// writeHeader adds a header in ATX form. Preceding headers without text are removed unless
// they are ancestors of it.
func (w *writer) writeHeader(text []byte, level int) {
	w.dropEmpty(level)
	at := len(w.out)
	w.blank = true
	w.writeRaw(append(append(bytes.Repeat([]byte{'#'}, level), ' '), bytes.ReplaceAll(text, []byte("\n"), []byte(" "))...))
	if duty.IsDuty(string(text)) {
		w.empty = w.empty[:0]
	} else {
		w.empty = append(w.empty, header{at, level})
	}
}

// dropEmpty removes preceding empty headers of this level and below.
func (w *writer) dropEmpty(level int) {
	for n := len(w.empty); !w.keepHeaders && n > 0 && w.empty[n-1].level >= level; n-- {
		w.out, w.empty = w.out[:w.empty[n-1].at], w.empty[:n-1]
	}
}

func (w *writer) finish() []byte {
	w.dropEmpty(1)
	return w.out
}
