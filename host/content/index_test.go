package content

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// The index is bounded for each Original, whatever the size of views and records.
func TestMemoryOfIndex(t *testing.T) {
	written, found, read := indexBytes(t, 1000)
	for _, c := range []struct {
		when       string
		got, limit float64 // bytes for each Original; the limit is 1.5 times the usual value
	}{{"after writing", written, 820}, {"after a start", found, 500}, {"after a start and reading", read, 760}} {
		if c.got > c.limit {
			t.Errorf("%s: %.0f bytes for each original, limit %.0f", c.when, c.got, c.limit)
		}
	}
}

func BenchmarkIndex(b *testing.B) {
	for b.Loop() {
		written, found, read := indexBytes(b, 20_000)
		b.ReportMetric(written, "B/written")
		b.ReportMetric(found, "B/found")
		b.ReportMetric(read, "B/read")
	}
}

// indexBytes returns the bytes of memory for each Original after writing them, after a
// start, and after the use of all Refs.
func indexBytes(t testing.TB, originals int) (written, found, read float64) {
	t.Helper()
	dir := t.TempDir()
	v := someView()
	for i := range 60 {
		v.Tree.Sections = append(v.Tree.Sections, abi.Section{Parent: -1, Start: i * 90, End: i*90 + 88, ID: fmt.Sprintf("%08x", i*7919), Title: strings.Repeat("title ", 10)})
	}
	opt := Options{MaxFiles: 2*originals + 10, Memory: 1}
	s := openStore(t, dir, opt)
	refs := make([]string, originals)
	before := heapBytes()
	for i := range refs {
		in := info
		in.Hint = fmt.Sprintf("src/file%d.go", i)
		ref, err := s.Put(alice, []byte(fmt.Sprint(i)), in)
		if err = errors.Join(err, s.SetView(alice, ref, v)); err != nil {
			t.Fatal(err)
		}
		refs[i] = ref
	}
	each := func() float64 { return (heapBytes() - before) / float64(originals) }
	written = each()
	s.Close()
	s = nil
	before = heapBytes()
	s = openStore(t, dir, opt)
	found = each()
	for _, ref := range refs {
		if _, ok := s.Touch(alice, ref); !ok {
			t.Fatal("missing ref")
		}
	}
	read = each()
	s.Close()
	return written, found, read
}

// heapBytes returns the bytes of live objects.
func heapBytes() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
