// Command reference writes docs/cli.md from the command tree.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/cli"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
)

func main() {
	out := flag.String("o", "", "file to write")
	flag.Parse()
	f := &factory.Factory{IO: iostreams.System(os.Getenv), Env: func(string) string { return "" }}
	if err := os.WriteFile(*out, []byte(cli.Reference(cli.NewRoot(f))), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, "reference:", err)
		os.Exit(1)
	}
}
