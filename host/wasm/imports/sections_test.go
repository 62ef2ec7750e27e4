package imports

import (
	"encoding/binary"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// BenchmarkSections measures the host's part of a section with a title and an id.
func BenchmarkSections(b *testing.B) {
	const n = 24_500
	for name, groups := range map[string]int{"top": 0, "grouped": 7} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			a := make(Args, 6)
			call := func(f run, c *Call, values ...uint64) int32 {
				copy(a, values)
				return f(c, a)
			}
			for b.Loop() {
				b.StopTimer()
				c := newCall(n)
				b.StartTimer()
				for range groups {
					call(sectionAdd, c, minusOne, minusOne, 0, 0, 0, 16)
				}
				for i := range uint64(n) {
					parent, at := uint64(minusOne), i
					if groups > 0 {
						parent = i / (n / uint64(groups))
						at = i%(n/uint64(groups))*uint64(groups) + parent // in text order within its group only
					}
					start := at * sectionSize
					section := call(sectionAdd, c, parent, abi.BufInput, start, start+sectionSize-1, at*16, 16)
					if section < 0 || call(sectionID, c, uint64(section), at*16, 7) < 0 {
						b.Fatal(c.refusals.text)
					}
				}
				if _, err := c.sections.tree.Finish("", ""); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/section")
		})
	}
}

// encodeRecords returns records of sections_add: parent, start, end, bytes of id and
// title.
func encodeRecords(records ...[5]int) string {
	var b []byte
	for _, r := range records {
		for _, v := range r {
			b = binary.LittleEndian.AppendUint32(b, uint32(int32(v)))
		}
	}
	return string(b)
}

// TestSectionsAddArguments verifies that pointers outside memory trap, and that refused
// records add nothing.
func TestSectionsAddArguments(t *testing.T) {
	const size, maxU32 = 1000, math.MaxUint32
	good := encodeRecords([5]int{-1, 0, 4, 0, 2}, [5]int{0, 1, 2, 1, 0})
	for name, tt := range map[string]struct {
		args     Args
		traps    bool
		want     int32
		sections int
	}{
		"no records":                        {Args{1, 0, 0, 0, 0}, false, 0, 0},
		"no records at end of memory":       {Args{1, size, 0, size, 0}, false, 0, 0},
		"no records after end of memory":    {Args{1, size + 1, 0, 0, 0}, true, 0, 0},
		"no texts after end of memory":      {Args{1, 0, 0, size + 1, 0}, true, 0, 0},
		"last pointer":                      {Args{1, maxU32, 0, 0, 0}, true, 0, 0},
		"pointer and length exceed 2^32":    {Args{1, maxU32 - 19, 40, 0, 0}, true, 0, 0},
		"records of 2^32-1 bytes":           {Args{1, 0, maxU32, 0, 0}, true, 0, 0},
		"texts of 2^32-1 bytes":             {Args{1, 0, 40, 0, maxU32}, true, 0, 0},
		"complete records of almost 2^32":   {Args{1, 0, maxU32 / 20 * 20, 0, 0}, true, 0, 0},
		"incomplete record":                 {Args{1, 0, 39, 40, 3}, false, badArg, 0},
		"records at odd address":            {Args{1, 501, 40, 541, 3}, false, 0, 2},
		"texts inside records":              {Args{1, 0, 40, 5, 3}, false, 0, 2},
		"records need 2^33 bytes of texts":  {Args{1, 200, 20, 0, 0}, false, badArg, 0},
		"records need 2^32 bytes, wrapping": {Args{1, 220, 40, 0, 0}, false, badArg, 0},
		"negative size of texts":            {Args{1, 260, 40, 40, 1}, false, badArg, 0},
		"unknown buffer":                    {Args{maxU32 - 1, 0, 40, 40, 3}, false, badArg, 0},
		"last buffer number":                {Args{math.MaxInt32, 0, 40, 40, 3}, false, badArg, 0},
		"no buffer for spans":               {Args{minusOne, 0, 40, 40, 3}, false, badArg, 0},
		"span from -1 to 2^31-1":            {Args{1, 300, 20, 0, 0}, false, badArg, 0},
		"parent -2^31":                      {Args{1, 320, 20, 0, 0}, false, badArg, 0},
	} {
		c := newCall(1)
		memory := make([]byte, size)
		copy(memory, good+"abc")
		copy(memory[501:], good+"abc")
		copy(memory[200:], encodeRecords([5]int{-1, 0, 4, -1, -1}))
		copy(memory[220:], encodeRecords([5]int{-1, 0, 4, math.MinInt32, 0}, [5]int{-1, 4, 8, math.MinInt32, 0}))
		copy(memory[260:], encodeRecords([5]int{-1, 0, 4, 0, 2}, [5]int{-1, 4, 8, 0, -1}))
		copy(memory[300:], encodeRecords([5]int{-1, -1, math.MaxInt32, 0, 0}))
		copy(memory[320:], encodeRecords([5]int{math.MinInt32, 0, 4, 0, 0}))
		c.memory.Bytes = memory
		got, trap := invoke(sectionsAdd, c, tt.args)
		if n := c.sections.tree.Len(); (trap != nil) != tt.traps || got != tt.want || n != tt.sections {
			t.Errorf("%s: %d, %v, %d sections, %q; want %d, trap %v, %d sections", name, got, trap, n, c.refusals.text, tt.want, tt.traps, tt.sections)
		}
	}
}

// TestRefusedSectionsKeepNoMemory verifies that many refused calls keep no more memory
// than one.
func TestRefusedSectionsKeepNoMemory(t *testing.T) {
	c := newCall(1)
	c.memory.Bytes = []byte(encodeRecords([5]int{-1, 0, 4, 100, 100}, [5]int{-1, 3, 5, 0, 0}) + strings.Repeat("x", 200))
	tree := &c.sections.tree
	call := func() {
		if got := sectionsAdd(c, Args{1, 0, 40, 40, 200}); got != badArg || tree.Len() != 0 || tree.TextBytes() != 0 {
			t.Fatalf("%d, %s, %d sections of %d bytes", got, c.refusals.text, tree.Len(), tree.TextBytes())
		}
	}
	call()
	first := *tree
	for range 10_000 {
		call()
	}
	if !reflect.DeepEqual(*tree, first) {
		t.Errorf("tree after the first call %+v, after the last %+v", first, *tree)
	}
}

func TestSectionsAddLimits(t *testing.T) {
	const titleBytes = 300 // of which 256 are kept
	var records [][5]int
	for range 32768 {
		records = append(records, [5]int{-1, 0, 0, 0, titleBytes})
	}
	all := encodeRecords(records...)
	tooMany := encodeRecords(append(records, [5]int{-1, 0, 0, 0, 1})...)
	nested := [][5]int{{-1, 0, 0, 0, 0}}
	for i := range abi.LimitSectionDepth {
		nested = append(nested, [5]int{i, 0, 0, 0, 0})
	}
	texts := strings.Repeat("x", titleBytes*len(records)+1)
	for name, tt := range map[string]struct {
		records, texts string
		want           int32
		sections       int
	}{
		"all text bytes":        {all, texts[1:], 0, len(records)},
		"one text byte more":    {tooMany, texts, limitCode, 0},
		"64 levels":             {encodeRecords(nested[:abi.LimitSectionDepth]...), "", 0, abi.LimitSectionDepth},
		"65 levels":             {encodeRecords(nested...), "", limitCode, 0},
		"65,536 sections":       {strings.Repeat(encodeRecords([5]int{-1, 0, 0, 0, 0}), 65536), "", 0, 65536},
		"65,537 sections":       {strings.Repeat(encodeRecords([5]int{-1, 0, 0, 0, 0}), 65537), "", limitCode, 0},
		"title with half rune":  {encodeRecords([5]int{-1, 0, 0, 0, 1}, [5]int{-1, 0, 0, 0, 1}), "é", badArg, 0},
		"id with half a rune":   {encodeRecords([5]int{-1, 0, 0, 1, 1}), "é", badArg, 0},
		"records without texts": {encodeRecords([5]int{-1, 0, 0, 0, 1}), "", badArg, 0},
	} {
		c := newCall(1)
		c.Request().Context.Limits.Sections = abi.LimitSections
		c.memory.Bytes = []byte(tt.records + tt.texts)
		size := uint64(len(tt.records))
		got := sectionsAdd(c, Args{minusOne, 0, size, size, uint64(len(tt.texts))})
		if n := c.sections.tree.Len(); got != tt.want || n != tt.sections {
			t.Errorf("%s: %d, %s, %d sections; want %d and %d", name, got, c.refusals.text, n, tt.want, tt.sections)
		}
	}
}

// TestAddSectionIsAtomic verifies that a section whose summary is refused is not added.
func TestAddSectionIsAtomic(t *testing.T) {
	c := newCall(1)
	tree := &c.sections.tree
	c.Request().Context.Limits.Sections = 1 << 20
	for n := abi.LimitSectionTextBytes - 5; n > 0; { // fill the room for texts
		size := min(n, abi.LimitTitleBytes)
		tree.Append(abi.Section{Parent: -1, Kind: abi.SectionGroup, Title: strings.Repeat("x", size)})
		n -= size
	}
	before, text := tree.Len(), tree.TextBytes()
	if code := c.AddSection("f", NewSection{Parent: -1, End: 4, Title: "abc", ID: "a", Summary: "123456"}); code != limitCode || tree.Len() != before || tree.TextBytes() != text {
		t.Errorf("%d, %d sections, %d bytes of texts", code, tree.Len()-before, tree.TextBytes()-text)
	}
	code := c.AddSection("f", NewSection{Parent: -1, End: 4, ID: "a", Summary: "1234"})
	if int(code) != before {
		t.Fatalf("%d, %s", code, c.refusals.text)
	}
	if s := tree.Section(before); s.ID != "a" || s.Summary != "1234" {
		t.Errorf("%+v", s)
	}
}

// FuzzSectionsAddArguments verifies that sections_add refuses and changes nothing, adds
// all records, or traps for a pointer outside memory.
func FuzzSectionsAddArguments(f *testing.F) {
	good := []byte(encodeRecords([5]int{-1, 0, 4, 0, 2}, [5]int{0, 1, 2, 1, 0}) + "abc")
	f.Add(good, uint32(1), uint32(0), uint32(40), uint32(40), uint32(3))
	f.Add(good, uint32(math.MaxUint32), uint32(math.MaxUint32-19), uint32(40), uint32(0), uint32(math.MaxUint32))
	f.Add(good, uint32(abi.FirstHandle), uint32(1), uint32(20), uint32(3), uint32(0))
	f.Fuzz(func(t *testing.T, memory []byte, buf, records, size, texts, length uint32) {
		c := newCall(1)
		c.memory.Bytes = memory
		got, trap := invoke(sectionsAdd, c, Args{uint64(buf), uint64(records), uint64(size), uint64(texts), uint64(length)})
		isOutside := uint64(records)+uint64(size) > uint64(len(memory)) || uint64(texts)+uint64(length) > uint64(len(memory))
		switch n := c.sections.tree.Len(); {
		case isOutside != (trap != nil):
			t.Errorf("trap %v", trap)
		case trap == nil && got < 0 && (n != 0 || c.refusals.text == ""):
			t.Errorf("%d, %q, left %d sections", got, c.refusals.text, n)
		case trap == nil && got >= 0 && (got != 0 || n != int(size)/abi.AdditionRecordSize):
			t.Errorf("%d for %d bytes of records, %d sections", got, size, n)
		}
	})
}

// FuzzSectionsAdd compares sections_add with section_add and section_id for each record.
func FuzzSectionsAdd(f *testing.F) {
	f.Add([]byte(encodeRecords([5]int{-1, 0, 8, 1, 2}, [5]int{0, 2, 4, 0, 1}, [5]int{-1, 0, 0, 1, 0})+"aAAbc"), uint16(60), int8(1))
	f.Add([]byte(encodeRecords([5]int{-1, 4, 9, 0, 0}, [5]int{-1, 3, 9, 0, 0})), uint16(40), int8(0))
	f.Fuzz(func(t *testing.T, b []byte, size uint16, buf int8) {
		records := min(int(size), len(b))
		many, one := newCall(2), newCall(2)
		for _, c := range []*Call{many, one} {
			c.memory.Bytes = b
			if sectionsAdd(c, Args{minusOne, 0, 0, 0, 0}) != 0 || addSection(c, abi.Section{Parent: -1, End: 2}, abi.BufOriginal, nil, []byte("first")) != 0 {
				t.Fatal(c.refusals.text)
			}
		}
		got := sectionsAdd(many, Args{uint64(uint32(int32(buf))), 0, uint64(records), uint64(records), uint64(len(b) - records)})
		if got < 0 {
			tree := &many.sections.tree
			if tree.Len() != 1 || tree.TextBytes() != len("first") || tree.Check(&abi.Section{Parent: -1, Kind: abi.SectionExact, Start: 2, End: 3}, 80) != "" {
				t.Fatalf("%s left %+v", many.refusals.text, tree)
			}
			return
		}
		texts := b[records:]
		for at := 0; at < records; at += abi.AdditionRecordSize {
			s := readRecord(b[at:])
			id := int32(buf)
			if s.Start == 0 && s.End == 0 {
				id = abi.BufNone
			}
			i := addSection(one, s.Section, id, nil, texts[s.idBytes:s.idBytes+s.titleBytes])
			if i < 0 || s.idBytes > 0 && one.sections.setID(i, texts[:s.idBytes]) < 0 {
				t.Fatalf("one by one: %s", one.refusals.text)
			}
			texts = texts[s.idBytes+s.titleBytes:]
		}
		if many.sections.tree.TextBytes() != one.sections.tree.TextBytes() {
			t.Errorf("%d bytes of texts, one by one %d", many.sections.tree.TextBytes(), one.sections.tree.TextBytes())
		}
		got1, err1 := many.sections.tree.Finish("", "")
		got2, err2 := one.sections.tree.Finish("", "")
		if !reflect.DeepEqual(got1, got2) || (err1 == nil) != (err2 == nil) {
			t.Errorf("%+v %v, one by one %+v %v", got1, err1, got2, err2)
		}
	})
}
