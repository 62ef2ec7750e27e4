package logscan

import (
	"bytes"
	"testing"
)

// Bytes beside the digits, above ASCII too, are none, wherever two stand.
func TestHasNumber(t *testing.T) {
	for n := 2; n < 20; n++ {
		for at := range n - 1 {
			for c := range 256 {
				for _, digit := range []byte("059") {
					b := bytes.Repeat([]byte("/"), n)
					b[at], b[at+1] = byte(c), digit
					if got, want := hasNumber(b), c >= '0' && c <= '9'; got != want {
						t.Errorf("%q: %t", b, got)
					}
					b[at], b[at+1] = digit, byte(c)
					if got, want := hasNumber(b), c >= '0' && c <= '9'; got != want {
						t.Errorf("%q: %t", b, got)
					}
				}
			}
		}
	}
	for _, none := range []string{"", "1", "1 2 3 4 5 6 7 8 9 0 1 2", "1/2/3/4/5:6:7.8", "\xff\xb0:::////\xb9"} {
		if hasNumber([]byte(none)) {
			t.Errorf("%q has two digits side by side", none)
		}
	}
}
