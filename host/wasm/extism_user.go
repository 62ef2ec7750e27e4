package wasm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero/api"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// hostFunctions are what a plugin of Extism may import beside Extism's own: ours,
// WASI with nothing behind it, and AssemblyScript's abort.
var hostFunctions = func() []extism.HostFunction {
	var all []extism.HostFunction
	add := func(namespace, name string, sig module.Signature, call extism.HostFunctionStackCallback) {
		f := extism.NewHostFunctionWithStack(name, call, valueTypes(sig.Params), valueTypes(sig.Results))
		f.SetNamespace(namespace)
		all = append(all, f)
	}
	for name, sig := range module.WASI {
		add(module.WASINamespace, name, sig, asPluginFunc(&hostFunc{name: name, params: len(sig.Params), early: true, call: wasiFuncs[name]}))
	}
	add("env", "abort", module.Abort, asPluginFunc(&hostFunc{name: "abort", params: len(module.Abort.Params), early: true, call: envAbort}))
	for name, call := range map[string]userFunc{
		module.ExtismLog: userLogLine, module.ExtismCacheGet: userGet, module.ExtismCacheSet: userSet, module.ExtismComplete: userLLM, module.ExtismSectionAdd: userSection,
	} {
		sig := module.ExtismUser[name]
		add(module.ExtismUserNamespace, name, sig, call.asPluginFunc(&hostFunc{name: name, params: len(sig.Params), early: name == module.ExtismLog}, sig))
	}
	for name, call := range envFuncs {
		sig := module.ExtismEnv[name]
		add(extismOwn, name, sig, call.asPluginFunc(&hostFunc{name: name, params: len(sig.Params), early: true}, sig))
	}
	return all
}()

// runOf finds the run of a call out of a plugin.
func runOf(ctx context.Context) *run {
	r := ctx.Value(runKey{}).(*run)
	r.mem = r.shared.guest()
	return r
}

// asPluginFunc is a host function of ours as Extism's SDK calls it.
func asPluginFunc(f *hostFunc) extism.HostFunctionStackCallback {
	return func(ctx context.Context, _ *extism.CurrentPlugin, stack []uint64) {
		r := runOf(ctx)
		r.begin(f, stack)
		stack[0] = api.EncodeI32(f.call(r, args(stack[:f.params])))
	}
}

// userFunc is the host's side of a function for modules built for Extism. Texts
// come and go by p; what it gives is an offset or a number.
type userFunc func(r *run, p *extism.CurrentPlugin, a args) (uint64, error)

// asPluginFunc calls f for the guest; an error, which is a text that is not there,
// ends it.
func (f userFunc) asPluginFunc(h *hostFunc, sig module.Signature) extism.HostFunctionStackCallback {
	return func(ctx context.Context, p *extism.CurrentPlugin, stack []uint64) {
		r := runOf(ctx)
		r.begin(h, stack)
		result := api.EncodeI32(int32(abi.CodeUnsupported))
		if r.started || h.early {
			var err error
			if result, err = f(r, p, args(stack[:h.params])); err != nil {
				panic(&trap{text: fmt.Sprintf("guest trapped: %s: %v", h.name, err)})
			}
		}
		if len(sig.Results) > 0 {
			stack[0] = result
		}
	}
}

func isTrap(err error) bool {
	var t *trap
	return errors.As(err, &t)
}

func userLogLine(r *run, p *extism.CurrentPlugin, a args) (uint64, error) {
	text, err := r.readText(p, a[1])
	if level := a.i32(0); err == nil && level >= 0 && int(level) < len(levels) {
		r.log.add(int(level), text)
	}
	return 0, err
}

func userGet(r *run, p *extism.CurrentPlugin, a args) (uint64, error) {
	key, err := r.readText(p, a[0])
	if err != nil {
		return 0, err
	}
	value, code := r.cached(key)
	if code < 0 {
		return 0, nil
	}
	return r.writeText(p, value)
}

func userSet(r *run, p *extism.CurrentPlugin, a args) (uint64, error) {
	key, err := r.readText(p, a[0])
	if err != nil {
		return 0, err
	}
	value, err := r.readText(p, a[1])
	return api.EncodeI32(r.keep(key, value)), err
}

// userSpan is what a module built for Extism says of a Section: a span of the
// original in bytes.
type userSpan struct {
	Parent             *int
	Start, End         int
	Title, ID, Summary string
}

func userSection(r *run, p *extism.CurrentPlugin, a args) (uint64, error) {
	text, err := r.readText(p, a[0])
	if err != nil {
		return 0, err
	}
	var s userSpan
	if err := strictJSON(text, &s); err != nil {
		return api.EncodeI32(r.refuse(abi.CodeBadArg, "%v", err)), nil
	}
	return api.EncodeI32(r.addSpan(s)), nil
}

// addSpan adds a Section with all that is said of it, or nothing.
func (r *run) addSpan(s userSpan) int32 {
	if code := r.stageOnly(module.ExtismSectionAdd); code < 0 {
		return code
	}
	parent := -1
	if s.Parent != nil {
		parent = *s.Parent
	}
	before := r.tree.mark()
	i := r.addSection(abi.Section{Parent: parent, Start: s.Start, End: s.End}, abi.BufOriginal, []byte(s.ID), []byte(s.Title))
	if i < 0 || s.Summary == "" {
		return i
	}
	if code := r.setText(&r.tree.sections[i].Summary, int(i), string(cut([]byte(s.Summary), abi.LimitSummaryBytes))); code < 0 {
		r.tree.rewind(before)
		return code
	}
	return i
}

// userTextBytes bounds what a guest says in JSON. To decode it takes several times as much
// memory, which no limit of the guest's counts.
const userTextBytes = 2 << 20

// strictJSON decodes an object and nothing else.
func strictJSON(text []byte, into any) error {
	if len(text) > userTextBytes {
		return fmt.Errorf("%s bytes of JSON, limit %s", fault.Group(len(text)), fault.Group(userTextBytes))
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("text after the object")
	}
	return nil
}
