package bench

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/host/lab"
)

// fewest runs of each size are made, however long one takes.
const fewest = 5

// measure runs a call of the stage over each content, in turns with one that passes. It ends
// after the first content over which the stage fails. progress is called with each activity.
func measure(ctx context.Context, opts *Options, t *lab.Trial, s subject, call lab.Call, contents [][]byte, progress func(string)) (report, error) {
	progress("compiling " + opts.Stage)
	start := time.Now()
	m, err := t.Load(ctx, moduleName(s), s.wasm)
	if err != nil && s.module == opts.Stage {
		return report{}, problem.FromFile(err, s.module)
	}
	if err != nil {
		return report{}, err
	}
	defer m.Close()
	r := report{Module: s.module, Hash: m.Hash(), Bytes: len(s.wasm), Language: m.Info().Language, Admit: time.Since(start)}
	pass, err := t.Load(ctx, "pass", lab.PassThrough)
	if err != nil {
		return r, err
	}
	defer pass.Close()
	role, err := lab.ChooseRole(m.Manifest(), s.name)
	if err != nil {
		return r, problem.From(err).WithHint("mcpctl stage inspect %s", s.module)
	}
	r.Role = role.Name
	pairs, err := factory.ConfigPairs(opts.Config)
	if err != nil {
		return r, err
	}
	call.Role = role.Name
	config := maps.Clone(call.Config)
	if config == nil {
		config = map[string]json.RawMessage{}
	}
	maps.Copy(config, lab.FlagConfig(role, pairs))
	call.Config = config
	if call.LLM.By != nil || call.LLM.Way != lab.None {
		r.LLM = cmp.Or(opts.LLM, opts.Fixture)
	}
	for _, input := range contents {
		call.Input = input
		progress(fmt.Sprintf("measuring %s over %s", opts.Stage, printer.Size(int64(len(input)))))
		next, err := measureOne(ctx, m, pass, call, opts.Time)
		if err != nil {
			return r, err
		}
		if r.Rows = append(r.Rows, next); next.Outcome == lab.Fail {
			break
		}
	}
	return r, nil
}

// measureOne runs one content, as often as the time allows.
func measureOne(ctx context.Context, m, pass *lab.Module, call lab.Call, limit time.Duration) (row, error) {
	stage, err := m.Runner(call)
	if err != nil {
		return row{}, err
	}
	floor, err := pass.Runner(lab.Call{Role: "pass", Input: call.Input})
	if err != nil {
		return row{}, err
	}
	t, err := inTurns(ctx, stage, floor, limit)
	if err != nil {
		return row{}, err
	}
	if call.LLM.By == nil && call.LLM.Way == lab.None {
		t.LLM = nil
	}
	err = t.sizes(m, call.Input)
	return t.row, err
}

func moduleName(s subject) string {
	if s.name != "" {
		return s.name
	}
	return strings.TrimSuffix(s.module[strings.LastIndexAny(s.module, `/\`)+1:], ".wasm")
}

// timed is a row and the result of its last run.
type timed struct {
	row
	last lab.Result
}

// turn is how many calls one of the two makes before it is the other's turn. The
// first is not counted: the host makes the next guest of a module after each call, and
// that of the other one would be made meanwhile.
const turn = 6

// inTurns runs both until the time is over, or until a call of the stage fails.
func inTurns(ctx context.Context, stage, floor *lab.Runner, limit time.Duration) (t timed, err error) {
	var calls, passes, guests, answers []time.Duration
turns:
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
			failed := t.last.Outcome == lab.Fail
			if i > 0 || failed {
				calls, guests = append(calls, took), append(guests, t.last.Output.Stats.Guest)
				answers = append(answers, t.last.Spent.Answering)
			}
			if failed {
				break turns
			}
		}
	}
	t.Runs, t.Call, t.Pass, t.Guest = len(calls), median(calls), median(passes), median(guests)
	t.Ratio = float64(t.Call) / float64(max(t.Pass, 1))
	spent := t.last.Spent
	t.LLM = &llmCost{spent.Requests, spent.In, spent.Out, median(answers)}
	t.Outcome, t.Reason = t.last.Outcome, t.last.Reason
	t.Memory, t.HostCalls = t.last.Output.Stats.MemoryBytes, t.last.Output.Stats.HostCalls
	return t, nil
}

// sizes counts the tokens of the input and of the text for the client.
func (t *timed) sizes(m *lab.Module, input []byte) error {
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
