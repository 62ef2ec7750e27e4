// Command languages measures what a stage costs by the language that it is written
// in: two stages in Go, Rust, AssemblyScript and C, each against a function of Go in
// the host that has the same result, in one run. The modules lie in dist; Go alone is
// needed. It fails if a bar is missed.
//
//	go run ./bench/languages
//	make bench-languages
//
// The second writes the figures into the tables of the SDKs' READMEs, in rows that it
// knows by what they begin with. Absolute times depend on the machine; compare ratios.
//
// The functions of Go are written as one would write them: what looks for a heading is
// bytes.Index. The host's search behind buf_find and buf_grep is faster at that, which
// is how a guest can be below 1.
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

	"github.com/mcpctl/mcpctl/abi"
)

// stage is what is written in each language.
type stage struct {
	name, title string
	native      func(text []byte) abi.Output
	bar         float64 // times the native function, in a language without a runtime of its own; 0: none
}

// stages are what is measured, and the function that each is measured against. Its
// result is an Output, as a host without WebAssembly would have it.
var stages = []stage{
	{"heading-split", "heading split of 128 KB", func(text []byte) abi.Output {
		return abi.Output{Bytes: []byte{}, Marks: []abi.Mark{{Section: -1}}, Tree: headingSplit(text)}
	}, 1.25},
	{"upper-case", "upper-case 128 KB", func(text []byte) abi.Output { return abi.Output{Bytes: upperCase(text)} }, 0},
}

// language is one that stages are written in.
type language struct {
	id, name string
	bare     bool // without a runtime of its own
}

var languages = []language{{"c", "C", true}, {"rust", "Rust", true}, {"assemblyscript", "AssemblyScript", false}, {"go", "Go", false}}

func main() {
	dist := flag.String("dist", "bench/languages/dist", "folder with the modules")
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

// bench measures, prints and writes what it found, then says which bars were missed.
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

// measure measures one stage in all languages, and first that each does the same.
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
			return nil, fmt.Errorf("%s in %s: %s is not what the function in Go gives", s.name, l.name, why)
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
	fmt.Fprintf(w, "\n%s: %s in a function of Go; a call of a stage that does nothing: %s\n", s.title, native, idle.call)
	return rows, report(w, rows)
}

// compiles is how often each module is compiled: the quickest of them counts.
const compiles = 3

// open loads a stage in a language.
func open(ctx context.Context, dist, stage, id string, rounds int) (*guest, error) {
	file, err := os.ReadFile(filepath.Join(dist, stage+"."+id+".wasm"))
	if err != nil {
		return nil, err
	}
	g, err := load(ctx, stage, file)
	for i := 1; err == nil && i < min(compiles, rounds); i++ {
		before := g.compiled
		g.close(ctx)
		if g, err = load(ctx, stage, file); err == nil {
			g.compiled = min(g.compiled, before)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s.%s: %w", stage, id, err)
	}
	return g, nil
}

// differs names what is not the same in two outputs.
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
