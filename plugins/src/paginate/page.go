package paginate

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// page is one part of the content.
type page struct {
	start, end  int // bytes
	first, last int // lines it lies on, counted from 1
}

// formatID returns the location of the page in b in the format of the windows of the host:
// lines 33 to 66, the start byte 1965, and the end byte if that is inside a line. So an
// id means the same bytes with any page size.
func (p page) formatID(b []byte) string {
	id := "L" + strconv.Itoa(p.first) + "-" + strconv.Itoa(p.last) + "@" + strconv.Itoa(p.start)
	if p.end < len(b) && b[p.end-1] != '\n' {
		id += "-" + strconv.Itoa(p.end)
	}
	return id
}

// tail is the divisor of the page size below which the rest of the content joins the
// last page: listing it would take as many characters as it has.
const tail = 20

// splitPages divides b into pages of at most size characters. A page ends at the last line end
// in its second half, or else at a blank, or else between two characters.
func splitPages(b []byte, size int) []page {
	var pages []page
	line := 1
	for at := 0; at < len(b); {
		end := skipChars(b, at, size)
		if skipChars(b, end, size/tail) == len(b) {
			end = len(b)
		}
		if end < len(b) {
			end = findPageEnd(b, at, end)
		}
		p := page{start: at, end: end, first: line}
		line += bytes.Count(b[at:end], []byte("\n"))
		p.last = line
		if b[end-1] == '\n' {
			p.last--
		}
		pages = append(pages, p)
		at = end
	}
	return pages
}

// skipChars returns the offset n characters after at, at most the end of b.
func skipChars(b []byte, at, n int) int {
	for n > 0 && at < len(b) {
		if b[at] < utf8.RuneSelf {
			at++
		} else {
			_, width := utf8.DecodeRune(b[at:])
			at += width
		}
		n--
	}
	return at
}

// findPageEnd returns the best place to end a page of b[at:end].
func findPageEnd(b []byte, at, end int) int {
	half := at + (end-at)/2
	if i := bytes.LastIndexByte(b[half:end], '\n'); i >= 0 {
		return half + i + 1
	}
	if i := bytes.LastIndexByte(b[half:end], ' '); i >= 0 {
		return half + i + 1
	}
	return end
}
