package wasm

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/hosttest"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// called is what came of an import with these arguments: its result, or that it ended
// the guest.
func called(f importFunc, r *run, a args) (result int32, trapped *trap) {
	defer func() {
		if p := recover(); p != nil {
			trapped = p.(*trap)
		}
	}()
	r.current, r.args = &hostFunc{name: "f"}, a
	return f(r, a), nil
}

// A pointer and a length are those of memory that the guest has, or end it; what is
// refused leaves nothing.
func TestArgumentsOfSectionsAdd(t *testing.T) {
	const size, most = 1000, math.MaxUint32
	good := newSections([5]int{-1, 0, 4, 0, 2}, [5]int{0, 1, 2, 1, 0})
	for name, c := range map[string]struct {
		args     args
		trapped  bool
		want     int32
		sections int
	}{
		"nothing at all":                        {args{1, 0, 0, 0, 0}, false, 0, 0},
		"nothing at the end":                    {args{1, size, 0, size, 0}, false, 0, 0},
		"nothing behind the end":                {args{1, size + 1, 0, 0, 0}, true, 0, 0},
		"texts: nothing behind the end":         {args{1, 0, 0, size + 1, 0}, true, 0, 0},
		"the last pointer":                      {args{1, most, 0, 0, 0}, true, 0, 0},
		"pointer and length pass 2^32":          {args{1, most - 19, 40, 0, 0}, true, 0, 0},
		"as many bytes as there are":            {args{1, 0, most, 0, 0}, true, 0, 0},
		"texts of as many bytes":                {args{1, 0, 40, 0, most}, true, 0, 0},
		"2^32 in records of 20":                 {args{1, 0, most / 20 * 20, 0, 0}, true, 0, 0},
		"half a record":                         {args{1, 0, 39, 40, 3}, false, badArg, 0},
		"records at an odd place":               {args{1, 501, 40, 541, 3}, false, 0, 2},
		"texts inside the records":              {args{1, 0, 40, 5, 3}, false, 0, 2},
		"records that say 2^33 bytes of texts":  {args{1, 200, 20, 0, 0}, false, badArg, 0},
		"records that say 2^32, which wraps":    {args{1, 220, 40, 0, 0}, false, badArg, 0},
		"records that say less than none":       {args{1, 260, 40, 40, 1}, false, badArg, 0},
		"a buffer that is not":                  {args{most - 1, 0, 40, 40, 3}, false, badArg, 0},
		"the last number of a buffer":           {args{math.MaxInt32, 0, 40, 40, 3}, false, badArg, 0},
		"none, for records that want one":       {args{top, 0, 40, 40, 3}, false, badArg, 0},
		"a span from -1 to the end of integers": {args{1, 300, 20, 0, 0}, false, badArg, 0},
		"a parent that only -2^31 could be":     {args{1, 320, 20, 0, 0}, false, badArg, 0},
	} {
		r := sectionRun(1)
		r.clock = startClock(time.Minute, processTime, func() {})
		r.mem.buf = make([]byte, size)
		copy(r.mem.buf, good+"abc")
		copy(r.mem.buf[501:], good+"abc")
		copy(r.mem.buf[200:], newSections([5]int{-1, 0, 4, -1, -1}))
		copy(r.mem.buf[220:], newSections([5]int{-1, 0, 4, math.MinInt32, 0}, [5]int{-1, 4, 8, math.MinInt32, 0}))
		copy(r.mem.buf[260:], newSections([5]int{-1, 0, 4, 0, 2}, [5]int{-1, 4, 8, 0, -1}))
		copy(r.mem.buf[300:], newSections([5]int{-1, -1, math.MaxInt32, 0, 0}))
		copy(r.mem.buf[320:], newSections([5]int{math.MinInt32, 0, 4, 0, 0}))
		got, trapped := called(sectionsAdd, r, c.args)
		if (trapped != nil) != c.trapped || got != c.want || len(r.tree.sections) != c.sections {
			t.Errorf("%s: %d, %v, %d sections, %q; want %d, trapped %v, %d sections", name, got, trapped, len(r.tree.sections), r.lastError, c.want, c.trapped, c.sections)
		}
		r.clock.stop()
	}
}

// A guest that is refused ten thousand times holds what it held the first time.
func TestManyCallsOfSectionsAdd(t *testing.T) {
	r := sectionRun(1)
	r.clock = startClock(time.Minute, processTime, func() {})
	defer r.clock.stop()
	r.mem.buf = []byte(newSections([5]int{-1, 0, 4, 100, 100}, [5]int{-1, 3, 5, 0, 0}) + strings.Repeat("x", 200))
	kept := 0
	for n := range 10_000 {
		if got := sectionsAdd(r, args{1, 0, 40, 40, 200}); got != badArg || len(r.tree.sections) != 0 || r.tree.text != 0 {
			t.Fatalf("call %d: %d, %s, %d sections of %d bytes", n, got, r.lastError, len(r.tree.sections), r.tree.text)
		}
		if n == 0 {
			kept = cap(r.tree.texts)
		} else if cap(r.tree.texts) != kept {
			t.Fatalf("call %d keeps %d bytes for texts, the first %d", n, cap(r.tree.texts), kept)
		}
	}
}

// prompt_records gives handles, which are bounded; a controller that frees them has as
// many lists, one after the other, as it likes.
func TestManyCallsOfPromptRecords(t *testing.T) {
	r := sectionRun(0)
	r.role.Kind, r.role.Capabilities = abi.KindController, []string{module.CapabilitySession}
	r.hook = &hook{HookCall: abi.HookCall{Host: &hosttest.Session{PromptList: `[{"name":"tone"}]`}}}
	records := implementation(abi.Import{Namespace: abi.NSSession, Name: abi.FuncPromptRecords})
	owned := 0
	for n := range 10_000 {
		want := int32(abi.FirstHandle + n)
		if n >= abi.LimitHandles {
			want = limit
		}
		if got := records(r, args{}); got != want {
			t.Fatalf("call %d: %d, want %d", n, got, want)
		}
		if n == 0 {
			owned = r.bufs.owned
		}
	}
	if r.bufs.owned != abi.LimitHandles*owned {
		t.Errorf("%d bytes are kept for %d handles of %d", r.bufs.owned, abi.LimitHandles, owned)
	}
	for id := range r.bufs.handles {
		r.free(id)
	}
	for n := range 10_000 {
		got := records(r, args{})
		if got < abi.FirstHandle {
			t.Fatalf("call %d of one that frees: %d, %s", n, got, r.lastError)
		}
		r.free(got)
	}
	if r.bufs.owned != 0 || len(r.bufs.handles) != 0 {
		t.Errorf("%d handles with %d bytes are left", len(r.bufs.handles), r.bufs.owned)
	}
}

// Whatever the arguments, sections_add gives a code and changes nothing, adds all that
// it was given, or ends the guest for a pointer.
func FuzzArgumentsOfSectionsAdd(f *testing.F) {
	good := []byte(newSections([5]int{-1, 0, 4, 0, 2}, [5]int{0, 1, 2, 1, 0}) + "abc")
	f.Add(good, uint32(1), uint32(0), uint32(40), uint32(40), uint32(3))
	f.Add(good, uint32(math.MaxUint32), uint32(math.MaxUint32-19), uint32(40), uint32(0), uint32(math.MaxUint32))
	f.Add(good, uint32(abi.FirstHandle), uint32(1), uint32(20), uint32(3), uint32(0))
	f.Fuzz(func(t *testing.T, memory []byte, buf, records, size, texts, length uint32) {
		r := sectionRun(1)
		r.clock = startClock(time.Minute, processTime, func() {})
		defer r.clock.stop()
		r.mem.buf = memory
		got, trapped := called(sectionsAdd, r, args{uint64(buf), uint64(records), uint64(size), uint64(texts), uint64(length)})
		outside := uint64(records)+uint64(size) > uint64(len(memory)) || uint64(texts)+uint64(length) > uint64(len(memory))
		switch n := len(r.tree.sections); {
		case outside != (trapped != nil):
			t.Errorf("trapped with %v", trapped)
		case trapped == nil && got < 0 && (n != 0 || r.lastError == ""):
			t.Errorf("%d, %q, left %d sections", got, r.lastError, n)
		case trapped == nil && got >= 0 && (got != 0 || n != int(size)/abi.AdditionRecordSize):
			t.Errorf("%d for %d bytes of records, %d sections", got, size, n)
		}
	})
}
