package wasm

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
)

// headerBytes are the magic number and the version of a module.
const headerBytes = 8

// WithManifest returns a module with a manifest (JSON) in its custom section, in
// place of one that is there. The manifest itself is checked by Inspect.
//
// Errors: abi.ErrGuest if file is no module.
func WithManifest(file, manifest []byte) ([]byte, error) {
	out, err := filterCustom(file, func(name string) bool { return name != abi.ManifestSection })
	if err != nil {
		return nil, fmt.Errorf("%w: %v", abi.ErrGuest, err)
	}
	return appendCustom(out, abi.ManifestSection, manifest), nil
}

// filterCustom copies a module without the custom sections that keep refuses.
func filterCustom(file []byte, keep func(name string) bool) ([]byte, error) {
	if len(file) < headerBytes || string(file[:4]) != magic {
		return nil, fmt.Errorf("file is no WebAssembly module")
	}
	out := slices.Clone(file[:headerBytes])
	r := &reader{b: file, at: headerBytes}
	for r.err == nil && r.left() > 0 {
		start := r.at
		id := r.byte()
		body := r.bytes(int(r.u32()))
		if r.err != nil || id == 0 && !keep(customName(body)) {
			continue
		}
		out = append(out, file[start:r.at]...)
	}
	return out, r.err
}

// customName is the name of a custom section, empty if it is damaged.
func customName(body []byte) string {
	r := &reader{b: body}
	return r.name()
}

func appendCustom(dst []byte, name string, content []byte) []byte {
	body := append(appendName(nil, name), content...)
	dst = append(dst, 0) // a custom section
	dst = binary.AppendUvarint(dst, uint64(len(body)))
	return append(dst, body...)
}

func appendName(dst []byte, name string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(name))), name...)
}
