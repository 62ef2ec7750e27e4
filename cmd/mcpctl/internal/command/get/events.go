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
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

func events(ctx context.Context, s api.Service, opts *Options) (printer.Listing, error) {
	if err := noNames(opts); err != nil {
		return printer.Listing{}, err
	}
	list, err := s.Events(ctx, api.EventQuery{Project: opts.Project, Query: opts.Query})
	l := printer.Listing{Value: list, Table: func(wide bool) *iostreams.Table { return eventTable(list, time.Now(), wide) }}
	for _, e := range list {
		l.Names = append(l.Names, eventName(e))
	}
	return l, err
}

func noNames(opts *Options) error {
	if len(opts.Names) == 0 {
		return nil
	}
	return problem.Usagef("events have no names").WithHint("mcpctl describe event %s", opts.Names[0])
}

func eventName(e api.Event) string { return fmt.Sprintf("event/%d", e.ID) }

func eventTable(list []api.Event, now time.Time, wide bool) *iostreams.Table {
	t := iostreams.NewTable(eventHeader("AGE", wide)...)
	for _, e := range list {
		t.Row(eventRow(e, printer.Age(now.Sub(e.Time)), wide)...)
	}
	return t
}

// maxDetail is the length of DETAIL without -o wide, in bytes.
const maxDetail = 80

func eventHeader(when string, wide bool) []string {
	header := []string{"ID", when, "TYPE", "SOURCE", "IN", "OUT", "TOOK"}
	if wide {
		header = append(header, "PROJECT", "METHOD")
	}
	return append(header, "DETAIL")
}

func eventRow(e api.Event, when string, wide bool) []string {
	kind := e.Type
	if e.IsError {
		kind += " (error)"
	}
	row := []string{fmt.Sprint(e.ID), when, kind, cmp.Or(e.Source, e.Method), count(e.In), count(e.Out),
		took(e.Micros)}
	if wide {
		return append(row, e.Project, e.Method, eventDetail(e))
	}
	return append(row, strictyaml.Clip(eventDetail(e), maxDetail))
}

// eventDetail returns the error of an event, or the state or object of its change and the reason.
func eventDetail(e api.Event) string {
	if e.Error != "" || e.Change == nil {
		return e.Error
	}
	text := e.Change.Name
	if e.Source != "" || text == "" { // the name is in SOURCE
		text = strictyaml.Clip(e.Change.To, maxState)
	}
	if text == "" || e.Change.Reason == "" {
		return text + e.Change.Reason
	}
	return text + ": " + e.Change.Reason
}

// maxState is the length of a state in DETAIL. Longer ones are hashes.
const maxState = 16

// took formats a duration. Events without one, such as a reload, yield "".
func took(micros int64) string {
	if micros == 0 {
		return ""
	}
	return fmt.Sprintf("%.1fms", float64(micros)/1000)
}
