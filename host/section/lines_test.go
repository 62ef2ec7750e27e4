package section_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host/section"
)

// Lines are counted from tables of 64 KiB; where a block ends must not show.
func TestEveryLineIsFoundByItsNumber(t *testing.T) {
	const block = 64 << 10
	for name, text := range map[string]string{
		"lines of one length":           strings.Repeat("fifteen letters\n", 3*block/16),
		"a line end ends the block":     strings.Repeat("a", block-1) + "\n" + strings.Repeat("b", block-2) + "\nc\n\nd",
		"a line end begins the block":   strings.Repeat("a", block) + "\n" + strings.Repeat("b", block) + "\n\nc",
		"a line over more than a block": "a\n" + strings.Repeat("b", 3*block) + "\nc\n",
		"blank lines":                   strings.Repeat("\n", 2*block+5),
		"no line end":                   strings.Repeat("a", 2*block),
	} {
		d := open(t, content{text: []byte(text)}, section.Settings{LeafSize: 4 * block})
		lines := bytes.SplitAfter([]byte(text), []byte("\n"))
		if last := len(lines) - 1; len(lines[last]) == 0 {
			lines = lines[:last]
		}
		at := 0
		for i, line := range lines {
			if near := min(at%block, block-at%block) < 40; near || i < 3 || i > len(lines)-3 {
				id := fmt.Sprintf("~L%d-%d", i+1, i+1)
				a := d.Read(ref, id)
				if want := fmt.Sprintf("%s@%d", id, at); !bytes.Equal(a.Text, line) || a.Meta.Section != want {
					t.Fatalf("%s: Read(%q) is %d bytes of %q, want %d of %q", name, id, len(a.Text), a.Meta.Section, len(line), want)
				}
			}
			at += len(line)
		}
		if a := d.Read(ref, fmt.Sprintf("~L%d", len(lines)+1)); !a.IsError {
			t.Errorf("%s: a line behind the last reads %q", name, a.Text)
		}
	}
}
