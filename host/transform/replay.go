package transform

import (
	"bytes"
	"context"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// Replay is the result of a run of an Original through the present stages of a project.
type Replay struct {
	Model  string
	Shown  flow.Shown
	Text   []byte // for the client, with the ref of the Original
	Stages []ReplayStage
}

// ReplayStage is one stage of a Replay.
type ReplayStage struct {
	Report flow.StageReport
	Text   []byte // the output of this stage, as a client would read it if it was the last
}

// Replay runs an Original of a project through the stages that it would pass now. It
// counts as no traffic. c is an Original, so the filters do not run. The limit of answers
// of the project, 0 for none, applies to the text as if it was the whole answer.
//
// Errors: as Transform.
func (t *Transformer) Replay(ctx context.Context, project, ref string, c flow.Content, limit int) (Replay, error) {
	scope := flow.Scope{Project: project, Subject: sampleSubject}
	c.Filtered = true
	model, err := t.Plan.Resolve(ctx, project, c)
	if err != nil {
		return Replay{}, err
	}
	r := Replay{Model: model.Name, Text: c.Bytes}
	for i, s := range model.Steps {
		if s.Kind == abi.KindFilter {
			continue
		}
		until := *model
		until.Steps = model.Steps[:i+1]
		if r.Shown, err = t.run(ctx, scope, t.Plan.Owner(scope), c, &until); err != nil {
			return Replay{}, err
		}
		r.Text = replayedText(c, r.Shown, ref)
		last := len(r.Shown.Run.Stages) - 1
		if last < len(r.Stages) { // an earlier stage ended the run
			break
		}
		r.Stages = append(r.Stages, ReplayStage{r.Shown.Run.Stages[last], r.Text})
	}
	return t.boundReplay(ctx, scope, ref, c, r, limit), nil
}

// boundReplay applies the limit of answers to a Replay.
func (t *Transformer) boundReplay(ctx context.Context, scope flow.Scope, ref string, c flow.Content, r Replay, limit int) Replay {
	tokens := t.CountTokens(r.Text)
	if limit == 0 || tokens <= limit || r.Shown.Blocked != "" {
		return r
	}
	if r.Shown.Ref == "" {
		r.Shown.Ref, _ = t.Store(ctx, scope, c) // if it fails, the text remains
	}
	ran := len(r.Shown.Run.Stages)
	r.Shown = t.Bound(ctx, scope, c, r.Shown, flow.Overrun{Tokens: tokens, Limit: limit})
	r.Text = replayedText(c, r.Shown, ref)
	for _, row := range r.Shown.Run.Stages[ran:] {
		r.Stages = append(r.Stages, ReplayStage{row, r.Text})
	}
	return r
}

// replayedText returns the text for the client, with the ref under which the client
// knows the Original.
func replayedText(c flow.Content, shown flow.Shown, ref string) []byte {
	switch {
	case shown.Blocked != "":
		return []byte(shown.Blocked)
	case !shown.Changed:
		return c.Bytes
	case shown.Ref == "":
		return shown.Text
	}
	return bytes.ReplaceAll(shown.Text, []byte(shown.Ref), []byte(ref))
}
