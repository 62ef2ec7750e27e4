package host

import (
	"context"

	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/trial"
)

// OpenTrial opens what runs modules for their authors, with the limits of a home and
// its compiled code, and nothing else of it. The caller closes it.
//
// Errors: abi.ErrDenied for a home that others could write.
func OpenTrial(ctx context.Context, home Home, s Settings) (*trial.Trial, error) {
	if err := object.PrepareHome(string(home)); err != nil {
		return nil, err
	}
	if err := home.create(); err != nil {
		return nil, err
	}
	return trial.Open(ctx, trial.Options{CacheDir: home.wasmCache(), Guests: s.guests(), Calls: s.calls(), Reading: s.reading()})
}
