package log

import (
	"bytes"
	"testing"
)

// indexDigits finds each pair of digits at each offset, and no other bytes.
func TestIndexDigits(t *testing.T) {
	for n := 2; n < 20; n++ {
		for at := range n - 1 {
			for c := range 256 {
				for _, two := range [][2]byte{{byte(c), '0'}, {byte(c), '9'}, {'5', byte(c)}} {
					b := bytes.Repeat([]byte("/"), n)
					b[at], b[at+1] = two[0], two[1]
					want := n
					if c >= '0' && c <= '9' {
						want = at
					}
					if got := indexDigits(b, 0); got != want {
						t.Errorf("%q: %d, want %d", b, got, want)
					}
					if got := indexDigits(b, at+1); got != n {
						t.Errorf("%q from %d: %d, want %d", b, at+1, got, n)
					}
				}
			}
		}
	}
	for _, none := range []string{"", "1", "1 2 3 4 5 6 7 8 9 0 1 2", "1/2/3/4/5:6:7.8", "\xff\xb0:::////\xb9"} {
		if got := indexDigits([]byte(none), 0); got != len(none) {
			t.Errorf("%q: %d", none, got)
		}
	}
}
