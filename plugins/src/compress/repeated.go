package compress

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/duty"
)

const (
	minParagraph = 160 // bytes from which a paragraph is compared with others
	maxReference = 60  // bytes of a paragraph that name it
	maxTrailing  = 64  // blanks at the end of a paragraph
)

// paragraphs finds paragraphs that were there before.
type paragraphs struct {
	b     []byte
	known firstEqual
	heads map[uint64]int32 // by hash of what names it: the first paragraph, ambiguous if there are others
}

const ambiguous = -1

// end returns the end of the paragraph at an offset, at most limit: it ends before a blank line.
func (p *paragraphs) end(at, limit int) int {
	for at < limit {
		line, next := nextLine(p.b, at)
		if len(bytes.TrimSpace(line)) == 0 {
			break
		}
		at = next
	}
	return min(at, limit)
}

// isRepeated reports whether a paragraph was there before. One with a duty, a comment or
// indented code is not compared.
func (p *paragraphs) isRepeated(start, end int) bool {
	text := trimLines(p.b[start:end])
	if len(text) < minParagraph || text[0] == '\t' || bytes.HasPrefix(text, []byte("    ")) || bytes.Contains(text, []byte("<!--")) || duty.IsDuty(string(text)) {
		return false
	}
	if p.known == nil {
		p.known, p.heads = make(firstEqual), make(map[uint64]int32)
	}
	first := p.known.add(int32(start), hashText(0, text), func(j int32) bool {
		limit := min(len(p.b), int(j)+len(text)+maxTrailing)
		return bytes.Equal(trimLines(p.b[j:p.end(int(j), limit)]), text)
	})
	head := hashText(0, text[:maxReference/2])
	if named, ok := p.heads[head]; !ok {
		p.heads[head] = first
	} else if named != first {
		p.heads[head] = ambiguous
	}
	return first != int32(start) && p.heads[head] == first
}

// appendReference appends a line that stands for a repeated paragraph.
func appendReference(dst, text []byte) []byte {
	dst = append(dst, "(as above: "...)
	return append(caption.Append(dst, text, maxReference), ')')
}
