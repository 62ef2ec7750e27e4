package imports

import (
	"maps"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/binary"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// coreFuncs is the namespace mcpctl:core/v1.
var coreFuncs = merge(bufferFuncs, jsonFuncs, outputFuncs, sectionFuncs, reportFuncs)

func merge(tables ...map[string]run) map[string]run {
	all := make(map[string]run)
	for _, t := range tables {
		maps.Copy(all, t)
	}
	return all
}

// Functions returns all functions that guests may import: those of the ABI, WASI and
// env.abort.
func Functions() []*Func { return append(abiFunctions(), SystemFunctions()...) }

func abiFunctions() []*Func {
	var all []*Func
	for _, i := range abi.Imports {
		f := &Func{Namespace: i.Namespace, Name: i.Name, Signature: binary.NewSignature(i.Params, i.Results)}
		switch i.Namespace {
		case abi.NSCore:
			f.run, f.Early = coreFuncs[i.Name], i.Name == abi.FuncLog
		case abi.NSLLM:
			f.run = withLLM(llmFuncs[i.Name])
		case abi.NSSession:
			f.run = withSession(i.Name, sessionFuncs[i.Name])
		}
		all = append(all, f)
	}
	return all
}

// SystemFunctions returns the functions of WASI and env.abort, which modules of all
// formats may import.
func SystemFunctions() []*Func {
	all := []*Func{{Namespace: "env", Name: "abort", Signature: module.Abort, Early: true, run: envAbort}}
	for name, sig := range module.WASI {
		all = append(all, &Func{Namespace: module.WASINamespace, Name: name, Signature: sig, Early: true, run: wasiFuncs[name]})
	}
	return all
}
