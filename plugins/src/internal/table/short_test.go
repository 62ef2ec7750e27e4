package table

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
)

func TestPlainTextsAreShownAsTheyAre(t *testing.T) {
	for text, plain := range map[string]bool{
		"a": true, "sensor": true, "eight888": true, "nine99999": true, "two words": true, "seven77 words of a line": true,
		strings.Repeat("long ", 15) + "end": true,
		"":                                  false, " front": false, "back ": false, "two  blanks": false, "1234567  9": false, "12345678  x": false,
		"tab\there": false, "back\\slash": false, "123456789\\": false, "\\n": false, "été": false, "del\x7f": false,
	} {
		b := []byte("<" + text + ">12345678")
		dst, ok := (&Table{b: b}).appendPlain(make([]byte, 0, 256), 1, 1+len(text))
		if ok != plain || ok && string(dst) != text || !ok && len(dst) > 0 {
			t.Errorf("appendPlain(%q) = %q, %t, want %t", text, dst, ok, plain)
		}
		if ok && caption.Of([]byte(text), 200) != text {
			t.Errorf("%q is no line", text)
		}
		if got := escaped(b, 1, 1+len(text)); got != strings.Contains(text, "\\") {
			t.Errorf("escaped(%q) = %t", text, got)
		}
	}
	if escaped([]byte(`abc\defgh`), 0, 3) {
		t.Error("a backslash behind the end counts")
	}
}

func TestSameComparesAllBytesAndNoMore(t *testing.T) {
	for n := range 20 {
		word := strings.Repeat("abcdefg", 3)[:n]
		for change := -1; change < n; change++ {
			other := []byte(word)
			if change >= 0 {
				other[change] ^= 1
			}
			b := []byte(word + "." + string(other) + ",") // what follows differs
			x, y := cell{0, int32(n)}, cell{int32(n) + 1, int32(2*n) + 1}
			if got := same(b, x, y); got != (change < 0) {
				t.Errorf("same(%q, %q) = %t", word, other, got)
			}
		}
	}
	if same([]byte("aaab"), cell{0, 1}, cell{1, 3}) {
		t.Error("texts of two lengths are the same")
	}
}

func TestLongTextIsShownByItsStart(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("a", 79), strings.Repeat("a", 80), strings.Repeat("a", 81), strings.Repeat("word ", 40), strings.Repeat("a ", 200),
		strings.Repeat("a", 76) + " b c d e f g", strings.Repeat("a", 80) + `\n`, strings.Repeat("a", 79) + "é" + strings.Repeat("b", 9),
		strings.Repeat("a", 77) + "  b", strings.Repeat("a", 80) + " b", strings.Repeat(`\"`, 90),
	} {
		b := []byte(text + strings.Repeat(" ", 16))
		table := &Table{b: b}
		out, ok := table.appendLine(make([]byte, 3, 200), 0, len(text), maxTitle)
		want := caption.Of([]byte(text), maxTitle)
		if ok && string(out[3:]) != want || !ok && len(out) != 3 {
			t.Errorf("%q: %q %t, want %q", text, out[3:], ok, want)
		}
	}
}
