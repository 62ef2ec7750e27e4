package syntax

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// Functions that read words of eight bytes agree with functions that read bytes.
func TestWordsAgreeWithBytes(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for range 20_000 {
		b := make([]byte, rnd.IntN(40))
		for i := range b {
			b[i] = "<<//  \n\t\rab\x00\x3b\x3d\xbc\xff"[rnd.IntN(16)]
		}
		at := rnd.IntN(len(b) + 1)
		want := bytes.IndexAny(b[at:], "</") + at
		if want < at {
			want = len(b)
		}
		if got := Find(b, at, '<', '/'); got != want {
			t.Fatalf("Find(%q, %d) is %d, want %d", b, at, got, want)
		}
		if got, want := SkipSpace(b, at), len(b)-len(bytes.TrimLeft(b[at:], " \t\r\n")); got != want {
			t.Fatalf("SkipSpace(%q, %d) is %d, want %d", b, at, got, want)
		}
		if got, want := countTags(b), bytes.Count(b, []byte("<"))-bytes.Count(b, []byte("</")); got != want && !bytes.HasSuffix(b, []byte("<")) {
			t.Fatalf("countTags(%q) is %d, want %d", b, got, want)
		}
		if first := rnd.IntN(at + 1); first < at {
			n := 1 + rnd.IntN(12)
			want := at+n <= len(b) && string(b[first:first+n]) == string(b[at:at+n])
			if got := isEqual(b, first, at, n); got != want && at+n <= len(b) {
				t.Fatalf("isEqual(%q, %d, %d, %d) is %t", b, first, at, n, got)
			}
		}
	}
}
