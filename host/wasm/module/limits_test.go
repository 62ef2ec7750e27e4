package module

import (
	"bytes"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host/wasm/binary"
)

// repeated is a section with n equal entries.
func repeated(id byte, n int, entry ...byte) []byte {
	return binary.AppendSection(nil, id, append(binary.AppendU32(nil, uint32(n)), bytes.Repeat(entry, n)...))
}

// Counts that are true and that each file can afford, but that would make the host or the
// compiler take many times the memory of the file.
func TestLimits(t *testing.T) {
	oneType := repeated(binary.SectionType, 1, binary.FunctionForm, 0, 0)
	memory := repeated(binary.SectionMemory, 1, 0, 1)
	functions := func(n int, body ...byte) []byte {
		return slices.Concat(oneType, repeated(binary.SectionFunction, n, 0), repeated(binary.SectionCode, n, append([]byte{byte(len(body))}, body...)...))
	}
	const locals = maxLocals // of each function
	withLocals := append(append([]byte{1}, binary.AppendU32(nil, locals)...), binary.TypeI64, binary.OpEnd)
	// A segment of one byte at each 200th address.
	gaps := binary.AppendU32(nil, 20_000)
	for i := range 20_000 {
		gaps = binary.AppendS32(append(gaps, 0, binary.OpI32Const), int32(i)*200)
		gaps = append(gaps, binary.OpEnd, 1, 'x')
	}
	for _, tc := range []struct {
		name string
		file []byte
		want string // of the error; empty: accepted
	}{
		{"custom sections", bytes.Repeat([]byte{binary.SectionCustom, 1, 0}, 1<<20), "more than 1000 sections"},
		{"types", repeated(binary.SectionType, 1<<20, binary.FunctionForm, 0, 0), "1048576 types, limit 20000"},
		{"types within the limit", repeated(binary.SectionType, 20_000, binary.FunctionForm, 0, 0), ""},
		{"imports", append(oneType, repeated(binary.SectionImport, 1<<20, 0, 0, binary.KindFunction, 0)...), "1048576 imports, limit 10000"},
		{"functions", functions(1<<20, 0, binary.OpEnd), "1048576 functions, limit 200000"},
		{"functions within the limit", functions(maxFunctions, 0, binary.OpEnd), ""},
		{"exports", slices.Concat(memory, repeated(binary.SectionExport, 1<<20, 0, binary.KindMemory, 0)), "1048576 exports, limit 20000"},
		{"locals of all functions", functions(2000, withLocals...), "function 100: 1010000 locals in all functions so far, limit 1000000"},
		{"element segments", repeated(binary.SectionElement, 1<<20, 1, 0, 0), "1048576 element segments, limit 10000"},
		{"elements", repeated(binary.SectionElement, 1, slices.Concat([]byte{1, 0}, binary.AppendU32(nil, 2_000_000), make([]byte, 2_000_000))...), "2000000 elements, limit 1000000"},
		{"data segments", slices.Concat(memory, repeated(binary.SectionData, 1<<20, 1, 0)), "1048576 data segments, limit 500000"},
		{"data segments that are not merged", slices.Concat(memory, repeated(binary.SectionData, 200_000, 1, 0)), "200000 data segments, limit 100000"},
		{"gaps between data segments", slices.Concat(memory, binary.AppendSection(nil, binary.SectionData, gaps)), ""},
		{"globals", repeated(binary.SectionGlobal, 1<<20, binary.TypeI32, 0, binary.OpI32Const, 0, binary.OpEnd), "1048576 globals, limit 10000"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			file := append([]byte(binary.Header), tc.file...)
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
