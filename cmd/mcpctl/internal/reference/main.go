// Command reference writes the pages of docs that are made from the code: the
// command line, the topics of mcpctl explain, the built-in stages and controllers,
// and section-split by itself.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/cli"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/explain"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/stagepage"
)

func main() {
	docs := flag.String("docs", "docs", "folder to write to")
	plugins := flag.String("plugins", "plugins/src", "folder with the sources of the built-in modules")
	flag.Parse()
	if err := write(*docs, *plugins); err != nil {
		fmt.Fprintln(os.Stderr, "reference:", err)
		os.Exit(1)
	}
}

func write(docs, plugins string) error {
	f := &factory.Factory{IO: iostreams.System(os.Getenv), Env: func(string) string { return "" }}
	pages := map[string]string{"cli": cli.Reference(cli.NewRoot(f))}
	for _, t := range explain.Topics() {
		pages[t.Name] = t.Page()
	}
	var err error
	if pages["section-split"], err = stagepage.Page(os.DirFS(filepath.Join(plugins, "section-split"))); err != nil {
		return err
	}
	if pages["stages"], err = stagepage.Roles(os.DirFS(plugins)); err != nil {
		return err
	}
	for name, text := range pages {
		if err := os.WriteFile(filepath.Join(docs, name+".md"), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
