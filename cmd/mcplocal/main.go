// Command mcplocal is the daemon. It serves the MCP endpoints between coding agents and
// their servers.
package main

import (
	"bytes"
	"context"
	"io"
	"os"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcplocal/internal/serve"
)

func main() {
	root := serve.NewRoot()
	if err := root.ExecuteContext(context.Background()); err != nil {
		report(os.Stdout, os.Stderr, err)
		os.Exit(problem.Exit(err))
	}
}

// report prints err to errOut, or to out if that fails: the log of a background daemon can
// be on a full disk, and mcpctl reads out until the daemon is ready.
func report(out, errOut io.Writer, err error) {
	var text bytes.Buffer
	problem.Print(&text, err, false)
	if _, failed := errOut.Write(text.Bytes()); failed != nil {
		_, _ = out.Write(text.Bytes()) // an error cannot be reported anywhere
	}
}
