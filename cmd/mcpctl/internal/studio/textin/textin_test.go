package textin

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/studio/screen"
)

// editor is what Line and Area have in common.
type editor interface {
	Insert(string)
	Key(string) bool
	String() string
}

// press enters keys; a word that is no key is inserted.
func press(e editor, keys string) {
	for _, k := range strings.Split(keys, ",") {
		if !e.Key(k) {
			e.Insert(k)
		}
	}
}

func TestLine(t *testing.T) {
	for _, tc := range []struct{ keys, want string }{
		{"abc", "abc"}, {"abc,left,x", "abxc"}, {"abc,home,x", "xabc"}, {"abc,backspace", "ab"}, {"abc,home,delete", "bc"},
		{"abc,left,ctrl+u", "c"}, {"ab cd  ,ctrl+w", "ab "}, {"home,backspace,left,right,delete", ""}, {"é日,left,left,x,end,y", "xé日y"},
		{"a\nb", "a b"},
	} {
		l := NewLine("")
		press(l, tc.keys)
		if l.String() != tc.want {
			t.Errorf("%s: %q, want %q", tc.keys, l.String(), tc.want)
		}
	}
}

func TestArea(t *testing.T) {
	for _, tc := range []struct{ text, keys, want string }{
		{"a\nb\n", "", "a\nb\n"},
		{"ab", "right,enter", "a\nb"},
		{"a\nb", "down,backspace", "ab"},
		{"a\nb", "end,delete,x", "axb"},
		{"long\nx", "end,down,y", "long\nxy"},
		{"a", "up,left,backspace,down,right,right,delete,b", "ab"},
		{"", "one\ntwo,home,x", "one\nxtwo"},
		{"a\r\nb", "", "a\r\nb"},
		{"a\nb\nc", "ctrl+end,!", "a\nb\nc!"},
	} {
		a := NewArea(tc.text)
		press(a, tc.keys)
		if a.String() != tc.want {
			t.Errorf("%q, %s: %q, want %q", tc.text, tc.keys, a.String(), tc.want)
		}
	}
}

func TestDrawnEditorsFit(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	keys := []string{"enter", "up", "down", "left", "right", "home", "end", "backspace", "delete", "\t", "日本", "\x1b[31m", "e\u0301", "👩‍👧", "word", "pgup", "pgdown"}
	for range 300 {
		a, l := NewArea("one\n"+strings.Repeat("x\t", 50)+"\n日本語"), NewLine("x")
		width, height := 1+r.IntN(30), 1+r.IntN(6)
		for range 60 {
			k := keys[r.IntN(len(keys))]
			press(a, k)
			press(l, k)
			lines, x, y := a.Draw(width, height)
			if len(lines) > height || x >= width || y >= len(lines) {
				t.Fatalf("%d lines of %d, cursor %d,%d", len(lines), height, x, y)
			}
			for _, line := range lines {
				if line.Width() > width {
					t.Fatalf("%q is wider than %d", line.String(), width)
				}
			}
			if text, column := l.Draw(width); screen.Width(text) > width || column >= width {
				t.Fatalf("%q, cursor %d: wider than %d", text, column, width)
			}
		}
	}
}
