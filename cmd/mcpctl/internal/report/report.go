// Package report says what became of applied objects, the same way for every
// command that applies some.
package report

import (
	"context"
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// Applied prints one line an object, as kubectl does; warnings go to ErrOut.
func Applied(io *iostreams.Streams, applied []api.Applied, dryRun bool) {
	suffix := ""
	if dryRun {
		suffix = " (dry run)"
	}
	for _, a := range applied {
		fmt.Fprintf(io.Out, "%s/%s %s%s\n", a.Kind, a.Name, a.Action, suffix)
		Warnings(io, a)
	}
}

// Warnings prints the warnings of an object to ErrOut.
func Warnings(io *iostreams.Streams, a api.Applied) {
	for _, w := range a.Warning {
		fmt.Fprintf(io.ErrOut, "warning: %s\n", iostreams.Clean(w))
	}
	if a.Invalid != "" {
		fmt.Fprintf(io.ErrOut, "warning: %s\n", iostreams.Clean(a.Invalid))
	}
}

// Invalid returns the error of a command that wrote an object which does not serve,
// nil if all do. What an object lacked may have come with a later one.
func Invalid(ctx context.Context, s api.Service, applied []api.Applied) error {
	for _, a := range applied {
		if a.Invalid == "" {
			continue
		}
		o, err := s.Object(ctx, a.Kind, a.Project, a.Name)
		if err != nil {
			return err
		}
		if o.Problem != "" {
			p := problem.New(abi.ErrConfig, "%s/%s is written, but it is invalid", a.Kind, a.Name)
			p.Cause = a.Invalid
			return p.WithHint("mcpctl describe %s %s", a.Kind, a.Name)
		}
	}
	return nil
}
