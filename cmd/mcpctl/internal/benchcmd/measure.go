package benchcmd

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host/trial"
)

// fewest runs of each size are made, however long one takes.
const fewest = 5

// measure runs the stage over each content, in turns with one that passes.
func measure(ctx context.Context, opts *Options, t *trial.Trial, s subject, contents [][]byte) (report, error) {
	start := time.Now()
	m, err := t.Load(ctx, moduleName(s), s.wasm)
	if err != nil {
		return report{}, err
	}
	defer m.Close()
	r := report{Module: s.module, Hash: m.Hash(), Bytes: len(s.wasm), Language: m.Info().Language, Admit: time.Since(start)}
	pass, err := t.Load(ctx, "pass", trial.PassThrough)
	if err != nil {
		return r, err
	}
	defer pass.Close()
	role, err := roleOf(m, s)
	if err != nil {
		return r, err
	}
	r.Role = role.Name
	config, err := configOf(role, opts.Config)
	if err != nil {
		return r, err
	}
	for _, input := range contents {
		stage, err := m.Runner(trial.Call{Role: role.Name, Config: config, Input: input})
		if err != nil {
			return r, err
		}
		floor, err := pass.Runner(trial.Call{Role: "pass", Input: input})
		if err != nil {
			return r, err
		}
		row, err := inTurns(ctx, stage, floor, opts.Time)
		if err != nil {
			return r, err
		}
		if err := row.sizes(m, input); err != nil {
			return r, err
		}
		r.Rows = append(r.Rows, row.row)
	}
	return r, nil
}

func moduleName(s subject) string {
	if s.name != "" {
		return s.name
	}
	return strings.TrimSuffix(s.module[strings.LastIndexAny(s.module, `/\`)+1:], ".wasm")
}

// roleOf is the role that is named, or the only one.
func roleOf(m *trial.Module, s subject) (abi.Role, error) {
	roles := m.Manifest().Roles
	if s.name == "" && len(roles) == 1 {
		return roles[0], nil
	}
	if role, ok := m.Role(s.name); ok {
		return role, nil
	}
	var names []string
	for _, r := range roles {
		names = append(names, r.Name)
	}
	if s.name == "" {
		return abi.Role{}, problem.Usagef("module %s has the roles %s, choose one with --role", s.module, strings.Join(names, ", ")).WithHint("mcpctl stage bench %s --role %s", s.module, names[0])
	}
	return abi.Role{}, problem.New(abi.ErrNotFound, "module %s has no role %q, it has %s", s.module, s.name, strings.Join(names, ", ")).WithHint("mcpctl stage inspect %s", s.module)
}

// timed is a row and what its last run left.
type timed struct {
	row
	last trial.Result
}

// turn is how many calls one of the two makes before it is the other's turn. The
// first is not counted: the host makes the next guest of a module after each call, and
// that of the other one would be made meanwhile.
const turn = 6

// inTurns runs both until the time is over.
func inTurns(ctx context.Context, stage, floor *trial.Runner, limit time.Duration) (t timed, err error) {
	var calls, passes, guests []time.Duration
	for start := time.Now(); len(calls) < fewest || time.Since(start) < limit; {
		for i := range turn {
			_, took, err := floor.Run(ctx)
			if err != nil {
				return t, err
			}
			if i > 0 {
				passes = append(passes, took)
			}
		}
		for i := range turn {
			var took time.Duration
			if t.last, took, err = stage.Run(ctx); err != nil {
				return t, err
			}
			if i > 0 {
				calls, guests = append(calls, took), append(guests, t.last.Output.Stats.Guest)
			}
		}
	}
	t.Runs, t.Call, t.Pass, t.Guest = len(calls), median(calls), median(passes), median(guests)
	t.Ratio = float64(t.Call) / float64(max(t.Pass, 1))
	t.Outcome, t.Reason = t.last.Outcome, t.last.Reason
	t.Memory, t.HostCalls = t.last.Output.Stats.MemoryBytes, t.last.Output.Stats.HostCalls
	return t, nil
}

// sizes counts what goes in, and what a client would read of it.
func (t *timed) sizes(m *trial.Module, input []byte) error {
	shown, err := m.Shown(input, t.last)
	if err != nil {
		return err
	}
	t.InBytes, t.InTokens = len(input), abi.EstimateTokens(input)
	t.OutBytes, t.OutTokens = len(shown), abi.EstimateTokens(shown)
	return nil
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}
