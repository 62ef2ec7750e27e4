package get

import (
	"context"
	"fmt"
	"time"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

// lookEvery is the polling interval of a watch. A changed file takes about as long to take effect.
const lookEvery = time.Second

// watchRun prints objects or stages, and then their changes until ctx is canceled.
func watchRun(ctx context.Context, opts *Options) error {
	s, done, err := opts.F.Service(ctx)
	if err != nil {
		return err
	}
	defer done()
	look := *opts
	w := printer.NewWatch(opts.F.IO, opts.Output)
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		l, err := list(ctx, s, &look)
		if ctx.Err() != nil {
			return nil // interrupting is the normal way to end
		}
		if err != nil {
			return err
		}
		if len(l.Names) == 0 && !look.mayBeGone {
			if err := printNothing(opts); err != nil {
				return err
			}
		}
		if err := w.Show(l); err != nil {
			return err
		}
		look.mayBeGone = true
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// watchEvents prints the recorded events of the daemon, and then new ones.
func watchEvents(ctx context.Context, opts *Options) error {
	if err := noNames(opts); err != nil {
		return err
	}
	c, err := opts.F.Daemon()
	if err != nil {
		return err
	}
	print, err := eventPrinter(opts)
	if err != nil {
		return err
	}
	err = c.Follow(ctx, api.EventQuery{Project: opts.Project, Query: opts.Query}, print)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// eventPrinter returns a function that prints one event. In json, each event is one line.
func eventPrinter(opts *Options) (func(api.Event) error, error) {
	out := opts.F.IO.Out
	switch opts.Output {
	case "json":
		return func(ev api.Event) error { return printer.JSONLine(out, ev) }, nil
	case "yaml":
		return func(ev api.Event) error {
			if _, err := fmt.Fprintln(out, "---"); err != nil {
				return err
			}
			return printer.YAML(out, ev)
		}, nil
	case "name":
		return func(ev api.Event) error {
			_, err := fmt.Fprintln(out, eventName(ev))
			return err
		}, nil
	}
	wide := opts.Output == "wide"
	rows, err := eventStream(wide, opts.F.IO.OutWidth).Stream(out)
	return func(ev api.Event) error {
		return rows.Row(eventRow(ev, ev.Time.Local().Format(time.TimeOnly), wide)...)
	}, err
}

// eventStream returns the table for a stream of events, with column widths that fit most of them.
func eventStream(wide bool, width int) *iostreams.Table {
	t := iostreams.NewTable(eventHeader("TIME", wide)...)
	t.Row("1000", time.TimeOnly, "session_opened", "server/tool_of_one", "10000", "10000", "1000.0ms") // a typical row sets the widths
	if !wide {
		t.Fit(width)
	}
	return t
}
