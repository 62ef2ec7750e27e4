package host

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/section"
	"github.com/mcpctl/mcpctl/host/transform"
)

// StageRun says what RunStage runs.
type StageRun struct {
	Stage  string            // a role's name, or a .wasm file
	Role   string            // of a file with several roles
	Config map[string]string // as typed on a command line
	Input  []byte
	Type   abi.ContentType
	Source string
	Hint   string
	Repeat int // runs; at least 1
}

// StageResult is what a stage made of the input.
type StageResult struct {
	Role     abi.Role
	Language string // of the module, as inspect tells it
	Output   abi.Output
	Text     []byte          // what a client would read: indexes printed, without the last line
	Guest    []time.Duration // inside the guest, one for each run
}

// RunStage runs one stage over one input, without a cache.
//
// Errors: abi.ErrNotFound for a stage that does not exist, abi.ErrConfig,
// abi.ErrGuest and abi.ErrLimit with the text `stage "x": ...`; with the last two the
// Output has the log and the figures.
func (h *Host) RunStage(ctx context.Context, run StageRun) (StageResult, error) {
	g, release, err := h.guest(ctx, run)
	if err != nil {
		return StageResult{}, err
	}
	defer release()
	config, err := flagConfig(g.Role, run.Config)
	if err != nil {
		return StageResult{}, err
	}
	res := StageResult{Role: g.Role, Language: g.Language}
	own := run.Input
	if g.Role.Kind == abi.KindFilter { // as in live traffic
		run.Input = transform.MinimizeEscapes(own, false)
	}
	for range max(1, run.Repeat) {
		out, err := g.Runner.Run(ctx, labCall(g.Role, config, run, h.opts.Settings.calls()))
		res.Output = out
		if err != nil {
			return res, fmt.Errorf("stage %q: %w", g.Role.Name, err)
		}
		res.Guest = append(res.Guest, out.Stats.Guest)
	}
	if res.Text, err = h.printed(run.Input, res.Output); bytes.Equal(res.Text, run.Input) {
		res.Text = own // what a filter does not change keeps its bytes
	}
	return res, err
}

// labCall is the call of a pipeline of one stage.
func labCall(role abi.Role, config []byte, run StageRun, limits abi.GuestLimits) abi.Call {
	limits.OutputBytes = min(abi.LimitOutputFactor*len(run.Input)+abi.LimitOutputExtraBytes, cmp.Or(limits.OutputBytes, abi.LimitOutputBytes))
	return abi.Call{
		Role: role.Name, Config: config, Input: run.Input, Original: run.Input,
		Context: abi.Context{
			Project: transform.SampleScope.Project, ContentType: run.Type, Source: run.Source, Hint: run.Hint,
			Part: abi.Part{Kind: abi.PartText, Count: 1}, Stage: abi.StagePos{Count: 1},
			Limits: limits,
		},
	}
}

// printed is the text of an output with its indexes.
func (h *Host) printed(input []byte, out abi.Output) ([]byte, error) {
	if out.Pass {
		return input, nil
	}
	doc, err := section.New(input, out.Tree, h.settings)
	if err != nil {
		return nil, err
	}
	text, _ := doc.Finish(out.Bytes, out.Marks, "")
	return text, nil
}

// guest returns the stage that is meant: in a file, or by name. release must be called
// after its last run.
func (h *Host) guest(ctx context.Context, run StageRun) (s transform.Stage, release func(), err error) {
	if !strings.HasSuffix(run.Stage, ".wasm") {
		if s, release, err = (stages{h.modules}).Stage(ctx, run.Stage); err != nil {
			err = h.unknownStage(run.Stage, err)
		}
		return s, release, err
	}
	file, err := os.ReadFile(run.Stage)
	if os.IsNotExist(err) {
		return s, nil, fmt.Errorf("%w: %v", abi.ErrNotFound, err)
	}
	if err != nil {
		return s, nil, err
	}
	m, err := h.runtime.Load(ctx, moduleName(run.Stage), file, false)
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

// unknownStage tells of a stage that is in no module, and what may be meant; other
// errors are what they are.
func (h *Host) unknownStage(name string, err error) error {
	if !errors.Is(err, abi.ErrNotFound) {
		return err
	}
	var names []string
	for _, st := range h.modules.Status() {
		names = append(names, st.Name)
	}
	if near := object.Nearest(name, names); near != "" {
		return fmt.Errorf("%w: stage %q, did you mean %q?", abi.ErrNotFound, name, near)
	}
	return fmt.Errorf("%w: stage %q", abi.ErrNotFound, name)
}

// ChooseRole chooses the role of a module: the one named, else its only one.
//
// Errors: abi.ErrConfig if there are several and none is named, abi.ErrNotFound.
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

func moduleName(file string) string { return strings.TrimSuffix(filepath.Base(file), ".wasm") }

// ModelRun says what RunModel runs.
type ModelRun struct {
	Model   string
	Type    abi.ContentType
	Source  string
	Hint    string
	Input   []byte
	Section *string // not nil: what read_section would answer for it
}

// ModelResult is what a client would get.
type ModelResult struct {
	Text     []byte
	IsError  bool
	Withheld bool // a filter failed: Text says so, and nothing can be read
	Meta     flow.AnswerMeta
	MCP      []byte // the result object
	Report   flow.RunReport

	read func(section string) (flow.Answer, error)
}

// Read is what read_section would answer next, while the Host is open.
//
// Errors: abi.ErrDenied if the content was withheld; else the disk's.
func (r ModelResult) Read(section string) (flow.Answer, error) { return r.read(section) }

// RunModel runs a whole proxymodel over one input.
//
// Errors: abi.ErrNotFound for a proxymodel that does not exist, object.Errors
// for one that is broken.
func (h *Host) RunModel(ctx context.Context, run ModelRun) (ModelResult, error) {
	if err := h.ready(ctx); err != nil {
		return ModelResult{}, err
	}
	model, err := h.state.Load().plan.Model(run.Model)
	if err != nil {
		return ModelResult{}, err
	}
	c := flow.Content{Type: run.Type, Source: run.Source, Hint: run.Hint, Bytes: run.Input, Part: abi.Part{Kind: abi.PartText, Count: 1}}
	shown, err := h.transformer.Sample(ctx, c, model.For(run.Type))
	if err != nil {
		return ModelResult{}, err
	}
	res := ModelResult{Report: shown.Run, Withheld: shown.Blocked != "", read: h.labReader(ctx, c, shown)}
	answer := firstAnswer(c, shown)
	if run.Section != nil && !res.Withheld {
		if answer, err = res.Read(*run.Section); err != nil {
			return ModelResult{}, err
		}
	}
	res.Text, res.IsError, res.Meta = answer.Text, answer.IsError, answer.Meta
	res.MCP, err = mcpResult(answer)
	return res, err
}

// firstAnswer is what the call itself answers.
func firstAnswer(c flow.Content, shown flow.Shown) flow.Answer {
	switch {
	case shown.Blocked != "":
		return flow.Answer{Text: []byte(shown.Blocked), IsError: true}
	case shown.Changed:
		return flow.Answer{Text: shown.Text, Meta: shown.Meta}
	}
	return flow.Answer{Text: c.Bytes}
}

// labReader reads sections of what a run left to be read. What a filter withheld
// is not: nobody gets it in parts either.
func (h *Host) labReader(ctx context.Context, c flow.Content, shown flow.Shown) func(string) (flow.Answer, error) {
	return func(section string) (flow.Answer, error) {
		if shown.Blocked != "" {
			return flow.Answer{}, fmt.Errorf("%w: %s", abi.ErrDenied, shown.Blocked)
		}
		ref := shown.Meta.Ref // of what the stages saw, so without what a filter took away
		if ref == "" {
			var err error
			c.Bytes = original(c, shown)
			if ref, err = h.transformer.Store(ctx, transform.SampleScope, c); err != nil {
				return flow.Answer{}, err
			}
		}
		return h.transformer.Read(ctx, transform.SampleScope, ref, section), nil
	}
}

// original is what is read where nothing was indexed: what a filter left, else
// the input.
func original(c flow.Content, shown flow.Shown) []byte {
	if shown.Changed && shown.Meta.Kind == "" {
		return shown.Text
	}
	return c.Bytes
}

// mcpResult makes the MCP result of an answer.
func mcpResult(a flow.Answer) ([]byte, error) {
	type block struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	r := struct {
		Content []block          `json:"content"`
		IsError bool             `json:"isError,omitempty"`
		Meta    *flow.AnswerMeta `json:"_meta,omitempty"`
	}{Content: []block{{"text", string(a.Text)}}, IsError: a.IsError}
	if a.Meta.Kind != "" {
		r.Meta = &a.Meta
	}
	return json.Marshal(r)
}
