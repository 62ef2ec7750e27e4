package wasm

import (
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// TestSearchIsStopped verifies that a search that would take minutes ends with the run.
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

// TestGrepFlagsKeepPattern verifies that a pattern cannot close the group of its flags.
func TestGrepFlagsKeepPattern(t *testing.T) {
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
