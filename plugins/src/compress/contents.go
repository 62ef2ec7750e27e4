package compress

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/duty"
	"github.com/mcpctl/mcpctl/plugins/src/scan/markdown"
)

// minContents is the number of entries from which a list is a table of contents.
const minContents = 3

// tableOfContents returns the span of the first list that only repeats headings of the text as
// links to them, empty if there is none.
func tableOfContents(b []byte, doc *markdown.Doc) (span markdown.Span) {
	if len(doc.Headings) < minContents {
		return span
	}
	titles := make(map[string]bool)
	for _, h := range doc.Headings {
		titles[string(plainWord(b[h.Text.Start:h.Text.End]))] = true
	}
	entries, start := 0, 0
	fences := doc.Fences
	for at := int(doc.Front.End); at < len(b); {
		for len(fences) > 0 && int(fences[0].End) <= at {
			fences = fences[1:]
		}
		line, next := nextLine(b, at)
		inFence := len(fences) > 0 && at >= int(fences[0].Start)
		switch text := contentsEntry(line); {
		case !inFence && text != nil && titles[string(plainWord(text))] && !duty.IsDuty(string(line)):
			if entries == 0 {
				start = at
			}
			if entries++; entries >= minContents {
				span = markdown.Span{Start: int32(start), End: int32(next)}
			}
		case entries >= minContents && len(bytes.TrimSpace(line)) > 0:
			return span
		case len(bytes.TrimSpace(line)) > 0:
			entries = 0
		}
		at = next
	}
	return span
}

// contentsEntry returns the text of the link that a list item consists of, nil unless its target
// is in the same text.
func contentsEntry(line []byte) []byte {
	line = bytes.TrimSpace(line)
	if !isItem(line) {
		return nil
	}
	line = bytes.TrimSpace(line[bytes.IndexByte(line, ' '):])
	end := bytes.Index(line, []byte("](#"))
	if end < 1 || line[0] != '[' || bytes.IndexByte(line, ')') != len(line)-1 && bytes.Contains(line[end:len(line)-1], []byte(")")) || line[len(line)-1] != ')' {
		return nil
	}
	return line[1:end]
}
