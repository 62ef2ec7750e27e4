package get

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/kinds"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

// everything is the kind argument that selects the local objects of all kinds.
const everything = "all"

// allRun prints the local objects of all kinds, as one table per kind that has objects.
func allRun(ctx context.Context, opts *Options) error {
	if opts.Watch {
		return problem.Usagef("only one kind can be watched at a time").WithHint("mcpctl get servers --watch")
	}
	s, done, err := opts.F.Service(ctx)
	if err != nil {
		return err
	}
	defer done()
	var lists []printer.Listing
	whole := printer.Listing{Value: []json.RawMessage{}}
	for _, kind := range kinds.Objects {
		l, err := ownObjects(ctx, s, opts, kind)
		if err != nil {
			return err
		}
		if len(l.Names) == 0 {
			continue
		}
		lists = append(lists, l)
		whole.Names = append(whole.Names, l.Names...)
		whole.Value = append(whole.Value.([]json.RawMessage), l.Value.([]json.RawMessage)...)
	}
	if opts.JQ != "" || opts.Output != "table" && opts.Output != "wide" {
		return opts.print(ctx, whole)
	}
	if len(lists) == 0 {
		fmt.Fprintln(opts.F.IO.ErrOut, "no objects yet\nnext: mcpctl import")
	}
	for i, l := range lists {
		if i > 0 {
			fmt.Fprintln(opts.F.IO.Out)
		}
		if err := opts.print(ctx, l); err != nil {
			return err
		}
	}
	return nil
}

// ownObjects returns the objects of a kind that are not built in, optionally limited to one project.
func ownObjects(ctx context.Context, s api.Service, opts *Options, kind string) (printer.Listing, error) {
	all, err := s.Objects(ctx, kind, "")
	if err != nil {
		return printer.Listing{}, err
	}
	all = slices.DeleteFunc(all, func(o api.Object) bool {
		return o.Source == "built-in" || opts.Project != "" && o.Project != "" && o.Project != opts.Project
	})
	return objectListing(kind, all, false)
}
