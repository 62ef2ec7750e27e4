// Command guard measures what the counters of package fuel cost: it runs real stages of four
// languages as modules that are not trusted, which have counters, and as trusted modules,
// which have none, in turn and in one process. It fails if a bar is missed.
//
//	go run ./bench/guard
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm"
)

// stage is a role of a module.
type stage struct {
	file, role string
	input      string // a file; empty: headings and text
}

const dist = "bench/languages/dist/"

var stages = []stage{
	{dist + "heading-split.c.wasm", "heading-split", ""}, {dist + "upper-case.c.wasm", "upper-case", ""},
	{dist + "heading-split.rust.wasm", "heading-split", ""}, {dist + "upper-case.rust.wasm", "upper-case", ""},
	{dist + "heading-split.assemblyscript.wasm", "heading-split", ""}, {dist + "upper-case.assemblyscript.wasm", "upper-case", ""},
	{dist + "heading-split.go.wasm", "heading-split", ""}, {dist + "upper-case.go.wasm", "upper-case", ""},
	{"examples/dist/lead-rust.wasm", "lead", ""}, {"examples/dist/lead-assemblyscript.wasm", "lead", ""},
	{"plugins/dist/builtin.wasm", "section-split", ""}, {"plugins/dist/builtin.wasm", "compress", "docs/cli.md"},
	{"plugins/dist/builtin.wasm", "paginate", ""},
}

// Bars on the ratio of a module that is not trusted to the same module trusted.
const (
	maxMean  = 1.25 // geometric mean of all stages, 128 KB
	maxWorst = 1.8
	maxShort = 1.3 // geometric mean, 1 KB
)

func main() {
	if err := run(context.Background(), os.Stdout, 20); err != nil {
		fmt.Fprintln(os.Stderr, "guard:", err)
		os.Exit(1)
	}
}

// pair is a stage with and without counters.
type pair struct{ trusted, local wasm.Guest }

func run(ctx context.Context, w io.Writer, rounds int) error {
	r, err := wasm.Open(ctx, wasm.Options{})
	if err != nil {
		return err
	}
	defer r.Close(ctx)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "128 KB\tcounters\t1 KB\tcounters\tfuel\t")
	var long, short ratios
	for _, s := range stages {
		p, err := s.load(ctx, r)
		if err != nil {
			return fmt.Errorf("%s: %w", s.file, err)
		}
		text, err := s.text()
		if err != nil {
			return err
		}
		plain, guarded, fuel, err := p.measure(ctx, text, rounds)
		if err != nil {
			return fmt.Errorf("%s: %w", s.file, err)
		}
		long = append(long, float64(guarded)/float64(plain))
		plainShort, guardedShort, _, err := p.measure(ctx, text[:min(len(text), 1<<10)], 2*rounds)
		if err != nil {
			return fmt.Errorf("%s: %w", s.file, err)
		}
		short = append(short, float64(guardedShort)/float64(plainShort))
		fmt.Fprintf(table, "%v\t%.2fx\t%v\t%.2fx\t%d\t  %s %s\n", plain, long[len(long)-1], plainShort, short[len(short)-1], fuel, s.file, s.role)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "geometric mean %.2fx (bar %.2f), worst %.2fx (bar %.2f); 1 KB %.2fx (bar %.2f), worst %.2fx\n",
		long.mean(), maxMean, slices.Max(long), maxWorst, short.mean(), maxShort, slices.Max(short))
	if long.mean() > maxMean || slices.Max(long) > maxWorst || short.mean() > maxShort {
		return fmt.Errorf("bar missed")
	}
	return nil
}

type ratios []float64

// mean returns the geometric mean.
func (r ratios) mean() float64 {
	sum := 0.0
	for _, v := range r {
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(r)))
}

// text returns 128 KB of input, or the file of the stage.
func (s stage) text() ([]byte, error) {
	if s.input != "" {
		return os.ReadFile(s.input)
	}
	const part = "# A heading\n\nSome words of a paragraph with a number, 12345, and \"quotes\".\n\n- a list\n- of items\n\n"
	return bytes.Repeat([]byte(part), 128<<10/len(part)), nil
}

// load loads the module of the stage twice.
func (s stage) load(ctx context.Context, r *wasm.Runtime) (p pair, err error) {
	file, err := os.ReadFile(s.file)
	if err != nil {
		return p, err
	}
	for _, trusted := range []bool{true, false} {
		m, err := r.Load(ctx, s.role, file, trusted)
		if err != nil {
			return p, err
		}
		g, err := m.Guest(s.role)
		if err != nil {
			return p, err
		}
		if trusted {
			p.trusted = g
		} else {
			p.local = g
		}
	}
	return p, nil
}

// block is the number of calls of one guest before the other one is called. A guest is
// cleaned after its call, which must not overlap with calls of the other one.
const block = 10

// measure runs both guests in turn, back to back, and returns the first decile of their
// times, which approximates an idle machine, and the fuel of a run. It fails if their
// results differ, or if the fuel differs between runs.
func (p pair) measure(ctx context.Context, text []byte, rounds int) (plain, guarded time.Duration, fuel int64, err error) {
	call := abi.Call{Input: text, Original: text, Context: abi.Context{Project: "bench", ContentType: abi.ToolResult, Source: "bench/read"}}
	var times [2][]time.Duration
	for range rounds {
		var outs [2]abi.Output
		for i, g := range []wasm.Guest{p.trusted, p.local} {
			for n := range block {
				start := time.Now()
				if outs[i], err = g.Run(ctx, call); err != nil {
					return 0, 0, 0, err
				}
				if n > 0 {
					times[i] = append(times[i], time.Since(start))
				}
			}
			time.Sleep(time.Millisecond)
		}
		if !bytes.Equal(outs[0].Bytes, outs[1].Bytes) || len(outs[0].Tree.Sections) != len(outs[1].Tree.Sections) {
			return 0, 0, 0, fmt.Errorf("the results differ")
		}
		if used := outs[1].Stats.Fuel; fuel != 0 && used != fuel {
			return 0, 0, 0, fmt.Errorf("the same input used %d and %d of fuel", fuel, used)
		}
		fuel = outs[1].Stats.Fuel
	}
	for _, t := range times {
		slices.Sort(t)
	}
	return times[0][len(times[0])/10], times[1][len(times[1])/10], fuel, nil
}
