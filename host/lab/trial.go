package lab

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/section"
	"github.com/mcpctl/mcpctl/host/wasm"
)

// Options of Open. The zero value works.
type Options struct {
	CacheDir string          // keeps compiled code; empty: memory only
	Guests   wasm.Limits     // of each guest
	Calls    abi.GuestLimits // of each run; fields that are 0 take the default of the ABI
	Reading  section.Settings
}

// Trial is a runtime of its own. Safe for concurrent use: runs take turns, since
// the script of the LLM is that of one run.
type Trial struct {
	opts    Options
	runtime *wasm.Runtime
	llm     *scripted
	values  *values

	turn sync.Mutex
}

// Open makes a Trial.
func Open(ctx context.Context, opts Options) (*Trial, error) {
	t := &Trial{opts: opts, llm: new(scripted), values: new(values)}
	var err error
	t.runtime, err = wasm.Open(ctx, wasm.Options{CacheDir: opts.CacheDir, Limits: opts.Guests, KV: t.values, LLM: t.llm, SideBySide: true})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// Close ends the runtime. It can be called twice.
func (t *Trial) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return t.runtime.Close(ctx)
}

// Module is one file, compiled. Close it when it is not needed any more.
type Module struct {
	*wasm.Module
	trial *Trial
}

// Load checks, compiles and tries a file, as a daemon does with one of stages/.
//
// Errors: abi.ErrGuest or abi.ErrLimit with the text `module "x": ...`.
func (t *Trial) Load(ctx context.Context, name string, file []byte) (*Module, error) {
	m, err := t.runtime.Load(ctx, name, file, false)
	if err != nil {
		return nil, err
	}
	return &Module{m, t}, nil
}

// role finds a role by name.
func (m *Module) role(name string) (abi.Role, error) {
	role, ok := m.Manifest().Role(name)
	if !ok {
		return role, fmt.Errorf("%w: module %q has no role %q", abi.ErrNotFound, m.Manifest().Name, name)
	}
	return role, nil
}

// Call is one run of a stage or filter. Role and Input are required.
type Call struct {
	Role    string
	Config  map[string]json.RawMessage // keys as somebody writes them; the manifest's defaults are filled in
	Project string                     // empty: "test"
	Type    abi.ContentType            // empty: toolResult
	Source  string                     // empty: "server/tool"
	MIME    string
	Hint    string
	Input   []byte
	LLM     LLM   // the zero value: none is configured
	Cache   Cache // the zero value: an empty one
}

// Outcome is how a run ended.
type Outcome string

// The outcomes.
const (
	Done Outcome = "done"
	Pass Outcome = "pass"
	Fail Outcome = "fail"
)

// Result is what a run left.
type Result struct {
	Outcome Outcome
	Reason  string            // of Fail: what a person reads
	Output  abi.Output        // after Fail only log and figures
	Kept    map[string]string // what was put into the cache
	Spent   Spent             // on the LLM
	Limit   bool              // of Fail: a limit of the host ended it, time perhaps, and the next run may end elsewhere
}

// Run runs a role once.
//
// Errors: abi.ErrNotFound for a role that the module does not have, abi.ErrConfig
// or object.Errors for a config that its manifest refuses, the cause of ctx. What
// the guest does wrong is no error but an outcome.
func (m *Module) Run(ctx context.Context, c Call) (Result, error) {
	r, err := m.Runner(c)
	if err != nil {
		return Result{}, err
	}
	res, _, err := r.Run(ctx)
	return res, err
}

// Runner is a Call made ready, to be run many times.
type Runner struct {
	m     *Module
	guest wasm.Guest
	call  abi.Call
	llm   LLM
	cache Cache
}

// Runner makes a Call ready.
//
// Errors: those of Run but that of ctx.
func (m *Module) Runner(c Call) (*Runner, error) {
	role, err := m.role(c.Role)
	if err != nil {
		return nil, err
	}
	config, err := Config(role, c.Config)
	if err != nil {
		return nil, err
	}
	guest, err := m.Guest(c.Role)
	if err != nil {
		return nil, err
	}
	return &Runner{m, guest, c.call(config, m.trial.opts.Calls), c.LLM, c.Cache}, nil
}

// Run runs the call and tells how long it took from its
// beginning to its end: a guest is made, started and thrown away.
//
// Errors: the cause of ctx.
func (r *Runner) Run(ctx context.Context) (Result, time.Duration, error) {
	r.m.trial.turn.Lock()
	defer r.m.trial.turn.Unlock()
	start := time.Now()
	res, err := r.run(ctx)
	return res, time.Since(start), err
}

func (r *Runner) run(ctx context.Context) (Result, error) {
	spent, kept := r.m.trial.llm.play(r.llm), r.m.trial.values.play(r.cache)
	out, err := r.guest.Run(ctx, r.call)
	res := Result{Outcome: Done, Output: out, Spent: spent(), Kept: kept()}
	switch {
	case err != nil && ctx.Err() != nil:
		return Result{}, context.Cause(ctx)
	case err != nil && errors.Is(err, abi.ErrUnavailable):
		return Result{}, err
	case err != nil:
		res.Outcome, res.Reason, res.Limit = Fail, err.Error(), errors.Is(err, abi.ErrLimit)
	case out.Pass:
		res.Outcome = Pass
	}
	return res, nil
}

// patienceMillis is how long a guest waits for an LLM that never answers, instead
// of the 3 s of live traffic: the fixtures of a stage run many times a day.
const patienceMillis = 50

func (c Call) call(config []byte, limits abi.GuestLimits) abi.Call {
	limits.OutputBytes = min(abi.LimitOutputFactor*len(c.Input)+abi.LimitOutputExtraBytes, cmp.Or(limits.OutputBytes, abi.LimitOutputBytes))
	if c.LLM.never() {
		limits.LLMMillis = patienceMillis
	}
	return abi.Call{
		Role: c.Role, Config: config, Input: c.Input, Original: c.Input, Session: "session",
		Context: abi.Context{
			Project: cmp.Or(c.Project, "test"), ContentType: cmp.Or(c.Type, abi.ToolResult), Source: cmp.Or(c.Source, "server/tool"),
			MIME: c.MIME, Hint: c.Hint, Part: abi.Part{Kind: abi.PartText, Count: 1}, Stage: abi.StagePos{Count: 1}, Limits: limits,
		},
	}
}

// Shown is what a client would read of a result: its text with the indexes printed.
func (m *Module) Shown(input []byte, r Result) ([]byte, error) {
	if r.Outcome != Done {
		return input, nil
	}
	doc, err := section.New(input, r.Output.Tree, m.trial.opts.Reading)
	if err != nil {
		return nil, err
	}
	text, _ := doc.Finish(r.Output.Bytes, r.Output.Marks, "")
	return text, nil
}
