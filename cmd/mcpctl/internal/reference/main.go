// Command reference writes generated documentation: manual pages with -man, otherwise the pages of
// docs
// for the command line, the topics of mcpctl explain, the built-in stages and controllers, and
// section-split.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/manpage"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/cli"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/explain"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/stagepage"
)

func main() {
	docs := flag.String("docs", "docs", "directory to write pages of docs to")
	plugins := flag.String("plugins", "plugins/src", "directory with the sources of the built-in modules")
	man := flag.String("man", "", "directory to write manual pages to, instead of pages of docs")
	flag.Parse()
	if err := run(*docs, *plugins, *man); err != nil {
		fmt.Fprintln(os.Stderr, "reference:", err)
		os.Exit(1)
	}
}

func run(docs, plugins, man string) error {
	f := &factory.Factory{IO: iostreams.System(os.Getenv), Env: func(string) string { return "" }}
	root := cli.NewRoot(f)
	if man != "" {
		return manpage.Write(man, root)
	}
	return writePages(docs, plugins, root)
}

func writePages(docs, plugins string, root *cobra.Command) error {
	pages := map[string]string{"cli": cli.Reference(root)}
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
