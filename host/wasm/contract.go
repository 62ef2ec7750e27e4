package wasm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
)

// admit checks a module against the ABI and its manifest, and gives the
// manifest or the default one.
func admit(name string, s *shape, f Format) (m abi.Manifest, own bool, err error) {
	if err := s.checkMemory(); err != nil {
		return m, false, err
	}
	if err := s.checkImports(f); err != nil {
		return m, false, err
	}
	if err := s.checkExports(); err != nil {
		return m, false, err
	}
	if f != FormatNative {
		return admitForeign(name, s, f)
	}
	if s.manifest == nil {
		m, err = s.defaultManifest(name)
		return m, false, err
	}
	if m, err = parseManifest(s.manifest); err != nil {
		return m, true, fmt.Errorf("manifest: %w", err)
	}
	return m, true, s.checkManifest(m)
}

const markerPrefix = "mcpctl_abi_v"

func (s *shape) export(name string) *moduleExport {
	i := slices.IndexFunc(s.exports, func(e moduleExport) bool { return e.name == name })
	if i < 0 {
		return nil
	}
	return &s.exports[i]
}

func (s *shape) importsFrom(module string) bool {
	return slices.ContainsFunc(s.imports, func(i moduleImport) bool { return i.module == module })
}

func (s *shape) importsAny(module string, names ...string) bool {
	return slices.ContainsFunc(s.imports, func(i moduleImport) bool { return i.module == module && slices.Contains(names, i.name) })
}

func (s *shape) checkMemory() error {
	switch e := s.export(abi.ExportMemory); {
	case e == nil:
		return fmt.Errorf("exports no %s", abi.ExportMemory)
	case e.kind != externMemory:
		return fmt.Errorf("export %s is a %s, want a memory", e.name, externNames[e.kind])
	}
	return nil
}

// checkImports refuses, by name, what this host does not offer.
func (s *shape) checkImports(f Format) error {
	for _, i := range s.imports {
		if i.kind != externFunc {
			return fmt.Errorf("imports %s %s, this host gives functions only", externNames[i.kind], i.label())
		}
		if err := i.check(f); err != nil {
			return err
		}
	}
	return nil
}

func (i moduleImport) check(f Format) error {
	want, known := i.wanted(f)
	switch {
	case f != FormatNative && strings.HasPrefix(i.module, "mcpctl:"):
		return fmt.Errorf("imports %s, but exports no %s, without which it is of the format %s", i.label(), abi.ExportMarker, f)
	case known && i.sig.equal(want):
		return nil
	case known:
		return fmt.Errorf("import %s is %v, want %v", i.label(), i.sig, want)
	case strings.HasPrefix(i.module, "mcpctl:"), i.module == wasiModule:
		return fmt.Errorf("imports %s, not part of ABI %s, update mcpctl", i.label(), abi.Version)
	case f == FormatExtism && (i.module == extismEnv || i.module == extismUser):
		return fmt.Errorf("imports %s, which this host does not have%s", i.label(), didYouMean(i.name, extismNames(i.module)))
	}
	return fmt.Errorf("imports %s, allowed are %s, env.abort", i.foreign(), strings.Join(append(namespaces[f], wasiModule), ", "))
}

// foreign names an import that is not ours by its namespace, which is what a
// person has to look for, or in env by its function.
func (i moduleImport) foreign() string {
	if i.module == "env" {
		return i.label()
	}
	return i.module
}

// namespaces are those that a module of a format may import from, beside WASI.
var namespaces = map[Format][]string{
	FormatNative: {"mcpctl:*/v1"},
	FormatExtism: {extismEnv, extismUser},
	FormatWASI:   {},
}

// wanted is the signature that the host has for an import.
func (i moduleImport) wanted(f Format) (funcType, bool) {
	if f == FormatExtism {
		if sig, ok := extismSignature(i.module, i.name); ok {
			return sig, true
		}
	}
	for _, a := range abi.Imports {
		if a.Namespace == i.module && a.Name == i.name {
			return sigOf(a.Params, a.Results), true
		}
	}
	switch {
	case i.module == wasiModule:
		f, ok := wasiFuncs[i.name]
		return f.sig, ok
	case i.module == "env" && i.name == "abort":
		return abortSig, true
	}
	return funcType{}, false
}

// checkExports refuses entries that are not as the ABI wants them, and hooks of
// a newer one.
func (s *shape) checkExports() error {
	for _, e := range s.exports {
		i := slices.IndexFunc(abi.Exports, func(a abi.Export) bool { return a.Name == e.name })
		switch {
		case i < 0 && strings.HasPrefix(e.name, "mcpctl_") && !strings.HasPrefix(e.name, markerPrefix):
			return fmt.Errorf("exports %s, not part of ABI %s, update mcpctl", e.name, abi.Version)
		case i < 0:
			continue
		}
		want := sigOf(abi.Exports[i].Params, abi.Exports[i].Results)
		if e.kind != externFunc {
			return fmt.Errorf("export %s is a %s, want %v", e.name, externNames[e.kind], want)
		}
		if !e.sig.equal(want) {
			return fmt.Errorf("export %s is %v, want %v", e.name, e.sig, want)
		}
	}
	return nil
}

// hooks are the entries of controllers.
func (s *shape) hooks() bool {
	return slices.ContainsFunc(s.exports, func(e moduleExport) bool { return strings.HasPrefix(e.name, "mcpctl_on_") })
}

// defaultManifest is that of a module without one: a single role, named after
// its file, with the capabilities that its imports tell.
func (s *shape) defaultManifest(name string) (abi.Manifest, error) {
	stage, hooks := s.export(abi.ExportStage) != nil, s.hooks()
	role := abi.Role{Name: name, Kind: abi.KindStage}
	switch {
	case stage && hooks:
		return abi.Manifest{}, fmt.Errorf("exports %s and hooks of a controller: add a manifest that lists its roles", abi.ExportStage)
	case hooks:
		role.Kind = abi.KindController
	case !stage:
		return abi.Manifest{}, fmt.Errorf("exports neither %s nor a hook", abi.ExportStage)
	}
	if !validName(name) {
		return abi.Manifest{}, fmt.Errorf("role name %q: want %s", name, namePattern)
	}
	if s.importsFrom(abi.NSSession) && role.Kind != abi.KindController {
		return abi.Manifest{}, fmt.Errorf("imports %s, which is for controllers", abi.NSSession)
	}
	s.grantNeeds(&role)
	return abi.Manifest{Name: name, ABI: abi.Version, Roles: []abi.Role{role}}, nil
}

// need is a capability that imports ask for, and which.
type need struct{ capability, imports string }

func (s *shape) needs() []need {
	var n []need
	if s.importsAny(abi.NSCore, abi.FuncCacheGet, abi.FuncCacheSet) {
		n = append(n, need{capCache, abi.NSCore + "." + abi.FuncCacheGet + " or " + abi.FuncCacheSet})
	}
	if s.importsFrom(abi.NSLLM) {
		n = append(n, need{capLLM, abi.NSLLM})
	}
	if s.importsAny(extismUser, userCacheGet, userCacheSet) {
		n = append(n, need{capCache, extismUser + "." + userCacheGet + " or " + userCacheSet})
	}
	if s.importsAny(extismUser, userComplete) {
		n = append(n, need{capLLM, extismUser + "." + userComplete})
	}
	if s.importsFrom(abi.NSSession) {
		n = append(n, need{capSession, abi.NSSession})
	}
	return n
}

// grantNeeds gives the role of a module without a manifest what its imports ask for.
func (s *shape) grantNeeds(role *abi.Role) {
	for _, n := range s.needs() {
		role.Capabilities = append(role.Capabilities, n.capability)
		if n.capability == capLLM {
			role.LLM = abi.LLMOptional
		}
	}
}

// checkNeeds refuses a module that imports more than its manifest lists.
func (s *shape) checkNeeds(m abi.Manifest) error {
	for _, n := range s.needs() {
		if !slices.ContainsFunc(m.Roles, func(r abi.Role) bool { return slices.Contains(r.Capabilities, n.capability) }) {
			return fmt.Errorf("imports %s, manifest does not list %s", n.imports, n.capability)
		}
	}
	return nil
}

// checkKinds refuses the manifest of a stage for a controller, and the other way round. It is
// checked before the imports, which differ for the same reason.
func (s *shape) checkKinds(m abi.Manifest) error {
	stage := s.export(abi.ExportStage) != nil
	for i, r := range m.Roles {
		switch {
		case r.Kind != abi.KindController && !stage && s.hooks():
			return fmt.Errorf("manifest: roles[%d] %q is a %s, but the module is a controller: it exports hooks and no %s", i, r.Name, r.Kind, abi.ExportStage)
		case r.Kind == abi.KindController && !s.hooks() && stage:
			return fmt.Errorf("manifest: roles[%d] %q is a controller, but the module is a stage: it exports %s and no hook", i, r.Name, abi.ExportStage)
		}
	}
	return nil
}

// checkManifest holds a manifest against what the module really is: imports are
// the truth.
func (s *shape) checkManifest(m abi.Manifest) error {
	if err := s.checkKinds(m); err != nil {
		return err
	}
	if err := s.checkNeeds(m); err != nil {
		return err
	}
	for i, r := range m.Roles {
		switch {
		case r.Kind != abi.KindController && s.export(abi.ExportStage) == nil:
			return fmt.Errorf("manifest: roles[%d] %q is a %s, but the module exports no %s", i, r.Name, r.Kind, abi.ExportStage)
		case r.Kind == abi.KindController && !s.hooks():
			return fmt.Errorf("manifest: roles[%d] %q is a controller, but the module exports no hook", i, r.Name)
		}
		for j, h := range r.Hooks {
			if s.export(hookExport(h)) == nil {
				return fmt.Errorf("manifest: roles[%d].hooks[%d] %q: the module exports no %s", i, j, h, hookExport(h))
			}
		}
	}
	isController := func(r abi.Role) bool { return r.Kind == abi.KindController }
	if s.importsFrom(abi.NSSession) && !slices.ContainsFunc(m.Roles, isController) {
		return fmt.Errorf("imports %s, which is for controllers", abi.NSSession)
	}
	return nil
}
