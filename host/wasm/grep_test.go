package wasm

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

var grepPatterns = []string{`a`, `a*`, `a+`, `^`, `$`, `\b`, `\B`, `(?m)^a`, `(?m)$`, `a|ab`, `(a)(b)?`, `[^b]*`, `.`, `(?s).*`, `\bab\b`, ``, `é`, `(?i)A`, `x*`, `^a|b`}

// sameMatches checks the search that can be stopped against the one that cannot.
func sameMatches(t *testing.T, pattern, text string, most int) {
	t.Helper()
	re, err := regexp.Compile(pattern)
	if err != nil {
		return
	}
	r := &run{clock: startClock(time.Minute, processTime, func() {})}
	defer r.clock.pause()
	got, err := r.slowMatches(re, []byte(text), most)
	if err != nil {
		return // too deep with the prefix
	}
	want := re.FindAllIndex([]byte(text), most)
	if !slices.EqualFunc(got, want, func(a, b []int) bool { return slices.Equal(a, b) }) {
		t.Fatalf("%q in %q: %v, want %v", pattern, text, got, want)
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
	start := time.Now()
	got := b.run(t, s, content(strings.Repeat("x", 8<<20)))
	if got.err == nil || !strings.Contains(got.err.Error(), "guest trapped after") {
		t.Errorf("got %v", got.err)
	}
	if d := time.Since(start); d > 3*time.Second {
		t.Errorf("took %v", d)
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
