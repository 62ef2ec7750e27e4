package wasm

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/binary"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// limitSteps run after their limit was reached.
var limitSteps = []step{
	{"buf_put", []any{0, 1}, limit}, {"buf_view", []any{0, 0, 0}, limit}, {"json_get", []any{0, 0, 0}, limit},
	{"json_text", []any{0, 1, 5}, limit}, {"section_text", []any{0, 0}, limit}, {"cache_get", []any{0, 1}, limit},
	{"last_error", nil, limit},
}

func TestHandleLimit(t *testing.T) {
	s := (&script{}).data(0, "k")
	s.call("section_add", -1, 1, 0, 1, 0, 0)
	s.call("cache_set", 0, 1, 0, 1)
	s.call("buf_len", 99) // sets a text for last_error
	s.repeat(abi.LimitHandles, func() { s.callOf(abi.NSCore, "buf_view", binary.TypeI32, 0, 0, 0) })
	first := s.calls
	for _, st := range limitSteps {
		s.call(st.name, st.args...)
	}
	s.call("buf_free", 16)
	s.call("buf_put", 0, 1)
	s.call("out_write", 0, 0)
	got := newBench(t, nil).run(t, s, content(`["ab"]`))
	if got.err != nil {
		t.Fatal(got.err)
	}
	for i, st := range limitSteps {
		if got.results[first+i] != st.want {
			t.Errorf("%s = %d, want %d", st.name, got.results[first+i], st.want)
		}
	}
	if n := first + len(limitSteps) + 1; got.results[n] != abi.FirstHandle+abi.LimitHandles {
		t.Errorf("after buf_free, buf_put = %d, want a new handle", got.results[n])
	}
}

// TestCallLimits checks limits on bytes or calls: everything up to the limit works.
func TestCallLimits(t *testing.T) {
	tests := []struct {
		rule  string
		input string
		n     int
		name  string
		args  []any
		last  int32 // result of the n-th call
		next  int32 // and of one more
	}{
		{"16 MiB in buf_put", "", 256, "buf_put", []any{0, 64 << 10}, 16 + 255, limit},
		{"1,000 lines", "", 1000, "log", []any{1, 0, 10}, 0, limit},
		{"256 KiB of log", "", 32, "log", []any{1, 0, 8192}, 0, limit},
		{"65,536 sections", "", 65536, "section_add", []any{-1, -1, 0, 0, 0, 0}, 65535, limit},
		{"8 MiB of section texts", "", 32768, "section_add", []any{-1, -1, 0, 0, 0, 256}, 32767, limit},
		{"output of 4 x input and 1 MiB", "", 16, "out_write", []any{0, 64 << 10}, 0, limit},
		{"1,024 indexes", "", 1024, "out_index", []any{-1, 0, 0}, 0, limit},
		{"the same by spans", strings.Repeat("x", 74_898), 18, "out_span", []any{0, 0, -1}, 0, limit},
	}
	for _, c := range tests {
		t.Run(c.rule, func(t *testing.T) {
			s := (&script{}).data(0, strings.Repeat("x", 10_000))
			s.call("out_write", 0, 0)
			r := ref(s.calls)
			s.repeat(c.n, func() { s.callOf(abi.NSCore, c.name, binary.TypeI32, c.args...) })
			s.call(c.name, c.args...)
			got := newBench(t, nil).run(t, s.returns(abi.ReturnPass), content(c.input))
			if got.err != nil {
				t.Fatal(got.err)
			}
			if have := got.results[r : r+2]; have[0] != c.last || have[1] != c.next {
				t.Errorf("results %v, want %d and %d", have, c.last, c.next)
			}
		})
	}
}

func TestMetadataKeyLimit(t *testing.T) {
	s := &script{}
	for i := range abi.LimitMetaKeys {
		s.call("meta_set", i, 1, 0, 1)
	}
	more := s.call("meta_set", abi.LimitMetaKeys, 1, 0, 1)
	again := s.call("meta_set", 0, 1, 0, 2)
	for i := range abi.LimitMetaKeys + 1 {
		s.data(i, string(rune('!'+i)))
	}
	got := newBench(t, nil).run(t, s.returns(abi.ReturnPass), content("x"))
	if got.err != nil || got.results[more] != limit || got.results[again] != 0 || len(got.out.Meta) != abi.LimitMetaKeys {
		t.Errorf("err %v, one more: %d, one again: %d, %d keys", got.err, got.results[more], got.results[again], len(got.out.Meta))
	}
}

// TestLongWriteIsStopped verifies that writing all of memory many times is stopped.
func TestLongWriteIsStopped(t *testing.T) {
	const vectors = 1000
	record := "\x00\x00\x00\x00\x00\x00\x00\x04" // from 0, 64 MiB
	s := (&script{noResult: true}).data(0, strings.Repeat(record, vectors))
	s.raw(i32const).raw(sleb(1024-3)...).raw(memoryGrow, 0, drop)
	s.callOf(module.WASINamespace, "fd_write", binary.TypeI32, 1, 0, vectors, 100)
	b := newBench(t, func(o *Options) { o.Limits.Time = 50 * time.Millisecond })
	start, begin := time.Now(), processor(b)
	if got := b.run(t, s.returns(abi.ReturnPass), content("x")); !errors.Is(got.err, abi.ErrLimit) {
		t.Errorf("got %v", got.err)
	}
	if d := min(time.Since(start), processor(b)-begin); d > 5*time.Second {
		t.Errorf("took %v of the processors", d)
	}
}
