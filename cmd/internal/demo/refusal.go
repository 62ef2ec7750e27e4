package demo

import (
	"context"
	"errors"
	"slices"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
)

// Refusal is a JSON-RPC error response. Its text comes from the server and may contain
// secrets; ExplainRefusal returns an error that can be shown.
type Refusal struct{ err error }

// Error returns the text of the error.
func (r *Refusal) Error() string { return r.err.Error() }

// events lists the events of a project: the daemon's API or a host in this process.
type events interface {
	Events(ctx context.Context, q api.EventQuery) ([]api.Event, error)
}

// ExplainRefusal replaces the text of a Refusal by the error of the newest event of the
// method, on one line, because the server's own text may contain secrets. It returns other
// errors unchanged.
func ExplainRefusal(ctx context.Context, from events, project, method string, err error) error {
	if refused := (*Refusal)(nil); !errors.As(err, &refused) || ctx.Err() != nil {
		return err
	}
	list, _ := from.Events(ctx, api.EventQuery{Project: project}) // without events the error contains no reason
	for _, e := range slices.Backward(list) {
		if e.Method == method && e.Error != "" {
			return &Refusal{errors.New(iostreams.Line(e.Error))}
		}
	}
	return &Refusal{errors.New("refused")}
}
