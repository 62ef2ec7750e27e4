package textlines

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/sdk-go/stage"
	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

// withText calls f with a text.
func withText(t *testing.T, text string, f func(b stage.Buf)) {
	t.Helper()
	run = f
	if r := stagetest.Run("probe", stagetest.Call{Input: text}); r.Outcome != stagetest.Pass {
		t.Fatal(r.Reason)
	}
}

var run func(b stage.Buf)

func init() {
	stage.Register("probe", func(c *stage.Ctx) error { run(c.Input); return stage.Pass })
}

// The results do not depend on the borders of blocks.
func TestLinesOfAnySize(t *testing.T) {
	for _, text := range []string{
		"", "a", "a\n", "\n", "a\nb", "\n\n\n",
		strings.Repeat("\n", 2*blockSize+1), strings.Repeat("x", blockSize-1) + "\ny", strings.Repeat("x", blockSize) + "\ny\n",
		strings.Repeat("a line of text\n", blockSize/7), strings.Repeat("x", 3*blockSize),
	} {
		withText(t, text, func(b stage.Buf) {
			want := strings.SplitAfter(text, "\n")
			if want[len(want)-1] == "" {
				want = want[:len(want)-1]
			}
			if got := Count(b); got != len(want) {
				t.Errorf("%.20q of %d: %d lines, want %d", text, len(text), got, len(want))
			}
			at := 0
			for i, line := range want {
				if i < 5 || i > len(want)-5 {
					if off, ok := Start(b, i+1); !ok || off != at {
						t.Errorf("%.20q of %d: line %d at %d %v, want %d", text, len(text), i+1, off, ok, at)
					}
				}
				at += len(line)
			}
			if off, ok := Start(b, len(want)+1); ok && len(want) > 0 {
				t.Errorf("%.20q of %d: a line after the last at %d", text, len(text), off)
			}
		})
	}
}
