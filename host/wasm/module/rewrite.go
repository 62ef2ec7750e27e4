package module

import (
	"fmt"
	"slices"
)

// GlobalName returns the export of the nth mutable global in the result of
// WithGlobals. No other module has such an export: Check refuses the prefix.
func GlobalName(n int) string { return fmt.Sprintf("mcpctl_global_%d", n) }

// MutableGlobals returns the number of mutable globals.
func (f *File) MutableGlobals() int { return len(f.mutable) }

// WithGlobals returns the module to compile with its mutable globals exported.
func (f *File) WithGlobals() []byte {
	r := &Reader{b: f.stripped, at: f.exportSection[0] + 1}
	body := NewReader(r.Bytes(int(r.U32())))
	count := body.U32()
	exports := AppendU32(nil, count+uint32(len(f.mutable)))
	exports = append(exports, body.b[body.at:]...)
	for n, index := range f.mutable {
		exports = append(AppendName(exports, GlobalName(n)), KindGlobal)
		exports = AppendU32(exports, index)
	}
	out := AppendSection(slices.Clone(f.stripped[:f.exportSection[0]]), SectionExport, exports)
	return append(out, f.stripped[f.exportSection[1]:]...)
}

// RedirectImports returns the module to compile with imports from one namespace
// taken from another if names selects them. All imports must be functions.
func (f *File) RedirectImports(from, to string, names func(name string) bool) []byte {
	r := &Reader{b: f.stripped, at: len(Header)}
	for r.Len() > 0 {
		start := r.at
		id := r.Byte()
		body := NewReader(r.Bytes(int(r.U32())))
		if id != SectionImport {
			continue
		}
		n := body.U32()
		imports := AppendU32(nil, n)
		for range n {
			module, name := body.Name(), body.Name()
			if module == from && names(name) {
				module = to
			}
			imports = append(AppendName(AppendName(imports, module), name), body.Byte())
			imports = AppendU32(imports, body.U32())
		}
		out := AppendSection(f.stripped[:start:start], SectionImport, imports)
		return append(out, f.stripped[r.at:]...)
	}
	return f.stripped
}
