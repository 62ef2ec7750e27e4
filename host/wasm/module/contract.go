package module

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/binary"
)

// checkContract checks a module against its format and its manifest. It returns the
// manifest, or the default one with hasManifest false.
func (f *File) checkContract(name string, format Format) (m abi.Manifest, hasManifest bool, err error) {
	for _, check := range []func() error{f.checkMemory, func() error { return f.checkImports(format) }, f.checkExports} {
		if err := check(); err != nil {
			return m, false, err
		}
	}
	if hasManifest = f.Manifest != nil; hasManifest {
		if m, err = parseManifest(f.Manifest); err != nil {
			return m, true, fmt.Errorf("manifest: %w", err)
		}
	}
	switch {
	case format != FormatNative:
		if !hasManifest {
			if m, err = f.singleRole(name, abi.KindStage); err != nil {
				return m, false, err
			}
		}
		return m, hasManifest, f.checkForeign(m, format)
	case !hasManifest:
		m, err = f.defaultManifest(name)
		return m, false, err
	}
	return m, true, f.checkManifest(m)
}

func (f *File) checkMemory() error {
	switch e := f.export(abi.ExportMemory); {
	case e == nil:
		return fmt.Errorf("exports no %s", abi.ExportMemory)
	case e.Kind != binary.KindMemory:
		return fmt.Errorf("export %s is a %s, want a memory", e.Name, binary.KindNames[e.Kind])
	}
	return nil
}

// checkExports refuses exports with a wrong signature, and hooks of a newer ABI.
func (f *File) checkExports() error {
	for _, e := range f.Exports {
		i := slices.IndexFunc(abi.Exports, func(a abi.Export) bool { return a.Name == e.Name })
		switch {
		case i < 0 && strings.HasPrefix(e.Name, "mcpctl_") && !strings.HasPrefix(e.Name, markerPrefix):
			return fmt.Errorf("exports %s, not part of ABI %s, update mcpctl", e.Name, abi.Version)
		case i < 0:
			continue
		}
		want := binary.NewSignature(abi.Exports[i].Params, abi.Exports[i].Results)
		if e.Kind != binary.KindFunction {
			return fmt.Errorf("export %s is a %s, want %v", e.Name, binary.KindNames[e.Kind], want)
		}
		if !e.Signature.Equal(want) {
			return fmt.Errorf("export %s is %v, want %v", e.Name, e.Signature, want)
		}
	}
	return nil
}

// HookExport returns the export that runs a hook.
func HookExport(h abi.Hook) string { return "mcpctl_" + string(h) }

// hasHooks reports whether the module exports hooks of controllers.
func (f *File) hasHooks() bool {
	return slices.ContainsFunc(f.Exports, func(e Export) bool { return strings.HasPrefix(e.Name, HookExport("on_")) })
}

func (f *File) hasStage() bool { return f.export(abi.ExportStage) != nil }

// defaultManifest returns the manifest of a module without one.
func (f *File) defaultManifest(name string) (abi.Manifest, error) {
	kind := abi.KindStage
	switch stage, hooks := f.hasStage(), f.hasHooks(); {
	case stage && hooks:
		return abi.Manifest{}, fmt.Errorf("exports %s and hooks of a controller: add a manifest that lists its roles", abi.ExportStage)
	case hooks:
		kind = abi.KindController
	case !stage:
		return abi.Manifest{}, fmt.Errorf("exports neither %s nor a hook", abi.ExportStage)
	}
	m, err := f.singleRole(name, kind)
	if err == nil && f.hasImportFrom(abi.NSSession) && kind != abi.KindController {
		return abi.Manifest{}, fmt.Errorf("imports %s, which is for controllers", abi.NSSession)
	}
	return m, err
}

// singleRole returns a manifest with one role, named after the file, with the
// capabilities that its imports require.
func (f *File) singleRole(name string, kind abi.RoleKind) (abi.Manifest, error) {
	if !isName(name) {
		return abi.Manifest{}, fmt.Errorf("role name %q: want %s", name, namePattern)
	}
	role := abi.Role{Name: name, Kind: kind}
	f.grantNeeds(&role)
	return abi.Manifest{Name: name, ABI: abi.Version, Roles: []abi.Role{role}}, nil
}

// checkForeign checks a module of another format than FormatNative.
func (f *File) checkForeign(m abi.Manifest, format Format) error {
	if format == FormatExtism {
		if err := f.checkInitializers(); err != nil {
			return err
		}
	}
	for i, r := range m.Roles {
		if r.Kind != abi.KindStage {
			return fmt.Errorf("manifest: roles[%d] %q is a %s, but the module is of the format %s, which has stages only", i, r.Name, r.Kind, format)
		}
		if _, err := f.Entry(format, r.Name); err != nil {
			return err
		}
	}
	return f.checkNeeds(m)
}

// checkManifest compares a manifest with the imports and exports of the module.
func (f *File) checkManifest(m abi.Manifest) error {
	// Kinds come first: a wrong kind also explains wrong imports.
	if err := f.checkKinds(m); err != nil {
		return err
	}
	if err := f.checkNeeds(m); err != nil {
		return err
	}
	for i, r := range m.Roles {
		switch {
		case r.Kind != abi.KindController && !f.hasStage():
			return fmt.Errorf("manifest: roles[%d] %q is a %s, but the module exports no %s", i, r.Name, r.Kind, abi.ExportStage)
		case r.Kind == abi.KindController && !f.hasHooks():
			return fmt.Errorf("manifest: roles[%d] %q is a controller, but the module exports no hook", i, r.Name)
		}
		for j, h := range r.Hooks {
			if f.export(HookExport(h)) == nil {
				return fmt.Errorf("manifest: roles[%d].hooks[%d] %q: the module exports no %s", i, j, h, HookExport(h))
			}
		}
	}
	isController := func(r abi.Role) bool { return r.Kind == abi.KindController }
	if f.hasImportFrom(abi.NSSession) && !slices.ContainsFunc(m.Roles, isController) {
		return fmt.Errorf("imports %s, which is for controllers", abi.NSSession)
	}
	return nil
}

// checkKinds refuses the manifest of a stage for a controller, and vice versa.
func (f *File) checkKinds(m abi.Manifest) error {
	stage, hooks := f.hasStage(), f.hasHooks()
	for i, r := range m.Roles {
		switch {
		case r.Kind != abi.KindController && !stage && hooks:
			return fmt.Errorf("manifest: roles[%d] %q is a %s, but the module is a controller: it exports hooks and no %s", i, r.Name, r.Kind, abi.ExportStage)
		case r.Kind == abi.KindController && !hooks && stage:
			return fmt.Errorf("manifest: roles[%d] %q is a controller, but the module is a stage: it exports %s and no hook", i, r.Name, abi.ExportStage)
		}
	}
	return nil
}
