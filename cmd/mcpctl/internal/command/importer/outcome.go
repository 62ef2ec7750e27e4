package importer

import (
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/host/store"
)

// outcome is the effect of an import on the servers of the home. The zero value means that
// nothing was written.
type outcome struct {
	dryRun    bool
	imported  int // servers that were written, or would be
	unchanged int // servers that the home had already
}

func newOutcome(applied []api.Applied, dryRun bool) outcome {
	o := outcome{dryRun: dryRun}
	for _, a := range applied {
		switch {
		case a.Kind != "server":
		case a.Action == string(store.Unchanged):
			o.unchanged++
		default:
			o.imported++
		}
	}
	return o
}

// String returns, for example, "4 servers imported, 1 unchanged".
func (o outcome) String() string {
	var text string
	switch {
	case o.imported == 0 && o.unchanged == 0:
		return "nothing imported"
	case o.imported == 0:
		return printer.Plural(o.unchanged, "server") + " unchanged"
	case o.dryRun:
		text = "would import " + printer.Plural(o.imported, "server")
	default:
		text = printer.Plural(o.imported, "server") + " imported"
	}
	if o.unchanged > 0 {
		text += fmt.Sprintf(", %d unchanged", o.unchanged)
	}
	return text
}

// showSkipped prints the entries that cannot be imported, with the reasons.
func (h *haul) showSkipped(io *iostreams.Streams) {
	for _, p := range h.left {
		text := "skipped: " + p.Error()
		if p.At != "" {
			text += " (" + p.At + ")"
		}
		fmt.Fprintln(io.ErrOut, iostreams.Line(text))
		if p.Hint != "" {
			fmt.Fprintf(io.ErrOut, "  hint: %s\n", iostreams.Line(p.Hint))
		}
	}
}

// verdict returns an error if entries were skipped. Otherwise, it prints the outcome if the list
// of written objects does not show it. The error contains the reasons unless showSkipped has
// printed them.
func (h *haul) verdict(io *iostreams.Streams, done outcome) error {
	switch {
	case len(h.left) == 0:
		if done.dryRun || done == (outcome{}) {
			fmt.Fprintln(io.ErrOut, done)
		}
		return nil
	case len(h.servers) > 0 && len(h.left) == 1:
		return &problem.Problem{Code: h.left[0].Code, Message: "1 entry skipped, " + done.String()}
	case len(h.left) == 1:
		p := *h.left[0]
		p.Cause = "skipped, " + done.String()
		return &p
	}
	p := problem.New(abi.ErrConfig, "%s skipped, %s", printer.Plural(len(h.left), "entry"), done)
	if len(h.servers) == 0 {
		p.Errors = h.left
	}
	return p
}
