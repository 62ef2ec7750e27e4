package factory

import (
	"context"

	"github.com/mcpctl/mcpctl/cmd/internal/manage"
	"github.com/mcpctl/mcpctl/host"
	"github.com/mcpctl/mcpctl/host/trial"
)

// Trial opens what runs modules for their authors, with the limits of the home and
// its compiled code. The caller closes it.
func (f *Factory) Trial(ctx context.Context) (*trial.Trial, error) {
	home, err := f.Home()
	if err != nil {
		return nil, err
	}
	settings, err := f.Settings()
	if err != nil {
		return nil, err
	}
	return host.OpenTrial(ctx, host.Home(home), manage.HostSettings(settings))
}
