package demo

import (
	"context"
	"errors"
	"slices"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
)

// Refusal is a request that was answered by a JSON-RPC error. Its text is the server's:
// ExplainRefusal returns one that can be shown.
type Refusal struct{ err error }

// Error returns the text of the error.
func (r *Refusal) Error() string { return r.err.Error() }

// events lists the events of a project: the daemon's API or a host in this process.
type events interface {
	Events(ctx context.Context, project string) ([]api.Event, error)
}

// ExplainRefusal replaces the text of a Refusal by that of the newest event of the
// method, in one line: a session gets the server's bytes, and they may hold its secrets.
// Other errors are returned unchanged.
func ExplainRefusal(ctx context.Context, from events, project, method string, err error) error {
	if refused := (*Refusal)(nil); !errors.As(err, &refused) || ctx.Err() != nil {
		return err
	}
	list, _ := from.Events(ctx, project) // without them the error has no reason
	for _, e := range slices.Backward(list) {
		if e.Method == method && e.Error != "" {
			return &Refusal{errors.New(iostreams.Line(e.Error))}
		}
	}
	return &Refusal{errors.New("refused")}
}
