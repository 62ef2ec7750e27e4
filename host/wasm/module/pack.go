package module

import (
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/binary"
)

// CheckSections verifies that a file is a core module with complete sections. It
// does not read their content.
//
// Errors: as for Check.
func CheckSections(name string, file []byte) error {
	if _, err := binary.Sections(file); err != nil {
		return Refuse(name, err)
	}
	return nil
}

// WithManifest returns a module with the manifest (JSON) in its custom section,
// replacing an existing one. Inspect checks the manifest itself.
//
// Errors: abi.ErrGuest if file is not a module.
func WithManifest(file, manifest []byte) ([]byte, error) {
	sections, err := binary.Sections(file)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", abi.ErrGuest, err)
	}
	out := []byte(binary.Header)
	for _, s := range sections {
		if s.ID != binary.SectionCustom || s.CustomName() != abi.ManifestSection {
			out = append(out, s.Raw...)
		}
	}
	return binary.AppendCustom(out, abi.ManifestSection, manifest), nil
}

// WithProducers returns a module that names the tools it was made with. An existing
// producers section is kept unchanged.
//
// Errors: abi.ErrGuest if file is not a module.
func WithProducers(file []byte, p Producers) ([]byte, error) {
	sections, err := binary.Sections(file)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", abi.ErrGuest, err)
	}
	exists := slices.ContainsFunc(sections, func(s binary.Section) bool { return s.ID == binary.SectionCustom && s.CustomName() == producersSection })
	if body := p.encode(); body != nil && !exists {
		return binary.AppendCustom(slices.Clone(file), producersSection, body), nil
	}
	return slices.Clone(file), nil
}
