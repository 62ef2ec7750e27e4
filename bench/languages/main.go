// Command languages measures the cost of a stage by language: two stages in Go, Rust,
// AssemblyScript and C, each against a Go function in the host with the same result,
// in one run. The modules are in dist, so only Go is needed. They run as modules of authors do,
// which are rewritten so that they can be stopped. It fails if a bar is missed.
//
//	go run ./bench/languages
//	make bench-languages
//
// The second command writes the figures into the tables of the SDKs' READMEs, in rows
// identified by their first cell. Absolute times depend on the machine; compare ratios.
//
// The Go functions are idiomatic: they find headings with bytes.Index. The search of
// buf_find and buf_grep in the host is faster, so the ratio of a guest can be below 1.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// stage is a stage that exists in each language.
type stage struct {
	name, title string
	native      func(text []byte) abi.Output
	bars        map[string]float64 // maximum ratios to the native function, by language
}

// stages are the measured stages and the native function of each, whose result is an
// Output, as in a host without WebAssembly.
var stages = []stage{
	{"heading-split", "heading split of 128 KB", func(text []byte) abi.Output {
		return abi.Output{Bytes: []byte{}, Marks: []abi.Mark{{Section: -1}}, Tree: headingSplit(text)}
	}, map[string]float64{"c": 1.25, "rust": 1.25}},
	{"upper-case", "upper-case 128 KB", func(text []byte) abi.Output { return abi.Output{Bytes: upperCase(text)} },
		map[string]float64{"c": 2, "rust": 2, "go": 3.5}},
}

// language is a language of the stages.
type language struct{ id, name string }

var languages = []language{{"c", "C"}, {"rust", "Rust"}, {"assemblyscript", "AssemblyScript"}, {"go", "Go"}}

func main() {
	dist := flag.String("dist", "bench/languages/dist", "directory with the modules")
	rounds := flag.Int("rounds", 400, "calls of each stage in each language")
	var readmes []string
	flag.Func("readme", "write the figures into the table of this file; may be repeated", func(file string) error {
		readmes = append(readmes, file)
		return nil
	})
	flag.Parse()
	if err := bench(context.Background(), *dist, *rounds, readmes); err != nil {
		fmt.Fprintln(os.Stderr, "languages:", err)
		os.Exit(1)
	}
}

// bench measures, prints and writes the results and returns an error for missed bars.
func bench(ctx context.Context, dist string, rounds int, readmes []string) error {
	rows, err := run(ctx, os.Stdout, dist, rounds)
	if err != nil {
		return err
	}
	for _, file := range readmes {
		if err := updateReadme(file, rows); err != nil {
			return err
		}
	}
	var missed []string
	for _, r := range rows {
		if r.missed() {
			missed = append(missed, r.name())
		}
	}
	if len(missed) > 0 {
		return fmt.Errorf("bar missed: %s", strings.Join(missed, "; "))
	}
	return nil
}

// run measures all stages and prints a table of each.
func run(ctx context.Context, w io.Writer, dist string, rounds int) ([]row, error) {
	idle, err := open(ctx, dist, "nothing", "c", rounds)
	if err != nil {
		return nil, err
	}
	defer idle.close(ctx)
	var all []row
	for _, s := range stages {
		rows, err := s.measure(ctx, w, dist, rounds, idle)
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	return all, nil
}

// measure measures one stage in all languages, after checking that the results are equal.
func (s stage) measure(ctx context.Context, w io.Writer, dist string, rounds int, idle *guest) ([]row, error) {
	text, guests := document(), []*guest{idle}
	for _, l := range languages {
		g, err := open(ctx, dist, s.name, l.id, rounds)
		if err != nil {
			return nil, err
		}
		defer g.close(ctx)
		guests = append(guests, g)
		out, err := g.run(ctx, text)
		if err != nil {
			return nil, fmt.Errorf("%s in %s: %w", s.name, l.name, err)
		}
		if why := differs(out, s.native(text)); why != "" {
			return nil, fmt.Errorf("%s in %s: %s differs from that of the Go function", s.name, l.name, why)
		}
	}
	native, err := measure(ctx, guests, text, rounds, func() { s.native(text) })
	if err != nil {
		return nil, err
	}
	var rows []row
	for i, g := range guests[1:] {
		rows = append(rows, s.row(languages[i], g, native, idle.call))
	}
	fmt.Fprintf(w, "\n%s: %s in a Go function; %s for a call of an empty stage\n", s.title, native, idle.call)
	return rows, report(w, rows)
}

// compiles is the number of compilations of each module; the fastest counts.
const compiles = 3

// open loads a stage in a language. It is called as the module of an author, and compiled as by
// the compiler of the daemon, which uses all processors.
func open(ctx context.Context, dist, stage, id string, rounds int) (*guest, error) {
	file, err := os.ReadFile(filepath.Join(dist, stage+"."+id+".wasm"))
	if err != nil {
		return nil, err
	}
	compiled := micros(time.Hour)
	for range min(compiles, rounds) {
		g, err := load(ctx, stage, file, true)
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", stage, id, err)
		}
		compiled = min(compiled, g.compiled)
		g.close(ctx)
	}
	g, err := load(ctx, stage, file, false)
	if err != nil {
		return nil, fmt.Errorf("%s.%s: %w", stage, id, err)
	}
	g.compiled = compiled
	return g, nil
}

// differs returns the name of the first part that differs in two outputs.
func differs(got, want abi.Output) string {
	switch {
	case !bytes.Equal(got.Bytes, want.Bytes):
		return "the output"
	case !slices.Equal(got.Marks, want.Marks):
		return "the index"
	case !slices.EqualFunc(got.Tree.Sections, want.Tree.Sections, func(a, b abi.Section) bool {
		return a.Start == b.Start && a.End == b.End && a.ID == b.ID && a.Title == b.Title && a.Kind == b.Kind && a.Parent == b.Parent
	}):
		return "the tree"
	}
	return ""
}
