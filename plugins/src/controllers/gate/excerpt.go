package gate

import (
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/plugins/src/controllers/gate/internal/keyword"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// decodeLiteral decodes the start of the JSON string at a span of b, which includes the quotes.
func decodeLiteral(b stage.Buf, at stage.Span) string {
	p := make([]byte, min(at.End-at.Start-2, maxTagBytes))
	n, _ := b.ReadAt(p, int64(at.Start+1))
	return keyword.Unescape(p[:n])
}

// readHead returns the first limit bytes of b.
func readHead(b stage.Buf, limit int) []byte {
	p := make([]byte, min(b.Len(), limit))
	n, _ := b.ReadAt(p, 0)
	return p[:n]
}

// readString returns up to limit bytes of b, cut at a rune boundary.
func readString(b stage.Buf, limit int) string {
	p := readHead(b, limit)
	for i := 1; i < utf8.UTFMax && i <= len(p); i++ {
		if last := p[len(p)-i:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				p = p[:len(p)-i]
			}
			break
		}
	}
	return string(p)
}
