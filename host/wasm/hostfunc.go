package wasm

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// importFunc is the host's side of an import of ours: its arguments in, its
// result out, which is a code if negative.
type importFunc func(r *run, a args) int32

// args are the parameters of an import, all of them i32.
type args []uint64

func (a args) i32(i int) int32  { return int32(uint32(a[i])) }
func (a args) u32(i int) uint32 { return uint32(a[i]) }

// hostFunc is an import as the engine calls it.
type hostFunc struct {
	name   string
	params int
	early  bool // works in _initialize
	call   importFunc
}

// Call implements api.GoFunction.
func (f *hostFunc) Call(ctx context.Context, stack []uint64) {
	r := ctx.(*run)
	r.begin(f, stack)
	if !r.started && !f.early {
		stack[0] = api.EncodeI32(r.refuse(abi.CodeUnsupported, "%s in %s", f.name, abi.ExportInitialize))
		return
	}
	stack[0] = api.EncodeI32(f.call(r, args(stack[:f.params])))
}

// begin notes which import runs, and ends the guest if the run is over.
func (r *run) begin(f *hostFunc, stack []uint64) {
	r.hostCalls++
	r.current, r.args = f, stack[:f.params]
	if r.hostCalls&63 == 0 && r.Err() != nil {
		panic(errGivenUp)
	}
	r.mustGoOn()
}

// refuse gives a code to the guest and keeps the sentence for last_error.
func (r *run) refuse(code abi.ErrCode, format string, a ...any) int32 {
	r.lastError = fmt.Sprintf(format, a...)
	return int32(code)
}

// mustGoOn ends the guest if its time is out. Imports that may work for long ask
// now and then.
func (r *run) mustGoOn() {
	if r.clock.out.Load() {
		panic(errGivenUp)
	}
}

// errGivenUp is replaced by the reason for which the run was given up.
var errGivenUp = &trap{text: "guest trapped: run given up"}

// notFound says all by itself: it has no sentence, and ends that of a code before.
func (r *run) notFound() int32 {
	r.lastError = ""
	return int32(abi.CodeNotFound)
}

func (r *run) importName() string {
	if r.current == nil {
		return "no import"
	}
	return r.current.name
}

// badPointer traps: the guest named memory that it does not have. Arguments are
// spelled as pointers unless they are small negative numbers such as -1.
func (r *run) badPointer() {
	spelled := make([]string, len(r.args))
	for i := range r.args {
		if v := args(r.args).i32(i); v < 0 && v > -16 {
			spelled[i] = fmt.Sprint(v)
		} else {
			spelled[i] = fmt.Sprint(uint32(v))
		}
	}
	panic(&trap{text: fmt.Sprintf("guest trapped: bad pointer in %s(%s)", r.current.name, strings.Join(spelled, ", "))})
}

// memory gives n bytes of guest memory at p. They are the guest's: they change
// with it, so what outlives the import is copied.
func (r *run) memory(p, n uint32) []byte {
	end := uint64(p) + uint64(n)
	if end > uint64(len(r.mem.buf)) {
		r.badPointer()
	}
	return r.mem.buf[p:end:end]
}

// text is a p,n pair among the arguments.
func (r *run) text(a args, i int) []byte { return r.memory(a.u32(i), a.u32(i+1)) }

// instantiateImports gives an engine all namespaces that a module may import.
func instantiateImports(ctx context.Context, e wazero.Runtime) error {
	for _, ns := range []string{abi.NSCore, abi.NSLLM, abi.NSSession} {
		b := e.NewHostModuleBuilder(ns)
		for _, i := range abi.Imports {
			if i.Namespace != ns {
				continue
			}
			f := &hostFunc{name: i.Name, params: len(i.Params), early: i.Name == abi.FuncLog && ns == abi.NSCore, call: implementation(i)}
			b.NewFunctionBuilder().WithGoFunction(f, valueTypes(i.Params), valueTypes(i.Results)).Export(i.Name)
		}
		if _, err := b.Instantiate(ctx); err != nil {
			return fmt.Errorf("imports of %s: %w", ns, err)
		}
	}
	if err := instantiateWASI(ctx, e); err != nil {
		return err
	}
	b := e.NewHostModuleBuilder("env")
	abort := &hostFunc{name: "abort", params: len(module.Abort.Params), early: true, call: envAbort}
	b.NewFunctionBuilder().WithGoFunction(abort, valueTypes(module.Abort.Params), nil).Export("abort")
	_, err := b.Instantiate(ctx)
	return err
}

func valueTypes[T ~byte](ts []T) []api.ValueType {
	out := make([]api.ValueType, len(ts))
	for i, t := range ts {
		out[i] = api.ValueType(t)
	}
	return out
}

// implementation finds the host's side of an import.
func implementation(i abi.Import) importFunc {
	switch i.Namespace {
	case abi.NSCore:
		return coreFuncs[i.Name]
	case abi.NSLLM:
		return llmFuncs[i.Name]
	}
	return withSession(i.Name, sessionFuncs[i.Name])
}

// coreFuncs is the namespace mcpctl:core/v1.
var coreFuncs = join(bufFuncs, jsonFuncs, outFuncs, sectionFuncs, keepFuncs, reportFuncs)

func join(parts ...map[string]importFunc) map[string]importFunc {
	all := make(map[string]importFunc)
	for _, p := range parts {
		maps.Copy(all, p)
	}
	return all
}
