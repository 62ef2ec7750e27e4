package lists

import (
	"fmt"
	"testing"
)

func TestInternerIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("has no concurrent callers, and takes long with the race detector")
	}
	f := NewInterner()
	large := func(i int) []byte { return fmt.Appendf(make([]byte, 0, 1<<20), "%01048576d", i) }
	for i := range 100 {
		got, again := f.Intern(large(i)), f.Intern(large(i))
		if string(got) != string(large(i)) || &got[0] != &again[0] {
			t.Fatalf("%d: another definition, or another copy", i)
		}
		if f.bytes > maxInterned || f.bytes != len(f.known)<<20 {
			t.Fatalf("%d definitions of 1 MiB, %d bytes counted", len(f.known), f.bytes)
		}
	}
}
