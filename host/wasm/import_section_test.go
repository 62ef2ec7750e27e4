package wasm

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// sectionCases are the functions on the output and on Sections.
var sectionCases = []importCase{
	{"out_span checks its span", "hello", "", []step{
		{"out_span", []any{0, 1, 3}, 0}, {"out_span", []any{0, 1, 9}, badArg}, {"out_span", []any{44, 0, 0}, badArg}}},
	{"out_index wants a section, or -1", "hello", "", []step{
		{"out_index", []any{-1, 0, 0}, 0}, {"out_index", []any{0, 0, 0}, notFound}, {"out_index", []any{-1, -1, 0}, badArg}}},
	{"section_add: parents, spans, order", "0123456789", "title", []step{
		{"section_add", []any{-1, 1, 0, 4, 0, 5}, 0}, {"section_add", []any{-1, 1, 4, 10, 0, 5}, 1},
		{"section_add", []any{-1, 1, 3, 10, 0, 5}, badArg}, {"section_add", []any{9, 1, 0, 1, 0, 0}, badArg},
		{"section_add", []any{0, 1, 2, 5, 0, 0}, badArg}, {"section_add", []any{0, 1, 2, 2, 0, 0}, badArg},
		{"section_add", []any{0, 1, 3, 2, 0, 0}, badArg}, {"section_add", []any{0, 1, -1, 2, 0, 0}, badArg},
		{"section_add", []any{0, 1, 2, 11, 0, 0}, badArg}, {"section_add", []any{0, 1, 1, 4, 0, 0}, 2},
		{"section_add", []any{-1, 77, 0, 1, 0, 0}, badArg}, {"section_add", []any{-2, 1, 0, 1, 0, 0}, badArg}}},
	{"section_add: group, exact through buffer 0, derived", "0123456789", "own text", []step{
		{"section_add", []any{-1, -1, 0, 0, 0, 3}, 0}, {"section_add", []any{-1, -1, 0, 1, 0, 3}, badArg},
		{"section_add", []any{0, 0, 5, 9, 0, 0}, 1}, {"section_add", []any{0, 0, 0, 5, 0, 0}, 2},
		{"buf_put", []any{0, 8}, 16}, {"section_add", []any{-1, 16, 4, 8, 0, 0}, 3}, {"section_add", []any{3, 1, 9, 10, 0, 0}, 4}}},
	{"section_add: a span does not cut a character", "aé", "\xff", []step{
		{"section_add", []any{-1, 1, 0, 2, 0, 0}, badArg}, {"section_add", []any{-1, 1, 2, 3, 0, 0}, badArg},
		{"section_add", []any{-1, 1, 0, 3, 0, 1}, badArg}, {"section_add", []any{-1, 1, 0, 3, 0, 0}, 0}}},
	{"section_add: decoded stands below the section of its string", `{"a":"x\ny","b":"z"}`, "/a/b", []step{
		{"json_get", []any{0, 0, 2}, 16}, {"section_add", []any{-1, 16, 0, 1, 0, 0}, badArg},
		{"section_add", []any{-1, 1, 5, 11, 0, 0}, 0}, {"section_add", []any{0, 16, 0, 1, 0, 0}, 1},
		{"section_add", []any{0, 16, 2, 3, 0, 0}, 2}, {"json_get", []any{0, 2, 2}, 17}, {"section_add", []any{0, 17, 0, 1, 0, 0}, badArg},
		{"section_add", []any{1, 17, 0, 1, 0, 0}, badArg}, {"buf_view", []any{16, 1, 2}, 18}, {"section_add", []any{1, 18, 0, 1, 0, 0}, badArg}}},
	{"section_add: a group may stand between a string and its parts", `{"a":"x\ny","b":"z"}`, "/a/b", []step{
		{"json_get", []any{0, 0, 2}, 16}, {"section_add", []any{-1, 1, 5, 11, 0, 0}, 0}, {"section_add", []any{0, -1, 0, 0, 0, 0}, 1},
		{"section_add", []any{1, 16, 2, 3, 0, 0}, 2}, {"section_add", []any{1, 16, 0, 1, 0, 0}, 3},
		{"json_get", []any{0, 2, 2}, 17}, {"section_add", []any{1, 17, 0, 1, 0, 0}, badArg},
		{"section_add", []any{-1, -1, 0, 0, 0, 0}, 4}, {"section_add", []any{4, 16, 0, 1, 0, 0}, badArg}}},
	{"sections_add: what section_add and section_id do, of all records or of none", "0123456789",
		newSections([5]int{-1, 0, 4, 1, 2}, [5]int{0, 1, 3, 0, 0}, [5]int{-1, 0, 0, 2, 1}, [5]int{2, 4, 9, 0, 1}, [5]int{-1, 3, 9, 0, 0}) + "aAA@gGx", []step{
			{"sections_add", []any{1, 0, 100, 100, 7}, badArg}, {"buf_len", []any{5}, 0}, // the last one starts before its sibling ends
			{"sections_add", []any{1, 0, 80, 100, 7}, 0}, {"buf_len", []any{5}, 128},
			{"section_text", []any{0, abi.SectionTextID}, 16}, {"buf_len", []any{16}, 1}, {"section_text", []any{0, abi.SectionTextTitle}, 17}, {"buf_len", []any{17}, 2},
			{"section_text", []any{1, abi.SectionTextID}, 18}, {"buf_len", []any{18}, 0},
			{"section_text", []any{3, abi.SectionTextBody}, 19}, {"buf_len", []any{19}, 5}, {"section_text", []any{2, abi.SectionTextBody}, 20}, {"buf_len", []any{20}, 0},
			{"sections_add", []any{1, 0, 0, 0, 0}, 4}, {"sections_add", []any{1, 0, 19, 100, 7}, badArg}, // none; half a record
			{"sections_add", []any{1, 20, 20, 100, 1}, badArg}, {"sections_add", []any{1, 40, 20, 100, 2}, badArg}, // texts of another length
			{"sections_add", []any{44, 40, 20, 102, 3}, badArg}, {"sections_add", []any{-1, 20, 20, 0, 0}, badArg}, // no buffer: groups only
			{"buf_len", []any{5}, 128}, {"sections_add", []any{-1, 40, 20, 102, 3}, 4}}},
	{"section_title, section_summary, section_id, section_text", "0123456789", "name", []step{
		{"section_add", []any{-1, 1, 0, 4, 0, 0}, 0}, {"section_title", []any{0, 0, 2, 3}, 0}, {"section_title", []any{1, 0, 0, 1}, notFound},
		{"section_title", []any{0, 0, 2, 33}, badArg}, {"section_summary", []any{0, 0, 0, -1}, 0}, {"section_summary", []any{-1, 0, 0, -1}, notFound},
		{"section_summary", []any{0, 0, 11, 0}, badArg},
		{"section_text", []any{0, abi.SectionTextID}, 16}, {"buf_len", []any{16}, 0}, {"section_id", []any{0, 0, 4}, 0},
		{"section_text", []any{0, abi.SectionTextID}, 17}, {"buf_len", []any{17}, 4}, {"section_id", []any{0, 0, 0}, badArg},
		{"section_id", []any{3, 0, 4}, notFound}, {"section_text", []any{0, abi.SectionTextTitle}, 18}, {"buf_len", []any{18}, 3},
		{"section_text", []any{0, abi.SectionTextSummary}, 19}, {"buf_len", []any{19}, 10},
		{"section_text", []any{0, abi.SectionTextBody}, 20}, {"buf_len", []any{20}, 4},
		{"section_text", []any{0, 4}, badArg}, {"section_text", []any{7, 0}, notFound}}},
	{"buffer 5 has 32 bytes for each section, those of this call too", "0123456789", "", []step{
		{"buf_len", []any{5}, 0}, {"section_add", []any{-1, 1, 0, 4, 0, 0}, 0}, {"buf_len", []any{5}, 32},
		{"section_add", []any{0, 1, 1, 2, 0, 0}, 1}, {"buf_len", []any{5}, 64}}},
}

func TestLimitsOfSections(t *testing.T) {
	s := (&script{}).data(0, strings.Repeat("é", 5000))
	deep := ref(s.calls)
	s.call("section_add", -1, -1, 0, 0, 0, 0)
	for i := range 64 {
		s.call("section_add", i, -1, 0, 0, 0, 0) // one below the other
	}
	body := s.call("section_add", -1, 0, 0, 1<<20+2, 0, 0)
	most := s.call("section_add", -1, 0, 0, 1<<20, 0, 0)
	title := s.call("section_title", 0, 0, 0, 1001)
	summary := s.call("section_summary", 0, 0, 0, 5001)
	long := s.call("section_title", 0, 0, 0, 1000)
	longSum := s.call("section_summary", 0, 0, 0, 5000)
	s.repeat(6, func() { s.callOf(abi.NSCore, "section_add", typeI32, -1, 0, 0, 1<<20, 0, 0) })
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

func TestTextOfSectionsIsLimitedInAll(t *testing.T) {
	s := (&script{}).data(0, strings.Repeat("x", 300))
	s.repeat(32768, func() { s.callOf(abi.NSCore, "section_add", typeI32, -1, -1, 0, 0, 0, 256) })
	s.call("section_title", 0, 0, 0, 256) // same length: fits
	a := s.call("section_summary", 0, 0, 0, 1)
	b := s.call("section_id", 0, 0, 5)
	s.call("section_title", 1, 0, 0, 1) // gives 255 back
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
