package wasm

import (
	"encoding/binary"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

var grepPatterns = []string{`a`, `a*`, `a+`, `^`, `$`, `\b`, `\B`, `(?m)^a`, `(?m)$`, `a|ab`, `(a)(b)?`, `[^b]*`, `.`, `(?s).*`, `\bab\b`, ``, `é`, `(?i)A`, `x*`, `^a|b`,
	`ab*`, `ab+c?`, `ab|abb`, `(ab)(b|a)`, `a\b`, `^ab`, `(?m)^ab.`, `(?:ab){2}`, `éa*`, `a[^b]*c`, `aa`, `a.a`}

// sameMatches checks the search that can be stopped against the one that cannot.
func sameMatches(t *testing.T, pattern, text string, most int) {
	t.Helper()
	p, err := compilePattern(pattern)
	if err != nil {
		return
	}
	re := p.re
	r := &run{clock: startClock(time.Minute, processTime, func() {})}
	defer r.clock.stop()
	got, err := slowMatches(r, &p, []byte(text), nil, most)
	if err != nil {
		return // too deep with the prefix
	}
	want := re.FindAllIndex([]byte(text), most)
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Fatalf("%q in %q: %v, want %v", pattern, text, got, want)
	}
	if len(want) < 2 {
		return
	}
	if got, _ = slowMatches(r, &p, []byte(text), want[0], most-1); !slices.EqualFunc(got, want[1:], slices.Equal) {
		t.Fatalf("%q in %q behind %v: %v, want %v", pattern, text, want[0], got, want[1:])
	}
}

// slowMatches are those that slowSearch finds.
func slowMatches(r *run, p *compiledPattern, data []byte, before []int, most int) ([][]int, error) {
	out := make([]byte, most*abi.MatchRecordSize)
	l := matchList{out: out}
	err := r.slowSearch(p, data, before, &l)
	return pairs(out, l.n), err
}

// pairs reads n matches from guest memory.
func pairs(out []byte, n int32) (all [][]int) {
	for ; n > 0; n-- {
		all = append(all, []int{int(binary.LittleEndian.Uint32(out)), int(binary.LittleEndian.Uint32(out[4:]))})
		out = out[abi.MatchRecordSize:]
	}
	return all
}

// More matches than the engine lists at one time are the same matches.
func TestManyMatches(t *testing.T) {
	text := []byte(strings.Repeat("ab\n", matchBatch+1000))
	for _, pattern := range []string{"b", "(?m)^a", ".", "[ab]*", "b\n"} {
		p, err := compilePattern(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, most := range []int{0, 1, matchBatch, matchBatch + 1, 4 * matchBatch} {
			r := &run{clock: startClock(time.Minute, processTime, func() {})}
			out := make([]byte, most*abi.MatchRecordSize)
			l := matchList{out: out, off: 7}
			if err := r.search(&p, text, &l); err != nil {
				t.Fatal(err)
			}
			r.clock.stop()
			want := p.re.FindAllIndex(text, most)
			if got := pairs(out, l.n); !slices.EqualFunc(got, want, func(a, b []int) bool { return a[0] == b[0]+7 && a[1] == b[1]+7 }) {
				t.Errorf("%q, room for %d: %d matches, want %d", pattern, most, len(got), len(want))
			}
		}
	}
}

// Plain text is found without an engine, where an engine finds it.
func TestLiteralSearchFindsTheSame(t *testing.T) {
	for _, needle := range []string{"a", "aa", "aba", ".", "\\n", "\n#", "é"} {
		for _, text := range []string{"", "a", "aaaaa", "ababababa", "x.\n#.\\n", "é\xc3é", strings.Repeat("\n# a", 50)} {
			r := &run{clock: startClock(time.Minute, processTime, func() {})}
			if !r.pattern([]byte(needle), abi.GrepLiteral) || r.grep.re != nil {
				t.Fatalf("%q needs an engine", needle)
			}
			const room = 20
			out := make([]byte, room*abi.MatchRecordSize)
			l := matchList{out: out}
			if err := r.search(&r.grep, []byte(text), &l); err != nil {
				t.Fatal(err)
			}
			r.clock.stop()
			want := regexp.MustCompile(regexp.QuoteMeta(needle)).FindAllIndex([]byte(text), room)
			if got := pairs(out, l.n); !slices.EqualFunc(got, want, slices.Equal) {
				t.Errorf("%q in %q: %v, want %v", needle, text, got, want)
			}
		}
	}
}

func TestSlowSearchFindsTheSame(t *testing.T) {
	for _, p := range grepPatterns {
		for _, text := range []string{"", "a", "ab", "aab ab\nb a", "ba\nab", "éaé", "\xffa\xff", strings.Repeat("ab ", 50)} {
			sameMatches(t, p, text, 3)
			sameMatches(t, p, text, 100)
		}
	}
}

// A pattern that begins with plain text is searched at the speed of that text, also in
// content that is too large for the engine alone: the engine reads little of it.
// Where that text stands everywhere and nothing matches, it reads all of it twice at
// the most.
func TestPatternsWithAPrefixAreQuick(t *testing.T) {
	for _, tt := range []struct {
		pattern, text string
		mayRead       float64 // as a part of the text
	}{
		{`ghp_\w{36}`, strings.Repeat(strings.Repeat("some words and 12:34 figures\n", 9)+"ghp_short\n", 3_000), 0.25},
		{`a[^b]*c`, strings.Repeat("a", 1<<19), 2},
	} {
		p, err := compilePattern(tt.pattern)
		if err != nil {
			t.Fatal(err)
		}
		text := []byte(tt.text)
		if len(p.prefix) == 0 || p.steps*len(text) <= quickCost && tt.mayRead < 1 {
			t.Fatalf("%s: prefix %q, %d bytes are not too large for the engine", tt.pattern, p.prefix, len(text))
		}
		r := &run{clock: startClock(time.Minute, processTime, func() {})}
		if got, err := slowMatches(r, &p, text, nil, 100); err != nil || len(got) != 0 {
			t.Fatal(got, err)
		}
		tries := len(text)
		if m := r.nextMatch(&p, text, 0, &tries); m != nil {
			t.Fatal(m)
		}
		r.clock.stop()
		if read := len(text) - tries; float64(read) > tt.mayRead*float64(len(text)) {
			t.Errorf("%s: the engine read %d of %d bytes in vain", tt.pattern, read, len(text))
		}
	}
}

func FuzzSlowSearch(f *testing.F) {
	for _, p := range grepPatterns {
		f.Add(p, "aab ab\nb a")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) < 100 && len(text) < 1000 {
			sameMatches(t, pattern, text, 50)
		}
	})
}

// covers T21: a search that would take minutes ends with the run.
func TestSearchIsStopped(t *testing.T) {
	pattern := "(x{900}|y{900}|[a-z]{900}|.{900})z"
	s := (&script{noResult: true}).data(0, pattern)
	s.call("buf_grep", 0, 0, 0, len(pattern), 0, 1000, 64)
	b := newBench(t, func(o *Options) { o.Limits.Time = 100 * time.Millisecond })
	start, begin := time.Now(), processor(b)
	got := b.run(t, s, content(strings.Repeat("x", 8<<20)))
	if got.err == nil || !strings.Contains(got.err.Error(), "guest trapped after") {
		t.Errorf("got %v", got.err)
	}
	if d := min(time.Since(start), processor(b)-begin); d > 5*time.Second {
		t.Errorf("took %v of the processors", d)
	}
}

// A pattern is the same one with flags and without: it cannot leave what is put round
// it, and what is wrong in it is told as it was written.
func TestGrepFlagsStandApart(t *testing.T) {
	for _, pattern := range []string{"a)(b", "("} {
		for _, flags := range []int{0, int(abi.GrepLines)} {
			s := (&script{}).data(0, pattern)
			n := s.call("buf_grep", 0, 0, 0, len(pattern), flags, 100, 64)
			got := newBench(t, nil).run(t, s.returns(abi.ReturnPass), content("ab"))
			if got.results[n] >= 0 {
				t.Errorf("%q with flags %d: %d matches, want a refusal", pattern, flags, got.results[n])
			}
		}
	}
}

func TestGrepWritesPairs(t *testing.T) {
	s := (&script{}).data(0, "b+")
	n := s.call("buf_grep", 0, 1, 0, 2, 0, 100, 64)
	got := newBench(t, nil).run(t, s.returns(abi.ReturnPass), content("bbabbb"))
	if got.results[n] != 2 || got.u32(100) != 1 || got.u32(104) != 2 || got.u32(108) != 3 || got.u32(112) != 6 {
		t.Errorf("%d matches: %v", got.results[n], got.memory[100:116])
	}
}
