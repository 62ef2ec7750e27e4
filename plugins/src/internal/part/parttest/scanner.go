package parttest

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// Forced are the clues of a text whose type the configuration sets.
var Forced = part.Clues{Forced: true}

// Scanner is a scanner under test.
type Scanner struct {
	Scan    part.Scan
	Between func(gap []byte) bool // reports whether Check accepts a gap between parts
}

// Random checks the parts of n random texts, each of fewer than most pieces.
func (s Scanner) Random(t *testing.T, n, most int, piece func(rnd *rand.Rand) string) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(5, 6))
	for range n {
		var w strings.Builder
		for range rnd.IntN(most) {
			w.WriteString(piece(rnd))
		}
		s.check(t, []byte(w.String()))
		if t.Failed() {
			t.Fatalf("text %q", w.String())
		}
	}
}

// Fuzz checks the parts of any valid UTF-8, and calls also unless that is nil.
func (s Scanner) Fuzz(f *testing.F, seeds []string, also func(t *testing.T, b []byte)) {
	for _, text := range seeds {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if !utf8.Valid(b) {
			t.Skip()
		}
		s.check(t, b)
		if also != nil {
			also(t, b)
		}
	})
}

// check checks the parts of a text, with and without forcing its type.
func (s Scanner) check(t testing.TB, b []byte) {
	t.Helper()
	for _, clues := range []part.Clues{{}, Forced} {
		if d, ok := s.Scan(b, clues); ok {
			Check(t, b, d, s.Between)
		}
	}
}

// Names checks the names of the parts of a text: want is the result of List, with a
// line break before each line, or "" if the text has to be refused. It returns the
// document, or nil if the text is refused.
func (s Scanner) Names(t testing.TB, rule, text string, c part.Clues, want string) *part.Doc {
	t.Helper()
	d, ok := s.Scan([]byte(text), c)
	if !ok {
		if want != "" {
			t.Errorf("%s: refused", rule)
		}
		return nil
	}
	if got := "\n" + strings.Join(List(d), "\n"); got != want {
		t.Errorf("%s: got%s\nwant%s", rule, got, want)
	}
	Check(t, []byte(text), d, s.Between)
	return d
}

// Bench measures a scan of a text of the type.
func (s Scanner) Bench(b *testing.B, text []byte) {
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := s.Scan(text, part.Clues{}); !ok {
			b.Fatal("refused")
		}
	}
}
