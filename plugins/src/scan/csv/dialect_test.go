package csv

import (
	"strings"
	"testing"
)

// hasBracket finds each bracket at each offset, and no other byte.
func TestHasBracket(t *testing.T) {
	for n := 1; n < 20; n++ {
		for at := range n {
			for c := range 256 {
				b := []byte(strings.Repeat("*", n))
				b[at] = byte(c)
				if got, want := hasBracket(b), strings.IndexByte("()[]{}", byte(c)) >= 0; got != want {
					t.Errorf("%q: %t", b, got)
				}
			}
		}
	}
}
