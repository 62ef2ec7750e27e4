package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm"
)

// guest is a stage in one language. It has its own runtime, so that it is compiled.
type guest struct {
	bytes    int
	compiled micros // from the file to a module that ran once
	call     micros // of a whole call

	runtime *wasm.Runtime
	module  *wasm.Module
	stage   wasm.Guest
}

// micros is a duration that prints in micro- or milliseconds.
type micros time.Duration

func (m micros) String() string {
	if m > micros(time.Millisecond) {
		return fmt.Sprintf("%.1f ms", float64(m)/float64(time.Millisecond))
	}
	return fmt.Sprintf("%.1f us", float64(m)/float64(time.Microsecond))
}

// over returns the ratio to another duration.
func (m micros) over(other micros) float64 { return float64(m) / float64(other) }

func load(ctx context.Context, name string, file []byte, trusted bool) (*guest, error) {
	r, err := wasm.Open(ctx, wasm.Options{})
	if err != nil {
		return nil, err
	}
	start := time.Now()
	m, err := r.Load(ctx, name, file, trusted)
	if err != nil {
		return nil, err
	}
	g := &guest{bytes: len(file), compiled: micros(time.Since(start)), runtime: r, module: m}
	g.stage, err = m.Guest(name)
	return g, err
}

func (g *guest) close(ctx context.Context) {
	g.module.Close()
	g.runtime.Close(ctx)
}

func (g *guest) run(ctx context.Context, text []byte) (abi.Output, error) {
	return g.stage.Run(ctx, abi.Call{Input: text, Original: text, Context: abi.Context{Project: "bench", ContentType: abi.ToolResult, Source: "bench/read"}})
}

// measure runs all guests and the native function in turn, so that other load on the
// machine affects all of them. It sets the time of the guests' calls and returns the
// time of the function.
func measure(ctx context.Context, guests []*guest, text []byte, rounds int, native func()) (micros, error) {
	natives, calls := make([]micros, rounds), make([][]micros, len(guests))
	for round := range rounds {
		start := time.Now()
		native()
		natives[round] = micros(time.Since(start))
		for i, g := range guests {
			start := time.Now()
			if _, err := g.run(ctx, text); err != nil {
				return 0, err
			}
			calls[i] = append(calls[i], micros(time.Since(start)))
		}
	}
	for i, g := range guests {
		g.call = quiet(calls[i])
	}
	return quiet(natives), nil
}

// quiet returns the first decile, which approximates the time on an idle machine.
func quiet(list []micros) micros {
	slices.Sort(list)
	return list[len(list)/10]
}
