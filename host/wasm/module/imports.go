package module

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/binary"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

// nativePrefix begins the namespaces of the ABI.
const nativePrefix = "mcpctl:"

// checkImports refuses imports that this host does not provide.
func (f *File) checkImports(format Format) error {
	for _, i := range f.Imports {
		if i.Kind != binary.KindFunction {
			return fmt.Errorf("imports %s %s, this host gives functions only", binary.KindNames[i.Kind], i.label())
		}
		if err := i.check(format); err != nil {
			return err
		}
	}
	return nil
}

func (i Import) check(format Format) error {
	want, known := i.expected(format)
	switch {
	case format != FormatNative && strings.HasPrefix(i.Module, nativePrefix):
		return fmt.Errorf("imports %s, but exports no %s, without which it is of the format %s", i.label(), abi.ExportMarker, format)
	case known && i.Signature.Equal(want):
		return nil
	case known:
		return fmt.Errorf("import %s is %v, want %v", i.label(), i.Signature, want)
	case strings.HasPrefix(i.Module, nativePrefix), i.Module == WASINamespace:
		return fmt.Errorf("imports %s, not part of ABI %s, update mcpctl", i.label(), abi.Version)
	case format == FormatExtism && extismFunctions(i.Module) != nil:
		return fmt.Errorf("imports %s, which this host does not have%s", i.label(), suggest.DidYouMean(i.Name, extismNames(i.Module)))
	}
	return fmt.Errorf("imports %s, allowed are %s, env.abort", i.unknownName(), strings.Join(append(namespaces[format], WASINamespace), ", "))
}

// unknownName returns the namespace of an unknown import, for which an author has to
// search; in env also the function.
func (i Import) unknownName() string {
	if i.Module == "env" {
		return i.label()
	}
	return i.Module
}

// namespaces are the namespaces that a module of a format may import from, in
// addition to WASI.
var namespaces = map[Format][]string{
	FormatNative: {"mcpctl:*/v1"},
	FormatExtism: {ExtismEnvNamespace, ExtismUserNamespace},
	FormatWASI:   {},
}

// expected returns the signature of the host's function for an import.
func (i Import) expected(format Format) (sig binary.Signature, ok bool) {
	if format == FormatExtism {
		if sig, ok := extismFunctions(i.Module)[i.Name]; ok {
			return sig, true
		}
	}
	for _, a := range abi.Imports {
		if a.Namespace == i.Module && a.Name == i.Name {
			return binary.NewSignature(a.Params, a.Results), true
		}
	}
	switch {
	case i.Module == WASINamespace:
		sig, ok = WASI[i.Name]
	case i.isAbort():
		return Abort, true
	}
	return sig, ok
}

// isAbort reports whether an import is the one that AssemblyScript ends a guest with.
func (i Import) isAbort() bool { return i.Module == "env" && i.Name == "abort" }

// Capabilities of a role.
const (
	CapabilityCache   = "cache"
	CapabilityLLM     = "llm"
	CapabilitySession = "session"
)

// need is a capability that imports require.
type need struct{ capability, imports string }

func (f *File) needs() []need {
	var n []need
	if f.hasImport(abi.NSCore, abi.FuncCacheGet, abi.FuncCacheSet) {
		n = append(n, need{CapabilityCache, abi.NSCore + "." + abi.FuncCacheGet + " or " + abi.FuncCacheSet})
	}
	if f.hasImportFrom(abi.NSLLM) {
		n = append(n, need{CapabilityLLM, abi.NSLLM})
	}
	if f.hasImport(ExtismUserNamespace, ExtismCacheGet, ExtismCacheSet) {
		n = append(n, need{CapabilityCache, ExtismUserNamespace + "." + ExtismCacheGet + " or " + ExtismCacheSet})
	}
	if f.hasImport(ExtismUserNamespace, ExtismComplete) {
		n = append(n, need{CapabilityLLM, ExtismUserNamespace + "." + ExtismComplete})
	}
	if f.hasImportFrom(abi.NSSession) {
		n = append(n, need{CapabilitySession, abi.NSSession})
	}
	return n
}

// grantNeeds gives the role of a module without a manifest the capabilities that its
// imports require.
func (f *File) grantNeeds(role *abi.Role) {
	for _, n := range f.needs() {
		role.Capabilities = append(role.Capabilities, n.capability)
		if n.capability == CapabilityLLM {
			role.LLM = abi.LLMOptional
		}
	}
}

// checkNeeds refuses a module that imports more than its manifest lists.
func (f *File) checkNeeds(m abi.Manifest) error {
	var imports, missing []string
	for _, n := range f.needs() {
		if slices.ContainsFunc(m.Roles, func(r abi.Role) bool { return slices.Contains(r.Capabilities, n.capability) }) {
			continue
		}
		imports = append(imports, n.imports)
		if !slices.Contains(missing, n.capability) {
			missing = append(missing, n.capability)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("imports %s, manifest does not list %s", strings.Join(imports, " and "), strings.Join(missing, ", "))
	}
	return nil
}
