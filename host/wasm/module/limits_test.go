package module

import (
	"bytes"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// repeated is a section with n equal entries.
func repeated(id byte, n int, entry ...byte) []byte {
	return AppendSection(nil, id, append(AppendU32(nil, uint32(n)), bytes.Repeat(entry, n)...))
}

// Counts that are true and that each file can afford, but that would make the host or the
// compiler take many times the memory of the file.
func TestLimits(t *testing.T) {
	oneType := repeated(SectionType, 1, functionForm, 0, 0)
	memory := repeated(SectionMemory, 1, 0, 1)
	functions := func(n int, body ...byte) []byte {
		return slices.Concat(oneType, repeated(SectionFunction, n, 0), repeated(SectionCode, n, append([]byte{byte(len(body))}, body...)...))
	}
	const locals = maxLocals // of each function
	withLocals := append(append([]byte{1}, AppendU32(nil, locals)...), TypeI64, OpEnd)
	// A segment of one byte at each 200th address.
	gaps := AppendU32(nil, 20_000)
	for i := range 20_000 {
		gaps = AppendS32(append(gaps, 0, OpI32Const), int32(i)*200)
		gaps = append(gaps, OpEnd, 1, 'x')
	}
	for _, tc := range []struct {
		name string
		file []byte
		want string // of the error; empty: accepted
	}{
		{"custom sections", bytes.Repeat([]byte{SectionCustom, 1, 0}, 1<<20), "more than 1000 sections"},
		{"types", repeated(SectionType, 1<<20, functionForm, 0, 0), "1048576 types, limit 20000"},
		{"types within the limit", repeated(SectionType, maxTypes, functionForm, 0, 0), ""},
		{"imports", append(oneType, repeated(SectionImport, 1<<20, 0, 0, KindFunction, 0)...), "1048576 imports, limit 10000"},
		{"functions", functions(1<<20, 0, OpEnd), "1048576 functions, limit 200000"},
		{"functions within the limit", functions(maxFunctions, 0, OpEnd), ""},
		{"exports", slices.Concat(memory, repeated(SectionExport, 1<<20, 0, KindMemory, 0)), "1048576 exports, limit 20000"},
		{"locals of all functions", functions(2000, withLocals...), "function 100: 1010000 locals in all functions so far, limit 1000000"},
		{"element segments", repeated(SectionElement, 1<<20, 1, 0, 0), "1048576 element segments, limit 10000"},
		{"elements", repeated(SectionElement, 1, slices.Concat([]byte{1, 0}, AppendU32(nil, 2_000_000), make([]byte, 2_000_000))...), "2000000 elements, limit 1000000"},
		{"data segments", slices.Concat(memory, repeated(SectionData, 1<<20, 1, 0)), "1048576 data segments, limit 500000"},
		{"data segments that are not merged", slices.Concat(memory, repeated(SectionData, 200_000, 1, 0)), "200000 data segments, limit 100000"},
		{"gaps between data segments", slices.Concat(memory, AppendSection(nil, SectionData, gaps)), ""},
		{"globals", repeated(SectionGlobal, 1<<20, TypeI32, 0, OpI32Const, 0, OpEnd), "1048576 globals, limit 10000"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			file := append([]byte(Header), tc.file...)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			f, err := Parse(file)
			runtime.ReadMemStats(&after)
			switch {
			case err == nil && tc.want != "", err != nil && (tc.want == "" || !strings.Contains(err.Error(), tc.want)):
				t.Errorf("got %v, want %q", err, tc.want)
			case err == nil && len(f.stripped) > 2*len(file):
				t.Errorf("%d bytes became %d", len(file), len(f.stripped))
			}
			if n, limit := after.TotalAlloc-before.TotalAlloc, uint64(4*len(file)+1<<20); n > limit {
				t.Errorf("%d bytes allocated for a file of %d, limit %d", n, len(file), limit)
			}
		})
	}
}
