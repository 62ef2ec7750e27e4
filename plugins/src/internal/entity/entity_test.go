package entity

import "testing"

func TestDecode(t *testing.T) {
	for _, c := range []struct {
		text string
		r    rune
		size int
	}{
		{"&amp; b", '&', 5},
		{"&nbsp;", ' ', 6},
		{"&#65;", 'A', 5},
		{"&#x42;", 'B', 6},
		{"&#xD800;", '&', 1},
		{"&unknown;", '&', 1},
		{"&;", '&', 1},
		{"&", '&', 1},
		{"&no end", '&', 1},
		{"&averylongname;", '&', 1},
	} {
		if r, size := Decode([]byte(c.text)); r != c.r || size != c.size {
			t.Errorf("%s: %q of %d bytes, want %q of %d", c.text, r, size, c.r, c.size)
		}
	}
}
