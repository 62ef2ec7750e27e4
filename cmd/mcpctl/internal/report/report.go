// Package report says what became of applied objects, the same way for every
// command that applies some.
package report

import (
	"fmt"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
)

// Applied prints one line an object, as kubectl does; warnings go to ErrOut.
func Applied(io *iostreams.Streams, applied []api.Applied, dryRun bool) {
	suffix := ""
	if dryRun {
		suffix = " (dry run)"
	}
	for _, a := range applied {
		fmt.Fprintf(io.Out, "%s/%s %s%s\n", a.Kind, a.Name, a.Action, suffix)
		for _, w := range a.Warning {
			fmt.Fprintf(io.ErrOut, "warning: %s\n", iostreams.Clean(w))
		}
	}
}
