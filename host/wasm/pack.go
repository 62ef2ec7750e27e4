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
	out, err := withoutManifest(file)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", abi.ErrGuest, err)
	}
	body := appendName(nil, abi.ManifestSection)
	body = append(body, manifest...)
	out = append(out, 0) // a custom section
	out = binary.AppendUvarint(out, uint64(len(body)))
	return append(out, body...), nil
}

func withoutManifest(file []byte) ([]byte, error) {
	if len(file) < headerBytes || string(file[:4]) != magic {
		return nil, fmt.Errorf("file is no WebAssembly module")
	}
	out := slices.Clone(file[:headerBytes])
	r := &reader{b: file, at: headerBytes}
	for r.err == nil && r.left() > 0 {
		start := r.at
		id := r.byte()
		body := r.bytes(int(r.u32()))
		if r.err != nil || id == 0 && isManifest(body) {
			continue
		}
		out = append(out, file[start:r.at]...)
	}
	return out, r.err
}

func isManifest(body []byte) bool {
	r := &reader{b: body}
	name := r.bytes(int(r.u32()))
	return r.err == nil && string(name) == abi.ManifestSection
}

func appendName(dst []byte, name string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(name))), name...)
}
