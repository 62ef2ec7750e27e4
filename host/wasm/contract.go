package wasm

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
)

// admit checks a module against the ABI and its manifest, and gives the
// manifest or the default one.
func admit(name string, s *shape) (m abi.Manifest, own bool, err error) {
	if err := s.checkMarker(); err != nil {
		return m, false, err
	}
	if err := s.checkMemory(); err != nil {
		return m, false, err
	}
	if err := s.checkImports(); err != nil {
		return m, false, err
	}
	if err := s.checkExports(); err != nil {
		return m, false, err
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

// checkMarker finds the ABI major that a module was built for.
func (s *shape) checkMarker() error {
	other := 0
	for _, e := range s.exports {
		if e.name == abi.ExportMarker {
			return nil
		}
		if major, err := strconv.Atoi(strings.TrimPrefix(e.name, markerPrefix)); err == nil && strings.HasPrefix(e.name, markerPrefix) {
			other = max(other, major)
		}
	}
	switch {
	case other > 0:
		return fmt.Errorf("built for ABI %d, this host speaks %d, update mcpctl", other, abi.Major)
	case s.importsFrom("extism:host/env"):
		return errors.New("is an extism module, which this version does not run")
	case s.export("_start") != nil:
		return errors.New("is a WASI command module, which this version does not run")
	}
	return fmt.Errorf("exports no %s and is no extism or WASI command module", abi.ExportMarker)
}

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
func (s *shape) checkImports() error {
	for _, i := range s.imports {
		if i.kind != externFunc {
			return fmt.Errorf("imports %s %s, this host gives functions only", externNames[i.kind], i.label())
		}
		if err := i.check(); err != nil {
			return err
		}
	}
	return nil
}

func (i moduleImport) check() error {
	want, known := i.wanted()
	switch {
	case known && i.sig.equal(want):
		return nil
	case known:
		return fmt.Errorf("import %s is %v, want %v", i.label(), i.sig, want)
	case strings.HasPrefix(i.module, "mcpctl:"), i.module == wasiModule:
		return fmt.Errorf("imports %s, not part of ABI %s, update mcpctl", i.label(), abi.Version)
	}
	return fmt.Errorf("imports %s, allowed are mcpctl:*/v1, %s, env.abort", i.foreign(), wasiModule)
}

// foreign names an import that is not ours by its namespace, which is what a
// person has to look for, or in env by its function.
func (i moduleImport) foreign() string {
	if i.module == "env" {
		return i.label()
	}
	return i.module
}

// wanted is the signature that the host has for an import.
func (i moduleImport) wanted() (funcType, bool) {
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
	for _, c := range s.needs() {
		role.Capabilities = append(role.Capabilities, c.capability)
	}
	if s.importsFrom(abi.NSLLM) {
		role.LLM = abi.LLMOptional
	}
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
	if s.importsFrom(abi.NSSession) {
		n = append(n, need{capSession, abi.NSSession})
	}
	return n
}

// checkManifest holds a manifest against what the module really is: imports are
// the truth.
func (s *shape) checkManifest(m abi.Manifest) error {
	for _, n := range s.needs() {
		if !slices.ContainsFunc(m.Roles, func(r abi.Role) bool { return slices.Contains(r.Capabilities, n.capability) }) {
			return fmt.Errorf("imports %s, manifest does not list %s", n.imports, n.capability)
		}
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
