// Command mcpd is the team server: it stores servers, projects and prompts that a team
// shares, knows its users and their rights, and holds the credentials of servers.
package main

import (
	"context"
	"io"
	"log"
	"os"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/serve"
)

func main() {
	log.SetOutput(io.Discard) // net/http prints bytes that servers have sent
	root := serve.NewRoot()
	if err := root.ExecuteContext(context.Background()); err != nil {
		problem.Print(os.Stderr, err, false)
		os.Exit(problem.Exit(err))
	}
}
