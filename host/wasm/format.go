package wasm

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
)

// Format is what a module was built for, and so how the host talks to it.
type Format string

// Formats. A module of another than ours has stages only: text in, text out.
const (
	FormatNative Format = "native" // our ABI
	FormatExtism Format = "extism" // run by Extism's Go SDK
	FormatWASI   Format = "wasi"   // a command: stdin to stdout
)

const exportStart = "_start" // the entry of a WASI command

// format chooses how a module is run, by its imports and exports alone.
func (s *shape) format() (Format, error) {
	other := -1
	for _, e := range s.exports {
		if e.name == abi.ExportMarker {
			return FormatNative, nil
		}
		if major, err := strconv.Atoi(strings.TrimPrefix(e.name, markerPrefix)); err == nil && strings.HasPrefix(e.name, markerPrefix) {
			other = max(other, major)
		}
	}
	switch {
	case other >= 0:
		return "", fmt.Errorf("built for ABI %d, this host speaks %d, %s", other, abi.Major, remedy(other))
	case s.importsFrom(extismEnv):
		return FormatExtism, nil
	case s.export(exportStart) != nil:
		return FormatWASI, nil
	}
	return "", fmt.Errorf("exports no %s and is no extism or WASI command module", abi.ExportMarker)
}

// remedy is what helps a module of another major version.
func remedy(major int) string {
	if major < abi.Major {
		return "build it anew"
	}
	return "update mcpctl"
}

// admitForeign checks a module that was not built for our ABI.
func admitForeign(name string, s *shape, f Format) (m abi.Manifest, own bool, err error) {
	if own = s.manifest != nil; own {
		if m, err = parseManifest(s.manifest); err != nil {
			return m, own, fmt.Errorf("manifest: %w", err)
		}
	} else if m, err = s.foreignManifest(name); err != nil {
		return m, own, err
	}
	if err := s.checkStarts(f); err != nil {
		return m, own, err
	}
	for i, r := range m.Roles {
		if r.Kind != abi.KindStage {
			return m, own, fmt.Errorf("manifest: roles[%d] %q is a %s, but the module is of the format %s, which has stages only", i, r.Name, r.Kind, f)
		}
		if _, err := s.entry(f, r.Name); err != nil {
			return m, own, err
		}
	}
	return m, own, s.checkNeeds(m)
}

// extismStarts are what Extism's SDK, or we for it, call before the entry.
var extismStarts = map[string]funcType{
	"__wasm_call_ctors": {},
	"hs_init":           {params: []byte{typeI32, typeI32}},
}

// checkStarts refuses a module that could not be started.
func (s *shape) checkStarts(f Format) error {
	for name, want := range extismStarts {
		if e := s.export(name); f == FormatExtism && e != nil && e.kind == externFunc && !slices.Equal(e.sig.params, want.params) {
			return fmt.Errorf("export %s is %v, want %v", name, e.sig, want)
		}
	}
	return nil
}

// foreignManifest is that of a module without one.
func (s *shape) foreignManifest(name string) (abi.Manifest, error) {
	if !validName(name) {
		return abi.Manifest{}, fmt.Errorf("role name %q: want %s", name, namePattern)
	}
	role := abi.Role{Name: name, Kind: abi.KindStage}
	s.grantNeeds(&role)
	return abi.Manifest{Name: name, ABI: abi.Version, Roles: []abi.Role{role}}, nil
}

// entry is the export that plays a role.
func (s *shape) entry(f Format, role string) (string, error) {
	switch f {
	case FormatExtism:
		return s.extismEntry(role)
	case FormatWASI:
		e := s.export(exportStart)
		if e.kind != externFunc || !e.sig.equal(funcType{}) {
			return "", fmt.Errorf("export %s is not a function () -> ()", exportStart)
		}
		return exportStart, nil
	}
	return abi.ExportStage, nil
}

// findEntries notes the exports of all roles, which admit has checked.
func (m *Module) findEntries(s *shape) error {
	m.entries = make(map[string]string)
	for _, r := range m.info.Manifest.Roles {
		entry, err := s.entry(m.info.Format, r.Name)
		if err != nil {
			return err
		}
		m.entries[r.Name] = entry
	}
	return nil
}

// notOfRoles are exports () -> i32 that runtimes of languages have.
var notOfRoles = []string{"hs_exit", "asyncify_get_state", "main"}

// extismEntry is the export named like the role, else transform or run, else the
// only one that can be meant.
func (s *shape) extismEntry(role string) (string, error) {
	want := funcType{results: []byte{typeI32}}
	for _, name := range []string{strings.ReplaceAll(role, "-", "_"), role, "transform", "run"} {
		switch e := s.export(name); {
		case e == nil:
			continue
		case e.kind != externFunc:
			return "", fmt.Errorf("export %s is a %s, want %v", name, externNames[e.kind], want)
		case !e.sig.equal(want):
			return "", fmt.Errorf("export %s is %v, want %v", name, e.sig, want)
		}
		return name, nil
	}
	var found []string
	for _, e := range s.exports {
		if e.kind == externFunc && e.sig.equal(want) && !strings.HasPrefix(e.name, "_") && !slices.Contains(notOfRoles, e.name) {
			found = append(found, e.name)
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	have := "has " + strings.Join(found, ", ")
	if len(found) == 0 {
		have = "has none"
	}
	return "", fmt.Errorf("exports no function for the role %q: want one () -> i32 named %s, transform or run, it %s", role, strings.ReplaceAll(role, "-", "_"), have)
}
