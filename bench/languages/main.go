// Command languages measures what a stage costs by the language that it is written
// in: two stages in Go, Rust, AssemblyScript and C, each against a function of Go in
// the host that has the same result, in one run. The modules lie in dist; Go alone is
// needed.
//
//	go run ./bench/languages
//
// Absolute times depend on the machine; compare ratios.
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
	"text/tabwriter"

	"github.com/mcpctl/mcpctl/abi"
)

// stages are what is measured, and the function that each is measured against. Its
// result is an Output, as a host without WebAssembly would have it.
var stages = []struct {
	name, title string
	native      func(text []byte) abi.Output
	bar         float64 // times the native function, in a language without a runtime of its own; 0: none
}{
	{"heading-split", "heading split of 128 KB", func(text []byte) abi.Output {
		return abi.Output{Bytes: []byte{}, Marks: []abi.Mark{{Section: -1}}, Tree: headingSplit(text)}
	}, 1.25},
	{"upper-case", "upper-case 128 KB", func(text []byte) abi.Output { return abi.Output{Bytes: upperCase(text)} }, 0},
}

var languages = []struct{ id, name string }{{"c", "C"}, {"rust", "Rust"}, {"assemblyscript", "AssemblyScript"}, {"go", "Go"}}

func main() {
	dist := flag.String("dist", "bench/languages/dist", "folder with the modules")
	rounds := flag.Int("rounds", 400, "calls of each stage in each language")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *dist, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "languages:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, dist string, rounds int) error {
	idle, err := open(ctx, dist, "nothing", "c", "C")
	if err != nil {
		return err
	}
	defer idle.close(ctx)
	text := document()
	for _, s := range stages {
		guests := []*guest{idle}
		for _, l := range languages {
			g, err := open(ctx, dist, s.name, l.id, l.name)
			if os.IsNotExist(err) {
				continue // not written in this language yet
			}
			if err != nil {
				return err
			}
			defer g.close(ctx)
			guests = append(guests, g)
			out, err := g.run(ctx, text)
			if err != nil {
				return fmt.Errorf("%s in %s: %w", s.name, l.name, err)
			}
			if why := differs(out, s.native(text)); why != "" {
				return fmt.Errorf("%s in %s: %s is not what the function in Go gives", s.name, l.name, why)
			}
		}
		native, err := measure(ctx, guests, text, rounds, func() { s.native(text) })
		if err != nil {
			return err
		}
		report(w, s.title, s.bar, native, idle.call, guests[1:])
	}
	return nil
}

// open loads a stage in a language.
func open(ctx context.Context, dist, stage, id, language string) (*guest, error) {
	file, err := os.ReadFile(filepath.Join(dist, stage+"."+id+".wasm"))
	if err != nil {
		return nil, err
	}
	g, err := load(ctx, stage, file)
	if err != nil {
		return nil, fmt.Errorf("%s in %s: %w", stage, language, err)
	}
	g.language = language
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

// report prints the table of one stage. What a call costs before a stage has begun, the
// same in each language, is not the stage's: "to native" is without it.
func report(w io.Writer, title string, bar float64, native, idle micros, guests []*guest) {
	fmt.Fprintf(w, "\n%s: %s in a function of Go; a call of a stage that does nothing: %s\n", title, native, idle)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\tmodule\tfirst compile\tper call\tto native\t")
	for _, g := range guests {
		ratio := (g.call - idle).over(native)
		verdict := ""
		if bar > 0 && (g.language == "C" || g.language == "Rust") {
			verdict = fmt.Sprintf("  bar %.2fx %s", bar, map[bool]string{true: "ok", false: "MISSED"}[ratio <= bar])
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%.2fx\t%s\n", g.language, size(g.bytes), g.compiled, g.call, ratio, verdict)
	}
	table.Flush()
}

// size is a number of bytes for people.
func size(n int) string {
	if n < 100_000 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.2f MB", float64(n)/1e6)
}
