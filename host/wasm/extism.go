package wasm

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// Guests that were built for Extism are run by its SDK, each module in an engine
// of its own, each call in a plugin of its own. What bounds them is ours: the memory of
// both memories together, the clock, the output; WASI is ours too, and what the
// SDK could give away beside it is not switched on: HTTP, paths, its own WASI.

// compiledPlugin is a module compiled for Extism's SDK, and once more by us: all engines
// share their code and count who holds it. The SDK does not give back what it holds, and
// leaves an engine behind for a module that does not compile, so it gets none.
type compiledPlugin struct {
	*extism.CompiledPlugin
	code wazero.CompiledModule
}

// Close gives back what both hold.
func (p *compiledPlugin) Close(ctx context.Context) {
	p.CompiledPlugin.Close(ctx)
	p.code.Close(ctx)
	p.code.Close(ctx) // what the SDK held
}

// compileExtism compiles a module that was read and stripped.
func (r *Runtime) compileExtism(ctx context.Context, binary []byte) (p *compiledPlugin, err error) {
	code, err := r.compileIn(ctx, r.guarded, binary)
	if err != nil {
		return nil, err
	}
	defer func() {
		if v := recover(); v != nil {
			p, err = nil, fmt.Errorf("does not compile: %v", v)
		}
		if err != nil {
			code.Close(ctx)
		}
	}()
	config := extism.PluginConfig{RuntimeConfig: r.engineConfig(true)}
	manifest := extism.Manifest{
		Wasm:   []extism.Wasm{extism.WasmData{Data: binary}},
		Memory: &extism.ManifestMemory{}, // no answers of requests, no variables: envFuncs
	}
	plugin, err := extism.NewCompiledPlugin(ctx, manifest, config, hostFunctions)
	if err != nil && r.mendCache(err) {
		plugin, err = extism.NewCompiledPlugin(ctx, manifest, config, hostFunctions)
	}
	if err != nil {
		return nil, fmt.Errorf("does not compile: %s", firstLine(err))
	}
	return &compiledPlugin{plugin, code}, nil
}

// runKey is where the context of a call into a plugin keeps its run.
type runKey struct{}

// plug makes the plugin of a run and initialises it. The SDK does that only with
// its own WASI; Haskell it starts itself.
func (r *run) plug() (err error) {
	r.shared = &sharedMemory{limit: r.mem.limit, spares: &r.m.rt.spares}
	r.Context = withAllocator(r.Context, r.shared)
	config := extism.PluginInstanceConfig{ModuleConfig: newModuleConfig()}
	if r.plugin, err = r.m.plugin.Instance(r.inPlugin(), config); err != nil {
		return r.extismCause(err)
	}
	r.mem = r.shared.guest()
	if r.plugin.FunctionExists("hs_init") {
		return nil
	}
	for _, name := range []string{abi.ExportInitialize, "__wasm_call_ctors"} {
		if r.plugin.FunctionExists(name) {
			r.starting = name
			_, _, err = r.plugin.CallWithContext(r.inPlugin(), name, nil)
			return r.extismCause(err)
		}
	}
	return nil
}

func (r *run) inPlugin() context.Context { return context.WithValue(r, runKey{}, r) }

// extismConfig is the config of the role as Extism has it: strings as they are,
// anything else as JSON, and the context.
func extismConfig(c *abi.Call) map[string]string {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(c.Config, &fields) // an object, which the host has made
	config := make(map[string]string, len(fields)+1)
	for name, value := range fields {
		var text string
		if json.Unmarshal(value, &text) != nil || bytes.Equal(value, []byte("null")) {
			text = string(value)
		}
		config[name] = text
	}
	config["mcpctl.context"] = string(contextJSON(c.Context))
	return config
}

// runPlugin calls the entry and judges its end.
//
// Errors: abi.ErrRefused if the guest set an error or returned another number than
// 0, which is how it says FAIL.
func (r *run) runPlugin(entry string) (int32, error) {
	if need := r.shared.used() + uint64(len(r.call.Input)) + 2*module.PageBytes; need > r.shared.limit {
		return 0, fault.New(abi.ErrLimit, "guest needs %s at least (limit %s, set limits.memory)", fault.MiB(int(need)), fault.MiB(int(r.shared.limit)))
	}
	if r.shared.rootLost() {
		return 0, fault.New(abi.ErrGuest, "guest has written over Extism's own memory")
	}
	status, output, err := r.plugin.CallWithContext(r.inPlugin(), entry, r.call.Input)
	said := ""
	if err != nil && r.Err() == nil {
		said = r.plugin.GetErrorWithContext(r.inPlugin())
	}
	switch reason := fault.Printable([]byte(said), reasonBytes); {
	case r.shared.refusedKernel(): // what the guest wrote then is not where it thinks
		return 0, fault.New(abi.ErrLimit, "guest had no memory left for its texts (limit %s, set limits.memory)", fault.MiB(int(r.shared.limit)))
	case reason != "" && err.Error() == said:
		return 0, fault.New(abi.ErrRefused, "%s", reason)
	case reason != "":
		return 0, fmt.Errorf("%w: %s", r.extismCause(err), reason)
	case err != nil:
		return 0, r.extismCause(err)
	case status != 0:
		return 0, fault.New(abi.ErrRefused, "returned %d, want 0", int32(status))
	}
	if r.room(len(output)) == 0 {
		r.out.bytes = output
		return r.wrote("returned 0")
	}
	return abi.ReturnDone, nil // which its output being full makes a failure
}

// tooEarly is what the SDK's host functions say when a module calls one of them before
// there is a plugin.
const tooEarly = "Invalid context"

// extismCause is cause for errors of the SDK: its host functions panic with texts
// that a person can read.
func (r *run) extismCause(err error) error {
	if err == nil {
		return nil
	}
	const mark = " (recovered by wazero)"
	if text, _, ok := strings.Cut(err.Error(), mark); ok && trapText(err) == "" && !isTrap(err) && !r.clock.out.Load() && r.Err() == nil {
		if strings.Contains(text, tooEarly) {
			text = "it calls the host, which has nothing for it before the entry is called"
		}
		return fault.New(abi.ErrGuest, "guest trapped: %s", fault.Printable([]byte(text), reasonBytes))
	}
	return r.cause(err)
}
