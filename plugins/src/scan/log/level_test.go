package log

import "testing"

func TestWordEnd(t *testing.T) {
	const text = "a\x00 bcdefghijklmnop-XYZ`{[@ ééabcdefgh\x7f\x80ijklmnopqrstuvwxyz0 ABCDEFGHIJKLMNOPQ"
	for p := range len(text) + 1 {
		want := p
		for want < len(text) && isLetter(text[want]) {
			want++
		}
		if got := wordEnd([]byte(text), p); got != want {
			t.Errorf("from %d: %d, want %d", p, got, want)
		}
	}
}
