package lab

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/transform"
)

// ModelRun describes one run of RunModel.
type ModelRun struct {
	Model     string
	Type      abi.ContentType
	Source    string
	Hint      string
	Arguments []byte // of the call: a JSON object, or empty
	Input     []byte
	Section   *string // if not nil, the answer of read_section for this section is returned
}

// ModelResult is the result that a client would receive.
type ModelResult struct {
	Text     []byte
	IsError  bool
	Withheld bool // a filter failed: Text is its error, and no section can be read
	Meta     flow.AnswerMeta
	MCP      []byte // the result object
	Report   flow.RunReport

	read func(section string) (flow.Answer, error)
}

// Read returns the answer of read_section for a section, as long as the Host is open.
//
// Errors: abi.ErrDenied if the content was withheld; otherwise those of the disk.
func (r ModelResult) Read(section string) (flow.Answer, error) { return r.read(section) }

// RunModel runs a whole proxymodel over one input.
//
// Errors: abi.ErrNotFound for an unknown proxymodel, strictyaml.Errors for an
// invalid one.
func (l *Lab) RunModel(ctx context.Context, run ModelRun) (ModelResult, error) {
	if err := l.Ready(ctx); err != nil {
		return ModelResult{}, err
	}
	model, err := l.Plan().Model(run.Model)
	if err != nil {
		return ModelResult{}, err
	}
	c := flow.Content{Type: run.Type, Source: run.Source, Hint: run.Hint, Arguments: run.Arguments, Bytes: run.Input, Part: abi.Part{Kind: abi.PartText, Count: 1}}
	shown, err := l.Transformer.Sample(ctx, c, model.For(run.Type))
	if err != nil {
		return ModelResult{}, err
	}
	res := ModelResult{Report: shown.Run, Withheld: shown.Blocked != "", read: l.reader(ctx, c, shown)}
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

// firstAnswer returns the answer of the call itself.
func firstAnswer(c flow.Content, shown flow.Shown) flow.Answer {
	switch {
	case shown.Blocked != "":
		return flow.Answer{Text: []byte(shown.Blocked), IsError: true}
	case shown.Changed:
		return flow.Answer{Text: shown.Text, Meta: shown.Meta}
	}
	return flow.Answer{Text: c.Bytes}
}

// reader returns a function that reads sections of the content of a run. Content that a
// filter withheld cannot be read in parts either.
func (l *Lab) reader(ctx context.Context, c flow.Content, shown flow.Shown) func(string) (flow.Answer, error) {
	return func(section string) (flow.Answer, error) {
		if shown.Blocked != "" {
			return flow.Answer{}, fmt.Errorf("%w: %s", abi.ErrDenied, shown.Blocked)
		}
		ref := shown.Meta.Ref // of the input of the stages, so without the content that a filter removed
		if ref == "" {
			var err error
			c.Bytes = original(c, shown)
			if ref, err = l.Transformer.Store(ctx, transform.SampleScope, c); err != nil {
				return flow.Answer{}, err
			}
		}
		return l.Transformer.Read(ctx, transform.SampleScope, ref, section), nil
	}
}

// original returns the content that sections are read from if there is no index: the
// output of the filters if they changed it, otherwise the input.
func original(c flow.Content, shown flow.Shown) []byte {
	if shown.Changed && shown.Meta.Kind == "" {
		return shown.Text
	}
	return c.Bytes
}

// mcpResult returns an answer as an MCP result.
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
