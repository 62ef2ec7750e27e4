// Command files measures the cost of indexing real files: milliseconds per megabyte in
// the guest of section-split, compiled and warm, for each file with and without its name
// as a hint, and which files exceed the goal of their type.
//
//	go run ./bench/files                            # testdata/content and some of Go's sources
//	go run ./bench/files -dir DIR -rounds 30        # any directory, more runs
//	go run ./bench/files -base before.wasm          # compared with another module in the same runs
//
// A time depends on the machine and its other users more than on the module. So each run
// is paired with a run of encoding/json.Valid on a fixed text, and times are converted to
// a machine on which that reads 470 MB/s, such as the one on which the goals were set.
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
	flag.Func("dir", "directory of files to measure; may be repeated (default testdata/content)", func(dir string) error {
		o.dirs = append(o.dirs, dir)
		return nil
	})
	flag.IntVar(&o.sources, "sources", 8, "number of files of Go's own sources to add")
	flag.StringVar(&o.match, "match", "", "only files with this in their name")
	flag.IntVar(&o.rounds, "rounds", 9, "runs of each file")
	flag.StringVar(&o.module, "module", "", "module to measure (default the built-in one)")
	flag.StringVar(&o.base, "base", "", "module to compare with")
	flag.BoolVar(&o.brief, "brief", false, "print types, and only the files over their goal")
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
	module, base string // files; empty base: no comparison
	brief        bool
}

func run(ctx context.Context, o options) error {
	files, err := loadFiles(o)
	if err != nil {
		return err
	}
	guests, err := openGuests(ctx, o)
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

// openGuests returns a guest of the module, and one of the module to compare with.
func openGuests(ctx context.Context, o options) ([]guest, error) {
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
