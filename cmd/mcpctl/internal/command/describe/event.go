package describe

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

// event prints the event with an ID.
func event(ctx context.Context, s api.Service, opts *Options, name string) error {
	id, err := strconv.ParseUint(name, 10, 64)
	if err != nil {
		return problem.Usagef("event %q, want its ID, a number", name).WithHint("mcpctl get events")
	}
	all, err := s.Events(ctx, api.EventQuery{Project: opts.Project, Query: "type:*"})
	if err != nil {
		return err
	}
	for _, e := range all {
		if e.ID == id {
			return show(opts, e, func(w io.Writer) error { return printer.YAML(w, e) })
		}
	}
	p := problem.New(abi.ErrNotFound, "event %d not found", id)
	p.Cause = "the daemon has no events"
	if len(all) > 0 {
		p.Cause = fmt.Sprintf("the daemon has events %d to %d", all[0].ID, all[len(all)-1].ID)
	}
	return p.WithHint("mcpctl get events")
}
