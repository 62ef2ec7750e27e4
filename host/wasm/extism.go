package wasm

import (
	"context"
	"errors"
	"fmt"
	"strings"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/binary"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
	"github.com/mcpctl/mcpctl/host/wasm/imports"
)

// extismEngine runs modules that were built for Extism with its SDK. Each module
// has its own engine and each call its own plugin. The limits are those of this
// package: the total of both memories, the clock and the output. WASI is
// implemented by the host; the SDK's HTTP, paths and WASI are not enabled.
//
// code is another compilation of the module. Engines share compiled code and count
// its users. The SDK does not release the code, and leaks an engine if a module
// does not compile, so the module is compiled here first and released for the SDK
// as well.
type extismEngine struct {
	plugin *extism.CompiledPlugin
	code   wazero.CompiledModule
}

// close implements engine.
func (e *extismEngine) close() {
	ctx := context.Background()
	e.plugin.Close(ctx)
	e.code.Close(ctx)
	e.code.Close(ctx) // for the SDK
}

// compileExtism compiles the result of rewriteExtism.
func (r *Runtime) compileExtism(ctx context.Context, file []byte) (e engine, err error) {
	code, err := r.compile(ctx, r.extism, file)
	if err != nil {
		return nil, err
	}
	defer func() {
		if v := recover(); v != nil {
			e, err = nil, fmt.Errorf("does not compile: %v", v)
		}
		if err != nil {
			code.Close(ctx)
		}
	}()
	config := extism.PluginConfig{RuntimeConfig: r.extismConfig()}
	manifest := extism.Manifest{
		Wasm:   []extism.Wasm{extism.WasmData{Data: file}},
		Memory: &extism.ManifestMemory{}, // no HTTP responses or variables of the SDK: see envFuncs
	}
	plugin, err := withRepair(r.codeRepair(), func() (*extism.CompiledPlugin, error) {
		return extism.NewCompiledPlugin(ctx, manifest, config, pluginFuncs)
	})
	switch {
	case errors.Is(err, abi.ErrUnavailable):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("does not compile: %s", firstLine(err))
	}
	return &extismEngine{plugin, code}, nil
}

// start implements engine. The SDK initialises a plugin only with its own WASI, except
// one written in Haskell.
func (e *extismEngine) start(r *run) error {
	p := &plugin{ctx: r.ctx, call: &r.call, shared: &sharedMemory{limit: uint64(r.limits().MemoryBytes), pool: &r.rt.memories}}
	p.ctx = withAllocator(context.WithValue(r.ctx, pluginKey{}, p), p.shared)
	r.guest = &instance{plugin: p}
	var err error
	if p.sdk, err = e.plugin.Instance(p.ctx, extism.PluginInstanceConfig{ModuleConfig: newModuleConfig()}); err != nil {
		return r.pluginCause(err)
	}
	r.guest.mem = p.shared.guest()
	if p.sdk.FunctionExists("hs_init") {
		return nil
	}
	for _, name := range []string{abi.ExportInitialize, "__wasm_call_ctors"} {
		if p.sdk.FunctionExists(name) {
			r.starting = name
			_, _, err = p.sdk.CallWithContext(p.ctx, name, nil)
			return r.pluginCause(err)
		}
	}
	return nil
}

// enter implements engine.
//
// Errors: abi.ErrRefused if the guest set an error or returned another number than 0,
// which means FAIL.
func (e *extismEngine) enter(r *run, entry string) (int32, error) {
	p, input := r.guest.plugin, r.call.Request().Input
	shared := p.shared
	limit := fault.MiB(int(shared.limit))
	if need := shared.used() + uint64(len(input)) + 2*binary.PageBytes; need > shared.limit {
		return 0, fault.New(abi.ErrLimit, "guest needs %s at least (limit %s, set limits.memory)", fault.MiB(int(need)), limit)
	}
	if shared.isRootDamaged() {
		return 0, fault.New(abi.ErrGuest, "guest has written over Extism's own memory")
	}
	status, output, err := p.sdk.CallWithContext(p.ctx, entry, input)
	message := ""
	if err != nil && !r.isGivenUp() {
		message = p.sdk.GetErrorWithContext(p.ctx)
	}
	switch reason := fault.Printable([]byte(message), imports.MaxReasonBytes); {
	case shared.kernelWasRefused(): // texts of the guest are not where it expects them
		return 0, fault.New(abi.ErrLimit, "guest had no memory left for its texts (limit %s, set limits.memory)", limit)
	case reason != "" && err.Error() == message:
		return 0, fault.New(abi.ErrRefused, "%s", reason)
	case reason != "":
		return 0, fmt.Errorf("%w: %s", r.pluginCause(err), reason)
	case err != nil:
		return 0, r.pluginCause(err)
	case status != 0:
		return 0, fault.New(abi.ErrRefused, "returned %d, want 0", int32(status))
	}
	if r.call.WriteOutput(output) == 0 {
		return r.call.ReturnCode("returned 0")
	}
	return abi.ReturnDone, nil // fails, because the output is full
}

// tooEarly is the SDK's error if a module calls one of its functions before there is a
// plugin.
const tooEarly = "Invalid context"

// pluginCause is cause for errors of the SDK, whose functions panic with readable texts.
func (r *run) pluginCause(err error) error {
	if err == nil {
		return nil
	}
	const mark = " (recovered by wazero)"
	text, _, recovered := strings.Cut(err.Error(), mark)
	if !recovered || trapText(err) != "" || isTrap(err) || r.clock.expired.Load() || r.isGivenUp() {
		return r.cause(err)
	}
	if strings.Contains(text, tooEarly) {
		text = "it calls the host, which has nothing for it before the entry is called, or takes too long"
	}
	return fault.New(abi.ErrGuest, "guest trapped: %s", fault.Printable([]byte(text), imports.MaxReasonBytes))
}
