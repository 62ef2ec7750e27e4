package report

import (
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

// Results are the outcomes of a command that changes objects one after the other, in a format of
// -o. json and yaml are a list of api.Applied; the warnings of the objects are part of it.
type Results struct {
	IO     *iostreams.Streams
	Format string
	DryRun bool

	list []api.Applied
}

// Add adds outcomes. All formats but json and yaml print them at once.
func (r *Results) Add(applied ...api.Applied) {
	switch r.Format {
	case "json", "yaml":
		r.list = append(r.list, applied...)
	case "name":
		for _, a := range applied {
			fmt.Fprintln(r.IO.Out, iostreams.Line(a.Kind+"/"+a.Name))
			Warnings(r.IO, a)
		}
	default:
		Applied(r.IO, applied, r.DryRun)
	}
}

// Warn adds the warnings of objects whose outcomes were added without them.
func (r *Results) Warn(applied ...api.Applied) {
	for _, a := range applied {
		isSame := func(b api.Applied) bool { return b.Kind == a.Kind && b.Project == a.Project && b.Name == a.Name }
		if i := slices.IndexFunc(r.list, isSame); i >= 0 {
			r.list[i].Warning, r.list[i].Invalid = a.Warning, a.Invalid
			continue
		}
		Warnings(r.IO, a)
	}
}

// Finish prints what Add has not printed, and returns err, or its own error. A command that fails
// prints what it has changed before.
func (r *Results) Finish(err error) error {
	if err != nil && len(r.list) == 0 || r.Format != "json" && r.Format != "yaml" {
		return err
	}
	printed := printer.Print(r.IO, r.Format, printer.Listing{Value: append([]api.Applied{}, r.list...)})
	if err != nil {
		return err
	}
	return printed
}
