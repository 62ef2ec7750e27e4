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
	CacheDir string          // for compiled code; default: memory only
	Compiler []string        // see wasm.Options; default: modules are compiled in this process
	Worker   []string        // see wasm.Options; default: guests run in this process
	Guests   wasm.Limits     // limits of each guest
	Calls    abi.GuestLimits // limits of each run; zero fields take the default of the ABI
	Reading  section.Settings
}

// Trial is a separate runtime. It is safe for concurrent use, but runs one call at
// a time, because the script of the LLM belongs to one run.
type Trial struct {
	opts    Options
	runtime *wasm.Runtime
	llm     *scripted
	values  *values

	turn sync.Mutex
}

// Open creates a Trial.
func Open(ctx context.Context, opts Options) (*Trial, error) {
	t := &Trial{opts: opts, llm: new(scripted), values: new(values)}
	var err error
	t.runtime, err = wasm.Open(ctx, wasm.Options{CacheDir: opts.CacheDir, Limits: opts.Guests, KV: t.values, LLM: t.llm,
		Compiler: opts.Compiler, Worker: opts.Worker, SideBySide: len(opts.Compiler) == 0})
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

// Module is a compiled file. The caller closes it.
type Module struct {
	*wasm.Module
	trial *Trial
}

// Load checks, compiles and tests a file, as a daemon does with the files of
// stages/.
//
// Errors: abi.ErrGuest or abi.ErrLimit with the text `module "x": ...`.
func (t *Trial) Load(ctx context.Context, name string, file []byte) (*Module, error) {
	m, err := t.runtime.Load(ctx, name, file, false)
	if err != nil {
		return nil, err
	}
	return &Module{m, t}, nil
}

// role returns a role by name.
func (m *Module) role(name string) (abi.Role, error) {
	role, ok := m.Manifest().Role(name)
	if !ok {
		return role, fmt.Errorf("%w: module %q has no role %q", abi.ErrNotFound, m.Manifest().Name, name)
	}
	return role, nil
}

// Call is one run of a stage or filter. Role and Input are required.
type Call struct {
	Role      string
	Config    map[string]json.RawMessage // missing keys take the defaults of the manifest
	Project   string                     // default: "test"
	Type      abi.ContentType            // default: toolResult
	Source    string                     // default: "server/tool"
	MIME      string
	Hint      string
	Input     []byte
	Arguments []byte // of the tool's call: a JSON object, or empty
	LLM       LLM    // default: none is configured
	Cache     Cache  // default: an empty cache
}

// Outcome is the outcome of a run.
type Outcome string

// The outcomes.
const (
	Done Outcome = "done"
	Pass Outcome = "pass"
	Fail Outcome = "fail"
)

// Result is the result of a run.
type Result struct {
	Outcome Outcome
	Reason  string            // message of Fail
	Output  abi.Output        // after Fail only log and statistics
	Kept    map[string]string // values that were stored in the cache
	Spent   Spent             // LLM usage
	Limit   bool              // the run failed at a limit, for example of time, so another run may end elsewhere
}

// Run runs a role once.
//
// Errors: abi.ErrNotFound for an unknown role, abi.ErrConfig or strictyaml.Errors
// for an invalid config, the cause of ctx. A failure of the guest is not an error
// but an outcome.
func (m *Module) Run(ctx context.Context, c Call) (Result, error) {
	r, err := m.Runner(c)
	if err != nil {
		return Result{}, err
	}
	res, _, err := r.Run(ctx)
	return res, err
}

// Runner is a prepared Call that can be run many times.
type Runner struct {
	m     *Module
	guest wasm.Guest
	call  abi.Call
	llm   LLM
	cache Cache
}

// Runner prepares a Call.
//
// Errors: those of Run, except that of ctx.
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

// Run runs the call and returns its duration, which includes creating, starting and
// discarding the guest.
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

// patienceMillis is how long a guest waits for an LLM that never answers. It is
// shorter than the 3 s of live traffic, because fixtures are run often.
const patienceMillis = 50

func (c Call) call(config []byte, limits abi.GuestLimits) abi.Call {
	limits.OutputBytes = min(abi.LimitOutputFactor*len(c.Input)+abi.LimitOutputExtraBytes, cmp.Or(limits.OutputBytes, abi.LimitOutputBytes))
	if c.LLM.never() {
		limits.LLMMillis = patienceMillis
	}
	return abi.Call{
		Role: c.Role, Config: config, Input: c.Input, Original: c.Input, Arguments: c.Arguments, Session: "session",
		Context: abi.Context{
			Project: cmp.Or(c.Project, "test"), ContentType: cmp.Or(c.Type, abi.ToolResult), Source: cmp.Or(c.Source, "server/tool"),
			MIME: c.MIME, Hint: c.Hint, Part: abi.Part{Kind: abi.PartText, Count: 1}, Stage: abi.StagePos{Count: 1}, Limits: limits,
		},
	}
}

// Shown returns the text that a client would receive, with the indexes printed.
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
