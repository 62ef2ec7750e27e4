package wasm

import (
	"encoding/binary"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// newSections are records of sections_add: parent, start, end, bytes of id and title.
func newSections(records ...[5]int) string {
	var b []byte
	for _, r := range records {
		for _, v := range r {
			b = binary.LittleEndian.AppendUint32(b, uint32(int32(v)))
		}
	}
	return string(b)
}

// The sentence names the record, and what came before it is as if it had never been:
// neither its parents nor its siblings nor the room for texts know of it.
func TestRefusedSectionsLeaveNothing(t *testing.T) {
	s := (&script{}).data(0, newSections([5]int{-1, 0, 4, 0, 0}, [5]int{0, 0, 2, 0, 0}))
	s.data(100, newSections([5]int{0, 2, 4, 0, 0}, [5]int{-1, 4, 8, 0, 0}, [5]int{3, 5, 7, 0, 0}, [5]int{2, 0, 3, 0, 0}))
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

func TestLimitsOfManySections(t *testing.T) {
	const each = 300 // of which a title keeps 256 bytes
	var records [][5]int
	for range 32768 {
		records = append(records, [5]int{-1, 0, 0, 0, each})
	}
	all := newSections(records...)
	full := newSections(append(records, [5]int{-1, 0, 0, 0, 1})...)
	deep := [][5]int{{-1, 0, 0, 0, 0}}
	for i := range abi.LimitSectionDepth {
		deep = append(deep, [5]int{i, 0, 0, 0, 0})
	}
	texts := strings.Repeat("x", each*len(records)+1)
	for name, c := range map[string]struct {
		records, texts string
		want           int32
		sections       int
	}{
		"text in sum":         {all, texts[1:], 0, len(records)},
		"one byte more":       {full, texts, limit, 0},
		"64 levels":           {newSections(deep[:abi.LimitSectionDepth]...), "", 0, abi.LimitSectionDepth},
		"65 levels":           {newSections(deep...), "", limit, 0},
		"65,536 sections":     {strings.Repeat(newSections([5]int{-1, 0, 0, 0, 0}), 65536), "", 0, 65536},
		"one more than that":  {strings.Repeat(newSections([5]int{-1, 0, 0, 0, 0}), 65537), "", limit, 0},
		"a title cut in half": {newSections([5]int{-1, 0, 0, 0, 1}, [5]int{-1, 0, 0, 0, 1}), "é", badArg, 0},
		"an id cut in half":   {newSections([5]int{-1, 0, 0, 1, 1}), "é", badArg, 0},
	} {
		r := sectionRun(1)
		r.call.Context.Limits.Sections = abi.LimitSections
		r.clock = startClock(time.Minute, processTime, func() {})
		r.mem.buf = []byte(c.records + c.texts)
		size := uint64(len(c.records))
		got := sectionsAdd(r, args{top, 0, size, size, uint64(len(c.texts))})
		if got != c.want || len(r.tree.sections) != c.sections {
			t.Errorf("%s: %d, %s, %d sections; want %d and %d", name, got, r.lastError, len(r.tree.sections), c.want, c.sections)
		}
	}
}

// Else a guest could have 32 KiB kept for each of 65,536 Sections.
func TestTextsOfRefusedSectionsTakeNoMemory(t *testing.T) {
	tree := &treeBuilder{}
	kept := tree.keep([]byte("kept"))
	before := tree.mark()
	for range 100 {
		tree.keep([]byte(strings.Repeat("x", 1000)))
	}
	tree.rewind(before)
	if tree.keep([]byte("next")); string(tree.texts) != "keptnext" || kept != "kept" {
		t.Errorf("texts are %q, the first is %q", tree.texts, kept)
	}
}

// Whatever the records say, sections_add leaves what section_add and section_id do for
// them one by one, or what was there before.
func FuzzSectionsAdd(f *testing.F) {
	f.Add([]byte(newSections([5]int{-1, 0, 8, 1, 2}, [5]int{0, 2, 4, 0, 1}, [5]int{-1, 0, 0, 1, 0})+"aAAbc"), uint16(60), int8(1))
	f.Add([]byte(newSections([5]int{-1, 4, 9, 0, 0}, [5]int{-1, 3, 9, 0, 0})), uint16(40), int8(0))
	f.Fuzz(func(t *testing.T, b []byte, size uint16, buf int8) {
		records := min(int(size), len(b))
		many, one := sectionRun(2), sectionRun(2)
		for _, r := range []*run{many, one} {
			r.clock = startClock(time.Minute, processTime, func() {})
			defer r.clock.stop()
			r.mem.buf = b
			if sectionsAdd(r, args{top, 0, 0, 0, 0}) != 0 || r.addSection(abi.Section{Parent: -1, End: 2}, abi.BufOriginal, nil, []byte("first")) != 0 {
				t.Fatal(r.lastError)
			}
		}
		got := sectionsAdd(many, args{uint64(uint32(int32(buf))), 0, uint64(records), uint64(records), uint64(len(b) - records)})
		if got < 0 {
			if len(many.tree.sections) != 1 || len(many.tree.places) != 1 || many.tree.text != len("first") || many.tree.topEnd != 2 {
				t.Fatalf("%s left %+v", many.lastError, many.tree)
			}
			return
		}
		texts := b[records:]
		for at := 0; at < records; at += abi.AdditionRecordSize {
			s := readNewSection(b[at:])
			from := int32(buf)
			if s.Start == 0 && s.End == 0 {
				from = abi.BufNone
			}
			i := one.addSection(s.Section, from, nil, texts[s.id:s.id+s.title])
			if i < 0 || s.id > 0 && one.nameSection(i, texts[:s.id]) < 0 {
				t.Fatalf("one by one: %s", one.lastError)
			}
			texts = texts[s.id+s.title:]
		}
		if !reflect.DeepEqual(many.tree.sections, one.tree.sections) || many.tree.text != one.tree.text {
			t.Errorf("%+v, one by one %+v", many.tree.sections, one.tree.sections)
		}
	})
}
