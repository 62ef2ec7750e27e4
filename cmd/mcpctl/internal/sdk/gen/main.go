// Command gen packs a directory of sources into a zip file; package pack describes the content.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/sdk/pack"
)

func main() {
	out := flag.String("o", "", "file to write")
	all := flag.Bool("all", false, "tests, testdata and dot files too")
	flag.Parse()
	if err := run(*out, flag.Arg(0), *all); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(out, dir string, all bool) error {
	b, err := pack.Zip(dir, all)
	if err != nil {
		return err
	}
	return os.WriteFile(out, b, 0o644)
}
