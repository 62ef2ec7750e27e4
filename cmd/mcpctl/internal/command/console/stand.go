package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/script"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/twin"
	"github.com/mcpctl/mcpctl/host/object"
)

// stand is a copy of the home in which a project is served as the options require.
type stand struct {
	*twin.Twin
	project string
	model   string
	llm     string
}

// openStand copies the home, changes the project in the copy and serves it. The caller
// closes it.
func openStand(ctx context.Context, opts *Options, script script.Script) (_ *stand, err error) {
	done := opts.F.IO.Progress("compiling stages")
	defer done()
	o := twin.Options{F: opts.F}
	if opts.FakeLLM {
		o.Prepare = func(home string) error { return fakeLLM(home, script.Answers) }
	}
	t := &stand{project: opts.Project}
	if t.Twin, err = twin.Open(ctx, o); err != nil {
		return nil, err
	}
	if err = t.prepare(ctx, opts); err == nil {
		err = t.Serve()
	}
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// prepare makes the project served by the wanted proxymodel and the fake.
func (t *stand) prepare(ctx context.Context, opts *Options) error {
	base, err := t.Service.Object(ctx, "project", "", opts.Project)
	if err != nil {
		return err
	}
	if opts.Model != "" {
		if _, err := t.Service.Object(ctx, "proxymodel", "", opts.Model); err != nil {
			return err
		}
	}
	text, model, err := manifest(base.Manifest, opts)
	if err != nil {
		return err
	}
	warnings, err := t.Apply(ctx, opts.Project, text)
	if err != nil {
		return err
	}
	for _, w := range warnings {
		fmt.Fprintf(opts.F.IO.ErrOut, "warning: %s\n", w)
	}
	t.model, t.llm = model, "fake"
	if !opts.FakeLLM {
		t.llm = t.Host.LLM().Resolution(opts.Project)
	}
	return nil
}

// manifest is the project as the options want it, in JSON, and its proxymodel.
func manifest(base json.RawMessage, opts *Options) (text []byte, model string, err error) {
	var o struct {
		Kind     string                     `json:"kind"`
		Metadata json.RawMessage            `json:"metadata"`
		Spec     map[string]json.RawMessage `json:"spec"`
	}
	if err := json.Unmarshal(base, &o); err != nil {
		return nil, "", err
	}
	o.Spec["proxyMode"] = json.RawMessage(`"proxy"`) // a project in direct mode is played as it would be in the other
	if opts.FakeLLM {
		delete(o.Spec, "llmProvider")
	}
	if opts.Model != "" {
		if o.Spec["proxyModel"], err = json.Marshal(opts.Model); err != nil {
			return nil, "", err
		}
		delete(o.Spec, "proxyModelOverrides") // nothing chooses another one
	}
	model = string(object.DefaultProxyModel)
	if written, ok := o.Spec["proxyModel"]; ok {
		err = json.Unmarshal(written, &model)
	}
	if err == nil {
		text, err = json.Marshal(o)
	}
	return text, model, err
}
