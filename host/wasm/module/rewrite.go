package module

import (
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/host/wasm/binary"
)

// GlobalName returns the export of the nth mutable global in the result of
// WithGlobals. No other module has such an export: Check refuses the prefix.
func GlobalName(n int) string { return fmt.Sprintf("mcpctl_global_%d", n) }

// MutableGlobals returns the number of mutable globals.
func (f *File) MutableGlobals() int { return len(f.mutable) }

// WithGlobals returns the module to compile with its mutable globals exported.
func (f *File) WithGlobals() []byte {
	r := binary.NewReader(f.stripped[f.exportSection[0]+1:])
	body := binary.NewReader(r.Bytes(int(r.U32())))
	count := body.U32()
	exports := binary.AppendU32(nil, count+uint32(len(f.mutable)))
	exports = append(exports, body.Rest()...)
	for n, index := range f.mutable {
		exports = append(binary.AppendName(exports, GlobalName(n)), binary.KindGlobal)
		exports = binary.AppendU32(exports, index)
	}
	out := binary.AppendSection(slices.Clone(f.stripped[:f.exportSection[0]]), binary.SectionExport, exports)
	return append(out, f.stripped[f.exportSection[1]:]...)
}

// RedirectImports returns the module to compile with imports from one namespace
// taken from another if names selects them. All imports must be functions.
func (f *File) RedirectImports(from, to string, names func(name string) bool) []byte {
	r := binary.NewReader(f.stripped)
	r.Bytes(len(binary.Header))
	for r.Len() > 0 {
		start := r.Offset()
		id := r.Byte()
		body := binary.NewReader(r.Bytes(int(r.U32())))
		if id != binary.SectionImport {
			continue
		}
		n := body.U32()
		imports := binary.AppendU32(nil, n)
		for range n {
			module, name := body.Name(), body.Name()
			if module == from && names(name) {
				module = to
			}
			imports = append(binary.AppendName(binary.AppendName(imports, module), name), body.Byte())
			imports = binary.AppendU32(imports, body.U32())
		}
		out := binary.AppendSection(f.stripped[:start:start], binary.SectionImport, imports)
		return append(out, f.stripped[r.Offset():]...)
	}
	return f.stripped
}
