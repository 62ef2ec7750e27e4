package wasm

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/binary"
)

func TestSectionLimits(t *testing.T) {
	s := (&script{}).data(0, strings.Repeat("é", 5000))
	deep := ref(s.calls)
	s.call("section_add", -1, -1, 0, 0, 0, 0)
	for i := range 64 {
		s.call("section_add", i, -1, 0, 0, 0, 0) // nested
	}
	body := s.call("section_add", -1, 0, 0, 1<<20+2, 0, 0)
	most := s.call("section_add", -1, 0, 0, 1<<20, 0, 0)
	title := s.call("section_title", 0, 0, 0, 1001)
	summary := s.call("section_summary", 0, 0, 0, 5001)
	long := s.call("section_title", 0, 0, 0, 1000)
	longSum := s.call("section_summary", 0, 0, 0, 5000)
	s.repeat(6, func() { s.callOf(abi.NSCore, "section_add", binary.TypeI32, -1, 0, 0, 1<<20, 0, 0) })
	last := s.call("section_add", -1, 0, 0, 1<<20, 0, 0)
	for range 4 {
		s.call("section_summary", 1, 0, 0, 2000)
	}
	c := content(strings.Repeat("é", 1<<20))
	c.Original = []byte("other") // so that sections on buffer 0 are derived
	got := newBench(t, nil).run(t, s.returns(abi.ReturnPass), c)
	if got.err != nil {
		t.Fatal(got.err)
	}
	want := map[ref]int32{deep + 63: 63, deep + 64: limit, body: limit, most: 64, title: badArg, summary: 0, long: 0, longSum: 0, last: limit}
	for r, w := range want {
		if r != title && got.results[r] != w {
			t.Errorf("result %d is %d, want %d", r, got.results[r], w)
		}
	}
	if first := got.out.Tree.Sections[0]; len(first.Title) != 256 || len(first.Summary) != 2048 {
		t.Errorf("title of %d bytes, summary of %d, want 256 and 2048", len(first.Title), len(first.Summary))
	}
}

func TestSectionTextLimit(t *testing.T) {
	s := (&script{}).data(0, strings.Repeat("x", 300))
	s.repeat(32768, func() { s.callOf(abi.NSCore, "section_add", binary.TypeI32, -1, -1, 0, 0, 0, 256) })
	s.call("section_title", 0, 0, 0, 256) // same length: fits
	a := s.call("section_summary", 0, 0, 0, 1)
	b := s.call("section_id", 0, 0, 5)
	s.call("section_title", 1, 0, 0, 1) // releases 255
	d := s.call("section_summary", 0, 0, 0, 1)
	e := s.call("section_add", -1, -1, 0, 0, 0, 255)
	f := s.call("section_title", 1, 0, 0, 256)
	got := newBench(t, nil).run(t, s.returns(abi.ReturnPass), content(strings.Repeat("x", 300)))
	if got.err != nil {
		t.Fatal(got.err)
	}
	for r, want := range map[ref]int32{a: limit, b: limit, d: 0, e: limit, f: limit} {
		if got.results[r] != want {
			t.Errorf("result %d is %d, want %d", r, got.results[r], want)
		}
	}
}
