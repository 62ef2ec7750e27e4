package logscan

import (
	"bytes"
	"testing"
)

// Bytes beside the digits, above ASCII too, are none, wherever they stand.
func TestHasDigit(t *testing.T) {
	for n := range 20 {
		for at := range n {
			for c := range 256 {
				b := bytes.Repeat([]byte("/"), n)
				b[at] = byte(c)
				if got, want := hasDigit(b), c >= '0' && c <= '9'; got != want {
					t.Errorf("%q: %t", b, got)
				}
			}
		}
	}
	if hasDigit([]byte("\xff\xb0:::////\xb9")) {
		t.Error("bytes above ASCII are digits")
	}
}
