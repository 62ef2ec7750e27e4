package factory

import (
	"context"

	"github.com/mcpctl/mcpctl/cmd/internal/manage"
	"github.com/mcpctl/mcpctl/host"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/lab"
)

// Trial opens a runner for modules under development, with the limits and the compilation cache of
// the
// home. The caller must close it.
func (f *Factory) Trial(ctx context.Context) (*lab.Trial, error) {
	home, err := f.Home()
	if err != nil {
		return nil, err
	}
	settings, err := f.Settings()
	if err != nil {
		return nil, err
	}
	compiler, worker := programs()
	return host.OpenTrial(ctx, homedir.Dir(home), manage.HostSettings(settings), compiler, worker)
}

// TrialLLM returns a fake provider of the home for use in a Trial. The caller must call end.
func (f *Factory) TrialLLM(provider string) (answers lab.LLM, end func() error, err error) {
	home, err := f.Home()
	if err != nil {
		return lab.LLM{}, nil, err
	}
	return host.TrialLLM(homedir.Dir(home), provider)
}
