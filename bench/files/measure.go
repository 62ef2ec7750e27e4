package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm"
)

const stage = "section-split"

// guest is the stage of one module.
type guest struct{ wasm.Guest }

func newGuest(ctx context.Context, module []byte) (guest, error) {
	r, err := wasm.Open(ctx, wasm.Options{Limits: wasm.Limits{Time: time.Minute}}) // for a busy machine
	if err != nil {
		return guest{}, err
	}
	m, err := r.Load(ctx, stage, module, true)
	if err != nil {
		return guest{}, err
	}
	g, err := m.Guest(stage)
	return guest{g}, err
}

// run runs the stage once. It returns the time in the guest and the type of the text.
func (g guest) run(ctx context.Context, text []byte, hint string) (time.Duration, string, error) {
	out, err := g.Run(ctx, abi.Call{Role: stage, Config: []byte("{}"), Input: text, Original: text,
		Context: abi.Context{ContentType: abi.ToolResult, Source: "bench/read", Hint: hint, Stage: abi.StagePos{Count: 1}}})
	return out.Stats.Guest, out.Meta["type"], err
}

// row holds the measurements of one file, with or without its name as a hint.
type row struct {
	file
	hint   string
	kind   string            // type that the stage found
	guests [][]time.Duration // of each run, by module
	native []time.Duration   // of json.Valid, per MB, for each run
}

// measure runs the files in passes over all of them, so that another user of the machine
// affects some runs of many rows, and not all runs of one.
func measure(ctx context.Context, guests []guest, files []file, rounds int) ([]row, error) {
	const perPass = 3
	rows := []row{{file: file{"a text that is passed", []byte("short")}}}
	for _, f := range files {
		rows = append(rows, row{file: f, hint: f.name}, row{file: f})
	}
	for i := range rows {
		rows[i].guests = make([][]time.Duration, len(guests))
	}
	reference := []byte(records(256 << 10))
	for done := 0; done < rounds; done += perPass {
		for i := range rows {
			if err := rows[i].run(ctx, guests, reference, min(perPass, rounds-done)); err != nil {
				return nil, fmt.Errorf("%s: %w", rows[i].name, err)
			}
		}
	}
	return rows, nil
}

// run runs the guests in turn n times, and json.Valid as often. Short runs are repeated,
// because a single disturbance could cover all of them.
func (r *row) run(ctx context.Context, guests []guest, reference []byte, n int) error {
	for range n * min(1+100_000/len(r.text), 8) {
		for i, g := range guests {
			took, kind, err := g.run(ctx, r.text, r.hint)
			if err != nil {
				return err
			}
			r.guests[i] = append(r.guests[i], took)
			if i == 0 {
				r.kind = kind
			}
		}
	}
	for range n {
		start := time.Now()
		json.Valid(reference)
		r.native = append(r.native, time.Since(start)*1e6/time.Duration(len(reference)))
	}
	return nil
}

// records returns at least n bytes of JSON, always the same.
func records(n int) string {
	rnd := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for b.Len() < n {
		fmt.Fprintf(&b, `,{"id":"%07x","type":"inject","name":"node %d","x":%d,"wires":[["%x"]],"props":{"payload":"","topic":"home/sensor/%d","once":true}}`,
			rnd.Uint32()>>4, b.Len(), rnd.IntN(1000), rnd.Uint32(), rnd.IntN(50))
	}
	return "[" + b.String()[1:] + "]"
}

// referenceTime is the time of json.Valid for a megabyte on the machine on which the
// goals were set: it reads 470 MB/s there.
const referenceTime = time.Second / 470

// slowdown returns the time of json.Valid relative to that machine: the median over the
// rows of the shortest run. The shortest run of all could be an outlier.
func slowdown(rows []row) float64 {
	var shortest []time.Duration
	for i := range rows {
		shortest = append(shortest, slices.Min(rows[i].native))
	}
	return median(shortest).Seconds() / referenceTime.Seconds()
}

// perMB converts a time to milliseconds per megabyte of the row's text.
func (r *row) perMB(t time.Duration) float64 {
	return t.Seconds() * 1e9 / float64(len(r.text))
}

// goal returns the limit for the type on the reference machine, in milliseconds per MB.
func (r *row) goal() float64 {
	switch {
	case strings.HasPrefix(r.kind, "json"), r.kind == "ndjson":
		return 15
	case r.kind == "yaml":
		return 60
	}
	return 30
}

// median returns the median of times.
func median(list []time.Duration) time.Duration {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}
