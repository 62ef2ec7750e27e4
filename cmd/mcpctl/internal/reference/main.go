// Command reference writes the pages of docs that are made from the code: the
// command line, the topics of mcpctl explain, the stage section-split.
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
	stage := flag.String("stage", "plugins/src/section-split", "folder with the sources of the stage")
	flag.Parse()
	if err := write(*docs, *stage); err != nil {
		fmt.Fprintln(os.Stderr, "reference:", err)
		os.Exit(1)
	}
}

func write(docs, stage string) error {
	f := &factory.Factory{IO: iostreams.System(os.Getenv), Env: func(string) string { return "" }}
	pages := map[string]string{"cli": cli.Reference(cli.NewRoot(f))}
	for _, t := range explain.Topics() {
		pages[t.Name] = t.Page()
	}
	page, err := stagepage.Page(os.DirFS(stage))
	if err != nil {
		return err
	}
	pages[filepath.Base(stage)] = page
	for name, text := range pages {
		if err := os.WriteFile(filepath.Join(docs, name+".md"), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
