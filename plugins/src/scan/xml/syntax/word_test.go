package xmlscan

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part/parttest"
)

// What looks at eight bytes at a time finds what one byte at a time finds.
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
		if got, want := skip(b, at), len(b)-len(bytes.TrimLeft(b[at:], " \t\r\n")); got != want {
			t.Fatalf("skip(%q, %d) is %d, want %d", b, at, got, want)
		}
		if got, want := countTags(b), bytes.Count(b, []byte("<"))-bytes.Count(b, []byte("</")); got != want && !bytes.HasSuffix(b, []byte("<")) {
			t.Fatalf("countTags(%q) is %d, want %d", b, got, want)
		}
		if first := rnd.IntN(at + 1); first < at {
			n := 1 + rnd.IntN(12)
			want := at+n <= len(b) && string(b[first:first+n]) == string(b[at:at+n])
			if got := same(b, first, at, n); got != want && at+n <= len(b) {
				t.Fatalf("same(%q, %d, %d, %d) is %t", b, first, at, n, got)
			}
		}
	}
}

// Tags that are too many to be numbered are told apart by their names.
func TestManyTags(t *testing.T) {
	var w strings.Builder
	for i := range maxTags + 10 {
		fmt.Fprintf(&w, "<t%d><id>v</id></t%d>", i, i)
	}
	text := "<r>" + w.String() + "<last/><end/><last>1</last><late><last/><end/><last/></late></r>"
	d, ok := Scan([]byte(text), part.Clues{})
	if !ok {
		t.Fatal("refused")
	}
	parttest.Check(t, []byte(text), d, between.Match)
	lines := parttest.Listed(d)
	if got := strings.TrimSpace(lines[len(lines)-4]); got != "late | last 2, end" {
		t.Errorf("%q", got)
	}
	if got := strings.TrimSpace(lines[1+2*(maxTags+5)]); got != fmt.Sprintf("t%d | id=v", maxTags+5) {
		t.Errorf("%q", got)
	}
}
