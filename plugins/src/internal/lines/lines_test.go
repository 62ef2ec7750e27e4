package lines

import (
	"bytes"
	"strings"
	"testing"
)

func TestCount(t *testing.T) {
	for _, text := range []string{"", "\n", "a\nb", strings.Repeat("\n", 30), strings.Repeat("ab\x8a\x0b\n\t", 30), "\x0a\x8a\x0a\x80\x09\x0b\x0a\x0a"} {
		for from := range len(text) + 1 {
			b := []byte(text[from:])
			if got, want := Count(b), bytes.Count(b, []byte("\n")); got != want {
				t.Errorf("%q: %d, want %d", b, got, want)
			}
		}
	}
}

func TestIndexByte(t *testing.T) {
	text := "no b\x81t\x1b beyond eight\n\x1a\x1c and \x9b more\n[\x1b"
	for from := range len(text) + 1 {
		for _, c := range []byte("\x1b\n\x00nm\x9b") {
			b := []byte(text[from:])
			if got, want := IndexByte(b, c), bytes.IndexByte(b, c); got != want {
				t.Errorf("%q in %q: %d, want %d", c, b, got, want)
			}
		}
	}
}

func TestCounter(t *testing.T) {
	text := "a\nb\n\nlong line of more than eight bytes\nend"
	c := NewCounter([]byte(text))
	for at := 0; at <= len(text); at += 3 {
		if got, want := c.Line(at), 1+strings.Count(text[:at], "\n"); got != want {
			t.Errorf("offset %d: line %d, want %d", at, got, want)
		}
	}
}

func TestEnd(t *testing.T) {
	for _, c := range []struct {
		text    string
		p, want int
	}{{"", 0, 0}, {"a\nb", 0, 2}, {"a\nb", 1, 2}, {"a\nb", 2, 3}, {"\r\n", 0, 2}} {
		if got := End([]byte(c.text), c.p); got != c.want {
			t.Errorf("%q from %d: %d, want %d", c.text, c.p, got, c.want)
		}
	}
	for _, text := range []string{strings.Repeat("x", 40) + "\n" + strings.Repeat("y", 20), strings.Repeat("ab\x8a\x0b\n\t\x00", 9), "\x09\x0b\x8a\x0a\x0b\x0a\x00\x0a\x0b"} {
		for p := range len(text) + 1 {
			want := len(text)
			if i := strings.IndexByte(text[p:], '\n'); i >= 0 {
				want = p + i + 1
			}
			if got := End([]byte(text), p); got != want {
				t.Errorf("%q from %d: %d, want %d", text, p, got, want)
			}
		}
	}
}

func TestIndex(t *testing.T) {
	text := "a ](b $$( and \n\n\t $"
	for from := range len(text) + 1 {
		for _, mark := range []string{"](", "$(", "\n\t", "$", "$ ", "aa"} {
			b := []byte(text[from:])
			if got, want := Index(b, mark), bytes.Index(b, []byte(mark)); got != want {
				t.Errorf("%q in %q: %d, want %d", mark, b, got, want)
			}
		}
	}
}
