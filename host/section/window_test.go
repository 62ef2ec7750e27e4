package section_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/section"
)

// TestWindowsOfParagraphs checks that windows end after blank lines if possible, and that
// their titles begin with the first line that is not indented.
func TestWindowsOfParagraphs(t *testing.T) {
	var text []byte
	for i := range 40 {
		text = fmt.Appendf(text, "walk%d :: Doc -> Doc\n%s\n", i, strings.Repeat("  where x = y\n", 4))
	}
	d := open(t, content{text: text}, section.Settings{LeafSize: 400})
	a := d.Read(ref, "")
	for _, line := range bytes.Split(bytes.TrimSpace(a.Text), []byte("\n")) {
		if bytes.HasPrefix(line, []byte("[")) && !bytes.Contains(line, []byte("] walk")) {
			t.Errorf("window begins inside a function: %s", line)
		}
	}
	long := []byte(strings.Repeat("    indented text that goes on\n", 9) + "main = do\n" + strings.Repeat("    more of it\n", 60))
	d = open(t, content{text: long}, section.Settings{LeafSize: 400})
	if a := d.Read(ref, ""); !bytes.Contains(a.Text, []byte("@0] main = do")) {
		t.Errorf("no title begins with the line that is not indented:\n%s", a.Text)
	}
}

// TestLevelsOfWindows checks that all levels of windows have about the same number of lines,
// which minimises the lines on the way to a leaf.
func TestLevelsOfWindows(t *testing.T) {
	for _, c := range []struct{ units, most int }{{24, 24}, {30, 8}, {100, 13}, {500, 24}, {2000, 20}} {
		text := bytes.Repeat([]byte(strings.Repeat("x", 99)+"\n"), c.units*4)
		d := open(t, content{text: text}, section.Settings{LeafSize: 400})
		for id, level := "", 0; ; level++ {
			a := d.Read(ref, id)
			if a.Meta.Kind == flow.AnswerLeaf {
				break
			}
			if n := len(a.Meta.Offers); n < 2 || n > c.most {
				t.Errorf("%d windows, level %d: %d lines, want at most %d", c.units, level, n, c.most)
			}
			id = a.Meta.Offers[0]
		}
	}
}

// TestWindowsOfJSONLine checks that windows of one long line of JSON begin with an object if
// possible, because its id helps to choose a window.
func TestWindowsOfJSONLine(t *testing.T) {
	var text []byte
	for i := range 2000 {
		text = fmt.Appendf(text, `{"id": %d, "name": "node of number %d", "in": {"x": 1}}, `, i, i)
	}
	for _, text := range [][]byte{text, bytes.ReplaceAll(text, []byte("}, "), []byte("},"))} {
		a := open(t, content{text: append([]byte("["), text...)}, section.Settings{LeafSize: 400}).Read(ref, "")
		for _, line := range strings.Split(strings.TrimSpace(string(a.Text)), "\n") {
			if strings.HasPrefix(line, "[") && !strings.Contains(line, `] {"id":`) && !strings.Contains(line, `] [{"id":`) {
				t.Errorf("window begins inside an object: %s", line)
			}
		}
	}
}
