package get

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

func events(ctx context.Context, s api.Service, opts *Options) (printer.Listing, error) {
	if len(opts.Names) > 0 {
		return printer.Listing{}, problem.Usagef("events have no names").WithHint("mcpctl get events -o json")
	}
	list, err := s.Events(ctx, opts.Project)
	l := printer.Listing{Value: list, Table: func(wide bool) *iostreams.Table { return eventTable(list, time.Now(), wide) }}
	for _, e := range list {
		l.Names = append(l.Names, fmt.Sprintf("event/%d", e.ID))
	}
	return l, err
}

func eventTable(list []api.Event, now time.Time, wide bool) *iostreams.Table {
	header := []string{"ID", "AGE", "TYPE", "SOURCE", "IN", "OUT", "TOOK"}
	if wide {
		header = append(header, "PROJECT", "METHOD", "ERROR")
	}
	t := iostreams.NewTable(header...)
	for _, e := range list {
		kind := e.Type
		if e.IsError {
			kind += " (error)"
		}
		row := []string{fmt.Sprint(e.ID), printer.Age(now.Sub(e.Time)), kind, cmp.Or(e.Source, e.Method), count(e.In), count(e.Out),
			fmt.Sprintf("%.1fms", float64(e.Micros)/1000)}
		if wide {
			row = append(row, e.Project, e.Method, e.Error)
		}
		t.Row(row...)
	}
	return t
}
