package describe

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

// event prints the event with an ID.
func event(ctx context.Context, s api.Service, opts *Options, name string) error {
	id, err := strconv.ParseUint(name, 10, 64)
	if err != nil {
		return problem.Usagef("event %q, want its ID, a number", name).WithHint("mcpctl get events")
	}
	if opts.Text != "" {
		return eventText(ctx, s, opts, id)
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

// eventText prints the original of an event, or the text that the client received.
func eventText(ctx context.Context, s api.Service, opts *Options, id uint64) error {
	kind := api.BodyKind(opts.Text)
	if kind != api.BodyOriginal && kind != api.BodyShown {
		return problem.Usagef("--text %q, want original or shown", opts.Text).WithHint("mcpctl describe event %d --text shown", id)
	}
	b, err := s.Studio().Body(ctx, id, kind)
	if err != nil {
		return problem.From(err).WithHint("mcpctl get events")
	}
	for _, p := range b.Parts {
		text := p.Text
		if opts.F.IO.OutTerminal { // a file gets the bytes unchanged
			text = iostreams.Clean(text)
		}
		if _, err := fmt.Fprintln(opts.F.IO.Out, text); err != nil {
			return err
		}
	}
	return nil
}
