package factory

import (
	"context"

	"github.com/mcpctl/mcpctl/cmd/internal/manage"
	"github.com/mcpctl/mcpctl/host"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/lab"
)

// Trial opens what runs modules for their authors, with the limits of the home and
// its compiled code. The caller closes it.
func (f *Factory) Trial(ctx context.Context) (*lab.Trial, error) {
	home, err := f.Home()
	if err != nil {
		return nil, err
	}
	settings, err := f.Settings()
	if err != nil {
		return nil, err
	}
	return host.OpenTrial(ctx, homedir.Dir(home), manage.HostSettings(settings))
}

// TrialLLM is a fake provider of the home as what answers in a Trial. The caller
// calls end.
func (f *Factory) TrialLLM(provider string) (answers lab.LLM, end func() error, err error) {
	home, err := f.Home()
	if err != nil {
		return lab.LLM{}, nil, err
	}
	return host.TrialLLM(homedir.Dir(home), provider)
}
