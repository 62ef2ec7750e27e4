package search

import (
	"encoding/binary"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

var grepPatterns = []string{`a`, `a*`, `a+`, `^`, `$`, `\b`, `\B`, `(?m)^a`, `(?m)$`, `a|ab`, `(a)(b)?`, `[^b]*`, `.`, `(?s).*`, `\bab\b`, ``, `é`, `(?i)A`, `x*`, `^a|b`,
	`ab*`, `ab+c?`, `ab|abb`, `(ab)(b|a)`, `a\b`, `^ab`, `(?m)^ab.`, `(?:ab){2}`, `éa*`, `a[^b]*c`, `aa`, `a.a`}

func neverStop() {}

// compareMatches compares the search that can be stopped with the engine's own.
func compareMatches(t *testing.T, pattern, text string, limit int) {
	t.Helper()
	p, err := compile(pattern)
	if err != nil {
		return
	}
	got, err := checkedMatches(p, []byte(text), nil, limit)
	if err != nil {
		return // too deep with the added prefix
	}
	want := p.re.FindAllIndex([]byte(text), limit)
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Fatalf("%q in %q: %v, want %v", pattern, text, got, want)
	}
	if len(want) < 2 {
		return
	}
	if got, _ = checkedMatches(p, []byte(text), want[0], limit-1); !slices.EqualFunc(got, want[1:], slices.Equal) {
		t.Fatalf("%q in %q after %v: %v, want %v", pattern, text, want[0], got, want[1:])
	}
}

// checkedMatches returns the matches that searchChecked finds.
func checkedMatches(p *Pattern, data []byte, last []int, limit int) ([][]int, error) {
	out := make([]byte, limit*abi.MatchRecordSize)
	m := NewMatches(out, 0)
	err := p.searchChecked(data, last, m, neverStop)
	return pairs(out, m.n), err
}

// pairs reads n matches from guest memory.
func pairs(out []byte, n int32) (all [][]int) {
	for ; n > 0; n-- {
		all = append(all, []int{int(binary.LittleEndian.Uint32(out)), int(binary.LittleEndian.Uint32(out[4:]))})
		out = out[abi.MatchRecordSize:]
	}
	return all
}

// TestManyMatches verifies more matches than the engine lists at once.
func TestManyMatches(t *testing.T) {
	if testing.Short() {
		t.Skip("has no concurrent callers, and takes long with the race detector")
	}
	text := []byte(strings.Repeat("ab\n", batchSize+1000))
	for _, pattern := range []string{"b", "(?m)^a", ".", "[ab]*", "b\n"} {
		p, err := compile(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, limit := range []int{0, 1, batchSize, batchSize + 1, 4 * batchSize} {
			out := make([]byte, limit*abi.MatchRecordSize)
			m := NewMatches(out, 7)
			if err := p.Search(text, m, neverStop); err != nil {
				t.Fatal(err)
			}
			want := p.re.FindAllIndex(text, limit)
			if got := pairs(out, m.n); !slices.EqualFunc(got, want, func(a, b []int) bool { return a[0] == b[0]+7 && a[1] == b[1]+7 }) {
				t.Errorf("%q, room for %d: %d matches, want %d", pattern, limit, len(got), len(want))
			}
		}
	}
}

// TestLiteralSearch compares the search for plain text with the engine's.
func TestLiteralSearch(t *testing.T) {
	for _, needle := range []string{"a", "aa", "aba", ".", "\\n", "\n#", "é"} {
		for _, text := range []string{"", "a", "aaaaa", "ababababa", "x.\n#.\\n", "é\xc3é", strings.Repeat("\n# a", 50)} {
			p, err := parse([]byte(needle), abi.GrepLiteral)
			if err != nil || p.re != nil {
				t.Fatalf("%q needs an engine, %v", needle, err)
			}
			const room = 20
			out := make([]byte, room*abi.MatchRecordSize)
			m := NewMatches(out, 0)
			if err := p.Search([]byte(text), m, neverStop); err != nil {
				t.Fatal(err)
			}
			want := regexp.MustCompile(regexp.QuoteMeta(needle)).FindAllIndex([]byte(text), room)
			if got := pairs(out, m.n); !slices.EqualFunc(got, want, slices.Equal) {
				t.Errorf("%q in %q: %v, want %v", needle, text, got, want)
			}
		}
	}
}

func TestCheckedSearch(t *testing.T) {
	for _, p := range grepPatterns {
		for _, text := range []string{"", "a", "ab", "aab ab\nb a", "ba\nab", "éaé", "\xffa\xff", strings.Repeat("ab ", 50)} {
			compareMatches(t, p, text, 3)
			compareMatches(t, p, text, 100)
		}
	}
}

// TestPrefixIsSearchedFast verifies that the engine reads little of a large text if the
// pattern begins with plain text, and that it reads the text at most twice if the prefix
// is everywhere but nothing matches.
func TestPrefixIsSearchedFast(t *testing.T) {
	for _, tt := range []struct {
		pattern, text string
		limit         float64 // of the bytes read, as a multiple of the text
	}{
		{`ghp_\w{36}`, strings.Repeat(strings.Repeat("some words and 12:34 figures\n", 9)+"ghp_short\n", 3_000), 0.25},
		{`a[^b]*c`, strings.Repeat("a", 1<<19), 2},
	} {
		p, err := compile(tt.pattern)
		if err != nil {
			t.Fatal(err)
		}
		text := []byte(tt.text)
		if len(p.prefix) == 0 || p.steps*len(text) <= quickCost && tt.limit < 1 {
			t.Fatalf("%s: prefix %q, %d bytes are not too large for the engine", tt.pattern, p.prefix, len(text))
		}
		if got, err := checkedMatches(p, text, nil, 100); err != nil || len(got) != 0 {
			t.Fatal(got, err)
		}
		s, err := p.newSearcher(text, neverStop)
		if err != nil {
			t.Fatal(err)
		}
		if m := s.find(0); m != nil {
			t.Fatal(m)
		}
		if read := len(text) - s.attempts; float64(read) > tt.limit*float64(len(text)) {
			t.Errorf("%s: the engine read %d of %d bytes in vain", tt.pattern, read, len(text))
		}
	}
}

func FuzzCheckedSearch(f *testing.F) {
	for _, p := range grepPatterns {
		f.Add(p, "aab ab\nb a")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) < 100 && len(text) < 1000 {
			compareMatches(t, pattern, text, 50)
		}
	})
}

// TestPatterns verifies that a pattern is compiled once for each text and flags, and that
// the number and the size of the patterns kept stay within the limits.
func TestPatterns(t *testing.T) {
	var c Patterns
	compile := func(text string, flags int32) *Pattern {
		t.Helper()
		p, err := c.Compile([]byte(text), flags)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	a, folded := compile("a+", 0), compile("a+", abi.GrepIgnoreCase)
	if a == folded || compile("a+", 0) != a || compile("a+", abi.GrepIgnoreCase) != folded {
		t.Error("want one pattern for each text and flags")
	}
	if _, err := c.Compile([]byte("a("), 0); err == nil || len(c.kept) != 2 {
		t.Errorf("%v, %d patterns kept after an invalid one", err, len(c.kept))
	}
	for _, long := range []string{"x", "y{1000}", strings.Repeat("z", 4000)} {
		for i := range 2 * maxKept {
			compile(long+strconv.Itoa(i), 0)
			if len(c.kept) > maxKept || c.size > maxKeptSize {
				t.Fatalf("%d patterns of size %d kept", len(c.kept), c.size)
			}
		}
	}
	if compile("a+", 0) == a {
		t.Error("the first pattern is still kept after many others")
	}
}
