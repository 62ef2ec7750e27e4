package cell

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
)

func TestAppendPlain(t *testing.T) {
	for text, plain := range map[string]bool{
		"a": true, "sensor": true, "eight888": true, "nine99999": true, "two words": true, "seven77 words of a line": true,
		strings.Repeat("long ", 15) + "end": true,
		"":                                  false, " front": false, "back ": false, "two  blanks": false, "1234567  9": false, "12345678  x": false,
		"tab\there": false, "back\\slash": false, "123456789\\": false, "\\n": false, "été": false, "del\x7f": false,
	} {
		b := []byte("<" + text + ">12345678")
		dst, ok := (&Text{B: b}).AppendPlain(make([]byte, 0, 256), 1, 1+len(text))
		if ok != plain || ok && string(dst) != text || !ok && len(dst) > 0 {
			t.Errorf("AppendPlain(%q) = %q, %t, want %t", text, dst, ok, plain)
		}
		if ok && caption.Of([]byte(text), 200) != text {
			t.Errorf("caption of %q differs", text)
		}
		if got := hasEscape(b, 1, 1+len(text)); got != strings.Contains(text, "\\") {
			t.Errorf("hasEscape(%q) = %t", text, got)
		}
	}
	if hasEscape([]byte(`abc\defgh`), 0, 3) {
		t.Error("hasEscape reads a backslash after the end")
	}
}

func TestSame(t *testing.T) {
	for n := range 20 {
		word := strings.Repeat("abcdefg", 3)[:n]
		for change := -1; change < n; change++ {
			other := []byte(word)
			if change >= 0 {
				other[change] ^= 1
			}
			b := []byte(word + "." + string(other) + ",") // the texts after them differ
			x, y := Cell{0, int32(n)}, Cell{int32(n) + 1, int32(2*n) + 1}
			if got := Same(b, x, y); got != (change < 0) {
				t.Errorf("Same(%q, %q) = %t", word, other, got)
			}
		}
	}
	if Same([]byte("aaab"), Cell{0, 1}, Cell{1, 3}) {
		t.Error("texts of different lengths are the same")
	}
}

func TestAppendLine(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("a", 79), strings.Repeat("a", 80), strings.Repeat("a", 81), strings.Repeat("word ", 40), strings.Repeat("a ", 200),
		strings.Repeat("a", 76) + " b c d e f g", strings.Repeat("a", 80) + `\n`, strings.Repeat("a", 79) + "é" + strings.Repeat("b", 9),
		strings.Repeat("a", 77) + "  b", strings.Repeat("a", 80) + " b", strings.Repeat(`\"`, 90),
	} {
		b := []byte(text + strings.Repeat(" ", 16))
		text2 := &Text{B: b}
		out, ok := text2.AppendLine(make([]byte, 3, 200), 0, len(text), maxCaption)
		want := caption.Of([]byte(text), maxCaption)
		if ok && string(out[3:]) != want || !ok && len(out) != 3 {
			t.Errorf("%q: %q %t, want %q", text, out[3:], ok, want)
		}
	}
}

func TestDigits(t *testing.T) {
	for text, want := range map[string]uint64{"0": 0, "7": 7, "10": 10, "007": 7, "12345678": 12345678, "99999999": 99999999, "90": 90, "1000001": 1000001} {
		if got, ok := Digits([]byte("["+text+",       "), Cell{1, 1 + int32(len(text))}); !ok || got != want {
			t.Errorf("Digits(%s) = %d, %t", text, got, ok)
		}
	}
	for _, text := range []string{"", "-1", "1.5", "1e3", "123456789", "1:", "1/", "\xb01", "é1"} {
		if _, ok := Digits([]byte("["+text+",       "), Cell{1, 1 + int32(len(text))}); ok {
			t.Errorf("Digits(%q) succeeds", text)
		}
	}
	if _, ok := Digits([]byte("[12]"), Cell{1, 3}); ok {
		t.Error("Digits reads a word beyond the text")
	}
}
