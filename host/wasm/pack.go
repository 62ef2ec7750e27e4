package wasm

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
)

// headerBytes are the magic number and the version of a module.
const headerBytes = 8

// CheckSections reports whether a file is a core module whose sections are whole. Their
// content is not read.
//
// Errors: as of Load.
func CheckSections(name string, file []byte) error {
	if _, err := filterCustom(file, func(string) bool { return true }); err != nil {
		return refusal(name, err)
	}
	return nil
}

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
	if err := recognize(file); err != nil {
		return nil, err
	}
	out := slices.Clone(file[:headerBytes])
	r := &reader{b: file, at: headerBytes}
	for r.left() > 0 {
		start := r.at
		id, body, err := readSection(r)
		if err != nil {
			return nil, err
		}
		if id != secCustom || keep(customName(body)) {
			out = append(out, file[start:r.at]...)
		}
	}
	return out, nil
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
