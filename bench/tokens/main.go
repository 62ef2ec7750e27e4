// Command tokens measures the tokens that a model reads until it has read a target: with the
// whole content, with truncation and grep, in pages, and with the index of mcpctl. It selects
// random targets from real files, hunts each over MCP with a real daemon, and counts
// o200k_base tokens.
//
//	make bench-tokens                       # all figures; updates the README and its picture
//	go run ./bench/tokens -dir DIR -files   # other files, one line for each
//	go run ./bench/tokens -dir DIR -misses  # the targets that were not found
//
// Each further call costs 40 tokens plus its answer, and a failed call costs 60. A hunt that
// does not find its target also costs the whole content.
package main

import (
	"context"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"os/signal"

	"github.com/mcpctl/mcpctl/bench/internal/count"
	"github.com/mcpctl/mcpctl/bench/internal/rig"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "tokens:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	dir := flag.String("dir", "testdata/content", "directory of files; labels.tsv in it may define their types")
	sources := flag.Int("go", 12, "number of Go source files to measure in addition")
	targets := flag.Int("targets", 8, "targets in each file")
	seed := flag.Uint64("seed", 1, "seed of the random selection of targets")
	perFile := flag.Bool("files", false, "print a line for each file")
	misses := flag.Bool("misses", false, "print a line for each target that the text client did not find")
	svg := flag.String("svg", "", "write the picture to this file")
	readme := flag.String("readme", "", "write the figures into the table of this file")
	bin := flag.String("bin", "bin", "directory that contains mcpctl and mcplocal")
	flag.Parse()

	files, err := load(*dir, *sources)
	if err != nil {
		return err
	}
	up := httptest.NewServer(reader(files))
	defer up.Close()
	d, err := rig.Start(ctx, *bin, up.URL)
	if err != nil {
		return err
	}
	defer d.Stop()
	session, err := rig.Open(ctx, d.Endpoint("subindex"))
	if err != nil {
		return err
	}
	counter, err := count.New()
	if err != nil {
		return err
	}
	r := report{perFile: *perFile, misses: *misses}
	for _, f := range files {
		progress(f.name)
		got, err := measure(ctx, &product{session: session, count: counter, file: f, tool: readPlain}, *targets, *seed)
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		r.add(got)
	}
	progress("")
	r.print(os.Stdout)
	if *svg != "" {
		if err := os.WriteFile(*svg, r.picture(), 0o644); err != nil {
			return err
		}
	}
	if *readme != "" {
		return updateReadme(*readme, r.bars())
	}
	return nil
}

// progress shows the name of the measured file on a terminal.
func progress(name string) {
	if info, err := os.Stderr.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		fmt.Fprintf(os.Stderr, "\r\033[K%s", name)
	}
}
