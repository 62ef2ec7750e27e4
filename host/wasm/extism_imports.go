package wasm

import (
	"maps"
	"slices"
)

// Namespaces that a module built for Extism imports from, beside WASI.
const (
	extismEnv  = "extism:host/env"
	extismUser = "extism:host/user"
)

// extismEnvFuncs are the functions of Extism's SDK, by their signatures: i is i32,
// I is i64, what they give behind the colon. http_request is among them, since
// PDKs import it whether it is used or not: called, it ends the guest.
//
// Source: extism/go-sdk v1.7.1, host.go, instantiateEnvModule.
var extismEnvFuncs = signatures(map[string]string{
	"alloc": "I:I", "free": "I:", "length": "I:I", "length_unsafe": "I:I", "reset": ":", "memory_bytes": ":I",
	"load_u8": "I:i", "load_u64": "I:I", "store_u8": "Ii:", "store_u64": "II:",
	"input_set": "II:", "input_length": ":I", "input_offset": ":I", "input_load_u8": "I:i", "input_load_u64": "I:I",
	"output_set": "II:", "output_length": ":I", "output_offset": ":I", "error_set": "I:", "error_get": ":I",
	"config_get": "I:I", "var_get": "I:I", "var_set": "II:",
	"http_request": "II:I", "http_status_code": ":i", "http_headers": ":I",
	"get_log_level": ":i", "log_trace": "I:", "log_debug": "I:", "log_info": "I:", "log_warn": "I:", "log_error": "I:",
})

// What we offer to modules built for Extism. Texts are offsets of Extism's
// memory, numbers are i32.
const (
	userLog        = "mcpctl_log"
	userCacheGet   = "mcpctl_cache_get"
	userCacheSet   = "mcpctl_cache_set"
	userComplete   = "mcpctl_llm_complete"
	userSectionAdd = "mcpctl_section_add"
)

var extismUserFuncs = signatures(map[string]string{
	userLog: "iI:", userCacheGet: "I:I", userCacheSet: "II:i", userComplete: "I:I", userSectionAdd: "I:i",
})

func signatures(spelled map[string]string) map[string]funcType {
	all := make(map[string]funcType, len(spelled))
	for name, s := range spelled {
		at := slices.Index([]byte(s), ':')
		all[name] = funcType{wasiParams(s[:at]), wasiParams(s[at+1:])}
	}
	return all
}

func extismSignature(module, name string) (sig funcType, ok bool) {
	switch module {
	case extismEnv:
		sig, ok = extismEnvFuncs[name]
	case extismUser:
		sig, ok = extismUserFuncs[name]
	}
	return sig, ok
}

func extismNames(module string) []string {
	if module == extismEnv {
		return slices.Sorted(maps.Keys(extismEnvFuncs))
	}
	return slices.Sorted(maps.Keys(extismUserFuncs))
}
