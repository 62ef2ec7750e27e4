package module

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/host/wasm/binary"
)

// Namespaces that a module built for Extism imports from, beside WASI.
const (
	ExtismEnvNamespace  = "extism:host/env"
	ExtismUserNamespace = "extism:host/user"
)

// ExtismEnv contains the signatures of the functions of Extism's SDK. PDKs import
// http_request even if they do not use it, so it is allowed; calling it ends the guest.
//
// Source: extism/go-sdk v1.7.1, host.go, instantiateEnvModule.
var ExtismEnv = parseSignatures(map[string]string{
	"alloc": "I:I", "free": "I:", "length": "I:I", "length_unsafe": "I:I", "reset": ":", "memory_bytes": ":I",
	"load_u8": "I:i", "load_u64": "I:I", "store_u8": "Ii:", "store_u64": "II:",
	"input_set": "II:", "input_length": ":I", "input_offset": ":I", "input_load_u8": "I:i", "input_load_u64": "I:I",
	"output_set": "II:", "output_length": ":I", "output_offset": ":I", "error_set": "I:", "error_get": ":I",
	"config_get": "I:I", "var_get": "I:I", "var_set": "II:",
	"http_request": "II:I", "http_status_code": ":i", "http_headers": ":I",
	"get_log_level": ":i", "log_trace": "I:", "log_debug": "I:", "log_info": "I:", "log_warn": "I:", "log_error": "I:",
})

// Functions of this host for modules built for Extism. Texts are offsets in
// Extism's memory, numbers are i32.
const (
	ExtismLog        = "mcpctl_log"
	ExtismCacheGet   = "mcpctl_cache_get"
	ExtismCacheSet   = "mcpctl_cache_set"
	ExtismComplete   = "mcpctl_llm_complete"
	ExtismSectionAdd = "mcpctl_section_add"
)

// ExtismUser contains the signatures of those functions.
var ExtismUser = parseSignatures(map[string]string{
	ExtismLog: "iI:", ExtismCacheGet: "I:I", ExtismCacheSet: "II:i", ExtismComplete: "I:I", ExtismSectionAdd: "I:i",
})

// extismFunctions returns the signatures of a namespace; nil for other namespaces.
func extismFunctions(namespace string) map[string]binary.Signature {
	switch namespace {
	case ExtismEnvNamespace:
		return ExtismEnv
	case ExtismUserNamespace:
		return ExtismUser
	}
	return nil
}

func extismNames(namespace string) []string {
	return slices.Sorted(maps.Keys(extismFunctions(namespace)))
}

// extismInitializers are functions that are called before the entry.
var extismInitializers = map[string]binary.Signature{
	"__wasm_call_ctors": {},
	"hs_init":           {Params: []byte{binary.TypeI32, binary.TypeI32}},
}

// checkInitializers refuses a module that could not be started.
func (f *File) checkInitializers() error {
	for name, want := range extismInitializers {
		if e := f.export(name); e != nil && e.Kind == binary.KindFunction && !slices.Equal(e.Signature.Params, want.Params) {
			return fmt.Errorf("export %s is %v, want %v", name, e.Signature, want)
		}
	}
	return nil
}

// runtimeExports are exports () -> i32 of language runtimes. They are never entries.
var runtimeExports = []string{"hs_exit", "asyncify_get_state", "main"}

// extismEntry returns the export named like the role; otherwise transform or run;
// otherwise the only export that is possible.
func (f *File) extismEntry(role string) (string, error) {
	want := binary.Signature{Results: []byte{binary.TypeI32}}
	for _, name := range []string{strings.ReplaceAll(role, "-", "_"), role, "transform", "run"} {
		switch e := f.export(name); {
		case e == nil:
			continue
		case e.Kind != binary.KindFunction:
			return "", fmt.Errorf("export %s is a %s, want %v", name, binary.KindNames[e.Kind], want)
		case !e.Signature.Equal(want):
			return "", fmt.Errorf("export %s is %v, want %v", name, e.Signature, want)
		}
		return name, nil
	}
	var found []string
	for _, e := range f.Exports {
		if e.Kind == binary.KindFunction && e.Signature.Equal(want) && !strings.HasPrefix(e.Name, "_") && !slices.Contains(runtimeExports, e.Name) {
			found = append(found, e.Name)
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
