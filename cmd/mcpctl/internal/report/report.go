// Package report prints the results of applied objects, in the same format for all commands.
package report

import (
	"context"
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// Applied prints one line per object, like kubectl. Warnings are printed to ErrOut.
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

// Invalid returns an error if an applied object is still invalid. A missing reference may have been
// added by a later object.
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
			p := problem.New(abi.ErrConfig, "%s/%s was written, but it is invalid", a.Kind, a.Name)
			p.Cause = a.Invalid
			return p.WithHint("mcpctl describe %s %s", a.Kind, a.Name)
		}
	}
	return nil
}
