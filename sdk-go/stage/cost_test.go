//go:build !wasip1

package stage

import (
	"testing"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
)

// counting answers section_add and buf_find without doing anything.
type counting struct {
	raw.Host
	adds int32
}

func (h *counting) SectionAdd(parent, buf, start, end int32, title string) int32 {
	h.adds++
	return h.adds - 1
}

func (h *counting) BufFind(buf, off int32, needle string) int32 { return off }

func (h *counting) OutSpan(buf, off, n int32) int32 { return 0 }

// The calls that a split makes for each of 40,000 Sections allocate nothing in the guest.
func TestHotCallsDoNotAllocate(t *testing.T) {
	raw.Use(&counting{})
	defer raw.Use(nil)
	c := newCtx(&call{})
	calls := map[string]func(){
		"Sections.Add":   func() { c.Sections.Add(Top, c.Input, 0, 10, "title") },
		"Sections.Group": func() { c.Sections.Group(Top, "title") },
		"Find":           func() { c.Input.FindFrom(3, "\n# ") },
		"Out.Span":       func() { c.Out.Span(c.Input, 0, -1) },
	}
	for name, f := range calls {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}
