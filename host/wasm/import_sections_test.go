package wasm

import (
	"encoding/binary"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// encodeRecords returns records of sections_add: parent, start, end, bytes of id and title.
func encodeRecords(records ...[5]int) string {
	var b []byte
	for _, r := range records {
		for _, v := range r {
			b = binary.LittleEndian.AppendUint32(b, uint32(int32(v)))
		}
	}
	return string(b)
}

// TestRefusedRecords verifies that the error names the record and that the records before
// it have no effect.
func TestRefusedRecords(t *testing.T) {
	s := (&script{}).data(0, encodeRecords([5]int{-1, 0, 4, 0, 0}, [5]int{0, 0, 2, 0, 0}))
	s.data(100, encodeRecords([5]int{0, 2, 4, 0, 0}, [5]int{-1, 4, 8, 0, 0}, [5]int{3, 5, 7, 0, 0}, [5]int{2, 0, 3, 0, 0}))
	s.call("sections_add", 1, 0, 40, 0, 0)
	before := s.call("buf_len", 5)
	refused := s.call("sections_add", 1, 100, 80, 0, 0)
	why := s.call("last_error")
	s.call("out_span", abi.FirstHandle, 0, -1)
	after := s.call("buf_len", 5)
	parent := s.call("section_add", 2, -1, 0, 0, 0, 0)
	below := s.call("section_add", 0, 1, 2, 3, 0, 0)
	sibling := s.call("section_add", -1, 1, 4, 5, 0, 0)
	got := newBench(t, nil).run(t, s.returns(abi.ReturnDone), content("0123456789"))
	if got.err != nil {
		t.Fatal(got.err)
	}
	for r, want := range map[ref]int32{before: 64, refused: badArg, why: abi.FirstHandle, after: 64, parent: badArg, below: 2, sibling: 3} {
		if got.results[r] != want {
			t.Errorf("result %d is %d, want %d", r, got.results[r], want)
		}
	}
	if want := "record 3: span 0 to 3 leaves section 2, 2 to 4"; string(got.out.Bytes) != want {
		t.Errorf("last_error %q, want %q", got.out.Bytes, want)
	}
	if n := len(got.out.Tree.Sections); n != 4 {
		t.Errorf("%d sections, want 4", n)
	}
}

// TestRefusedSpans verifies that the error names the function and the size of the buffer.
func TestRefusedSpans(t *testing.T) {
	for _, tt := range []struct {
		function string
		args     []any
		want     string
	}{
		{"out_span", []any{0, 5, 1000000}, "out_span: span 5 to 1000005 is outside of the buffer of 10 bytes"},
		{"out_span", []any{0, -1, 4}, "out_span: span -1 to 3 is outside of the buffer of 10 bytes"},
		{"out_span", []any{0, 11, -1}, "out_span: span 11 to 11 is outside of the buffer of 10 bytes"},
		{"out_span", []any{0, 2, -2}, "out_span: length -2, want -1 (to the end) or more"},
		{"section_add", []any{-1, 1, 5, 1000000, 0, 0}, "section_add: span 5 to 1000000 is outside of the buffer of 10 bytes"},
		{"section_add", []any{-1, 1, -1, 4, 0, 0}, "section_add: span -1 to 4 is outside of the buffer of 10 bytes"},
		{"section_add", []any{-1, 1, 5, 5, 0, 0}, "span 5 to 5 has no bytes"},
		{"json_text", []any{0, 2, 11}, "json_text: span 2 to 11 is outside of the buffer of 10 bytes"},
	} {
		s := &script{}
		refused := s.call(tt.function, tt.args...)
		s.call("last_error")
		s.call("out_span", abi.FirstHandle, 0, -1)
		got := newBench(t, nil).run(t, s.returns(abi.ReturnDone), content("0123456789"))
		if got.err != nil {
			t.Fatal(got.err)
		}
		if got.results[refused] != badArg || string(got.out.Bytes) != tt.want {
			t.Errorf("%s%v = %d, %q; want %d, %q", tt.function, tt.args, got.results[refused], got.out.Bytes, badArg, tt.want)
		}
	}
}
