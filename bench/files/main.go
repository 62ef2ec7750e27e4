// Command files measures what the index of real files costs: milliseconds a megabyte
// inside section-split's guest, compiled and warm, for each file with its name as a
// hint and without, and which of them are over the goal of their type.
//
//	go run ./bench/files                            # testdata/content and some of Go's sources
//	go run ./bench/files -dir FOLDER -rounds 30     # any folder, more runs
//	go run ./bench/files -base before.wasm          # and against another module, in the same runs
//
// A time says more about the machine and who else uses it than about the module. So
// each run stands beside one of encoding/json.Valid over a fixed text, and the goals
// are compared with what the time would be where that reads 470 MB/s, as on the
// machine that they were set on.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/mcpctl/mcpctl/plugins"
)

func main() {
	o := options{}
	flag.Func("dir", "folder of files to measure; may be repeated (default testdata/content)", func(dir string) error {
		o.dirs = append(o.dirs, dir)
		return nil
	})
	flag.IntVar(&o.sources, "sources", 8, "so many files of Go's own sources, too")
	flag.StringVar(&o.match, "match", "", "only files whose name holds this")
	flag.IntVar(&o.rounds, "rounds", 9, "runs of each file")
	flag.StringVar(&o.module, "module", "", "module to measure (default the built-in one)")
	flag.StringVar(&o.base, "base", "", "module to compare with")
	flag.BoolVar(&o.brief, "brief", false, "print types, and of the files those over their goal")
	flag.Parse()
	if len(o.dirs) == 0 {
		o.dirs = []string{"testdata/content"}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "files:", err)
		os.Exit(1)
	}
}

// options of a measurement.
type options struct {
	dirs         []string
	sources      int
	match        string
	rounds       int
	module, base string // files; no base: nothing is compared
	brief        bool
}

func run(ctx context.Context, o options) error {
	files, err := load(o)
	if err != nil {
		return err
	}
	guests, err := open(ctx, o)
	if err != nil {
		return err
	}
	rows, err := measure(ctx, guests, files, o.rounds)
	if err != nil {
		return err
	}
	report(os.Stdout, rows, o)
	return nil
}

// open makes a guest of the module, and of the one to compare with.
func open(ctx context.Context, o options) ([]guest, error) {
	modules := [][]byte{plugins.Builtin}
	for i, name := range []string{o.module, o.base} {
		if name == "" {
			continue
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		modules = append(modules[:i], b)
	}
	var guests []guest
	for _, m := range modules {
		g, err := newGuest(ctx, m)
		if err != nil {
			return nil, err
		}
		guests = append(guests, g)
	}
	return guests, nil
}
