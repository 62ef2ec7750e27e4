package markdown

import (
	"bytes"
	"testing"
)

// Headings, fences and blocks of any text are spans of it, in order, and no heading is in
// a fence.
func FuzzScan(f *testing.F) {
	for _, text := range []string{"---\na: b\n---\n# x\n", "# a #\n```\n# b\n```\nc\n===\n", "- x\n  # y\n> # z\n\xef\xbb\xbf# w", "<!-- # a\n# b --> \n# c\r\n",
		"Part 1\n\nA\n\nb\nc\n\nPart 2\n\nB\n\n```\nx\n```\n\nPart III: x\r\n\r\nC\n", "AAA\n\nb\n\nCCC\n\nd\n\nEEE\n\nf\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		doc := Scan(b)
		if len(doc.Headings) == 0 {
			doc = doc.WithPlainHeadings(b)
		}
		at := doc.Front.End
		fence := 0
		for _, h := range doc.Headings {
			if h.Start < at || h.End <= h.Start || int(h.End) > len(b) || h.Text.Start < h.Start || h.Text.End > h.End || h.Level < 1 || h.Level > 6 {
				t.Fatalf("heading %+v after %d of %d", h, at, len(b))
			}
			at = h.End
			for fence < len(doc.Fences) && doc.Fences[fence].End <= h.Start {
				fence++
			}
			if fence < len(doc.Fences) && doc.Fences[fence].Start < h.End {
				t.Fatalf("heading %+v in fence %+v", h, doc.Fences[fence])
			}
			AppendTitle(nil, b[h.Text.Start:h.Text.End])
		}
		at = -1
		for _, start := range doc.Blocks {
			if start <= at || int(start) >= len(b) || start > 0 && b[start-1] != '\n' && !bytes.HasPrefix(b, []byte("\xef\xbb\xbf")) {
				t.Fatalf("block at %d after %d", start, at)
			}
			at = start
		}
	})
}
