package syntax

import "testing"

func FuzzNextPiece(f *testing.F) {
	f.Add("\ufeff<?x?><!DOCTYPE a [<!-- -->]><a b='c'> <!-- d --><e/>f<![CDATA[ ]]></a>")
	f.Fuzz(func(t *testing.T, in string) {
		b := []byte(in)
		at := 0
		for at < len(b) {
			kind, end := NextPiece(b, at)
			if end < 0 {
				break
			}
			if end <= at || end > len(b) || (kind == SpacePiece) != (SkipSpace(b, at) >= end && b[at] != '<' && kind != OtherPiece) {
				t.Fatalf("%q: a piece of kind %d from %d to %d", in, kind, at, end)
			}
			at = end
		}
		if _, ok := Parse(b, false); ok && at < len(b) {
			t.Fatalf("%q is XML, but has no piece at %d", in, at)
		}
	})
}
