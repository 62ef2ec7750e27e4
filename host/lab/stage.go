package lab

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/section"
	"github.com/mcpctl/mcpctl/host/transform"
)

// StageRun describes one run of RunStage.
type StageRun struct {
	Stage     string            // name of a role, or a .wasm file
	Role      string            // required for a file with several roles
	Config    map[string]string // key=value pairs of the command line
	Input     []byte
	Type      abi.ContentType
	Source    string
	Hint      string
	Arguments []byte // of the call: a JSON object, or empty
	Repeat    int    // number of runs; at least 1
}

// StageResult is the output of a stage.
type StageResult struct {
	Role     abi.Role
	Language string // of the module
	Output   abi.Output
	Text     []byte          // the text for a client: with indexes, without the last line
	Guest    []time.Duration // time in the guest of each run
}

// RunStage runs one stage over one input, without a cache.
//
// Errors: abi.ErrNotFound for an unknown stage, abi.ErrConfig, abi.ErrGuest and
// abi.ErrLimit with the text `stage "x": ...`. With the last two the Output
// contains the log and the statistics.
func (l *Lab) RunStage(ctx context.Context, run StageRun) (StageResult, error) {
	g, release, err := l.guest(ctx, run)
	if err != nil {
		return StageResult{}, err
	}
	defer release()
	config, err := configFromFlags(g.Role, run.Config)
	if err != nil {
		return StageResult{}, err
	}
	res := StageResult{Role: g.Role, Language: g.Language}
	own := run.Input
	if g.Role.Kind == abi.KindFilter { // as in live traffic
		run.Input = transform.MinimizeEscapes(own, false)
	}
	for range max(1, run.Repeat) {
		out, err := g.Runner.Run(ctx, newCall(g.Role, config, run, l.Limits))
		res.Output = out
		if err != nil {
			return res, fmt.Errorf("stage %q: %w", g.Role.Name, err)
		}
		res.Guest = append(res.Guest, out.Stats.Guest)
	}
	if res.Text, err = l.printIndexes(run.Input, res.Output); bytes.Equal(res.Text, run.Input) {
		res.Text = own // content that a filter does not change keeps its bytes
	}
	return res, err
}

// newCall returns a call as in a pipeline with one stage.
func newCall(role abi.Role, config []byte, run StageRun, limits abi.GuestLimits) abi.Call {
	limits.OutputBytes = min(abi.LimitOutputFactor*len(run.Input)+abi.LimitOutputExtraBytes, cmp.Or(limits.OutputBytes, abi.LimitOutputBytes))
	return abi.Call{
		Role: role.Name, Config: config, Input: run.Input, Original: run.Input, Arguments: run.Arguments,
		Context: abi.Context{
			Project: transform.SampleScope.Project, ContentType: run.Type, Source: run.Source, Hint: run.Hint,
			Part: abi.Part{Kind: abi.PartText, Count: 1}, Stage: abi.StagePos{Count: 1},
			Limits: limits,
		},
	}
}

// printIndexes returns the text of an output with its indexes.
func (l *Lab) printIndexes(input []byte, out abi.Output) ([]byte, error) {
	if out.Pass {
		return input, nil
	}
	doc, err := section.New(input, out.Tree, l.Sections)
	if err != nil {
		return nil, err
	}
	text, _ := doc.Finish(out.Bytes, out.Marks, "")
	return text, nil
}

// guest returns the stage of a run, from a file or by name. release must be called after
// its last run.
func (l *Lab) guest(ctx context.Context, run StageRun) (s transform.Stage, release func(), err error) {
	if !strings.HasSuffix(run.Stage, ".wasm") {
		return l.Stage(ctx, run.Stage)
	}
	file, err := os.ReadFile(run.Stage)
	if os.IsNotExist(err) {
		return s, nil, fmt.Errorf("%w: %v", abi.ErrNotFound, err)
	}
	if err != nil {
		return s, nil, err
	}
	m, err := l.Runtime.Load(ctx, moduleName(run.Stage), file, false)
	if err != nil {
		return s, nil, err
	}
	role, err := ChooseRole(m.Manifest(), run.Role)
	if err != nil {
		return s, nil, err
	}
	guest, err := m.Guest(role.Name)
	return transform.Stage{Runner: guest, Role: role, Language: m.Info().Language}, func() { _ = m.Close() }, err
}

// ChooseRole returns the role of a module with this name, or its only role if the name is
// empty.
//
// Errors: abi.ErrConfig if there are several and the name is empty,
// abi.ErrNotFound.
func ChooseRole(m abi.Manifest, name string) (abi.Role, error) {
	if name == "" && len(m.Roles) == 1 {
		return m.Roles[0], nil
	}
	if role, ok := m.Role(name); ok {
		return role, nil
	}
	var names []string
	for _, r := range m.Roles {
		names = append(names, r.Name)
	}
	if name == "" {
		return abi.Role{}, fmt.Errorf("%w: module %q has the roles %s, choose one with --role", abi.ErrConfig, m.Name, strings.Join(names, ", "))
	}
	return abi.Role{}, fmt.Errorf("%w: module %q has no role %q, it has %s", abi.ErrNotFound, m.Name, name, strings.Join(names, ", "))
}

// moduleName returns the name of the module in a file.
func moduleName(file string) string { return strings.TrimSuffix(filepath.Base(file), ".wasm") }
