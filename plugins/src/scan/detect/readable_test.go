package detect

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

// The check of whole words agrees with a check of single bytes, at any offset of the odd byte.
func TestReadable(t *testing.T) {
	for at := range 40 {
		for _, odd := range []string{"\x00", "\x7f", "\x80", "\xff", "é", "\x01"} {
			b := []byte(strings.Repeat("a", at) + odd + strings.Repeat("b", 40-at))
			want := utf8.Valid(b) && bytes.Count(b, []byte{0}) <= len(b)/64
			if got := isReadable(b); got != want {
				t.Errorf("%q at %d: %t, want %t", odd, at, got, want)
			}
		}
	}
	few := strings.Repeat("text of sixteen.", 8) + "\x00\x00"
	if !isReadable([]byte(few)) || isReadable([]byte(few+"\x00")) {
		t.Error("NUL is counted otherwise than 1 of 64 bytes")
	}
}
