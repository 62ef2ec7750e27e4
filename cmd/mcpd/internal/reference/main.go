// Command reference writes the manual pages of mcpd.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/mcpctl/mcpctl/cmd/internal/manpage"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/serve"
)

func main() {
	man := flag.String("man", "", "directory to write manual pages to")
	flag.Parse()
	if err := manpage.Write(*man, serve.NewRoot()); err != nil {
		fmt.Fprintln(os.Stderr, "reference:", err)
		os.Exit(1)
	}
}
