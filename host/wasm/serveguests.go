package wasm

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"runtime/debug"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/imports"
	"github.com/mcpctl/mcpctl/host/wasm/mapping"
	"github.com/mcpctl/mcpctl/host/wasm/worker"
)

// ServeGuests is the implementation of Options.Worker: it runs the guests of one module,
// confined to computing, until in ends.
func ServeGuests(ctx context.Context, in io.Reader, out io.Writer) error {
	return worker.Serve(in, out, &guests{ctx: ctx})
}

// guests implements worker.Program with a Runtime of its own.
type guests struct {
	ctx         context.Context
	module      *Module // nil before Load
	description description
}

// Load implements worker.Program. It is called once.
func (g *guests) Load(ctx context.Context, text []byte) error {
	d := &g.description
	if err := json.Unmarshal(text, d); err != nil {
		return err
	}
	worker.GiveWay()
	debug.SetGCPercent(garbagePercent)
	worker.LimitMemory(workerMemory + uint64(d.Limits.Guests/2)*uint64(d.Limits.Memory))
	r, err := open(g.ctx, Options{CacheDir: d.CacheDir, Limits: d.Limits})
	if err != nil {
		return err
	}
	r.overrun = worker.EndOverrun
	code, err := readCode(d.CodePath, d.Prepared.CodeSum)
	if err != nil {
		return err
	}
	m := &Module{program: program{rt: r, queue: r.localQueue, info: d.Prepared.Info}, name: d.Prepared.Info.Name, prepared: d.Prepared}
	if m.engine, err = m.compileFile(ctx, code); err != nil {
		return err
	}
	mapping.IsSupported() // opens a file
	worker.LimitFiles(maxPooled)
	worker.Confine()
	g.module = m
	return m.startOnce(ctx)
}

// garbagePercent is the percentage for debug.SetGCPercent. With it a process with a small heap
// allocates 16 MB before garbage is collected; with Go's default it is 4 MB, and the collections
// take a tenth of the time of long calls.
const garbagePercent = 400

// workerMemory is the address space that a process has beyond the memory of its guests.
const workerMemory = 2 << 30

// services returns the services of the host for a call.
func (g *guests) services(kv imports.KV, llm imports.LLM) *imports.Services {
	s := g.module.rt.services
	if g.description.HasKV {
		s.KV = kv
	}
	if g.description.HasLLM {
		s.LLM = llm
	}
	return &s
}

var errNotLoaded = errors.New("no module is loaded")

// Run implements worker.Program.
func (g *guests) Run(ctx context.Context, call abi.Call, kv imports.KV, llm imports.LLM) (abi.Output, error) {
	if g.module == nil {
		return abi.Output{}, errNotLoaded
	}
	role, err := g.module.role(call.Context.Role)
	if err != nil {
		return abi.Output{}, err
	}
	of := guest{g.module, role}
	return of.run(ctx, job{role: role, export: g.module.prepared.Entries[role.Name], call: call, services: g.services(kv, llm)})
}

// Hook implements worker.Program.
func (g *guests) Hook(ctx context.Context, name string, limit time.Duration, call abi.HookCall, kv imports.KV, llm imports.LLM) (abi.HookOutput, error) {
	if g.module == nil {
		return abi.HookOutput{}, errNotLoaded
	}
	role, err := g.module.role(name)
	if err != nil {
		return abi.HookOutput{}, err
	}
	c := controller{g.module, role, g.module.hooks(role)}
	j := c.job(&call)
	j.services = g.services(kv, llm)
	return c.run(ctx, j, limit)
}
