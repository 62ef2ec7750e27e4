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
	r, err := wasm.Open(ctx, wasm.Options{Limits: wasm.Limits{Time: time.Minute}}) // a busy machine takes its time
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

// split runs the stage once. It gives the time in the guest and what type the text has.
func (g guest) split(ctx context.Context, text []byte, hint string) (time.Duration, string, error) {
	out, err := g.Run(ctx, abi.Call{Role: stage, Config: []byte("{}"), Input: text, Original: text,
		Context: abi.Context{ContentType: abi.ToolResult, Source: "bench/read", Hint: hint, Stage: abi.StagePos{Count: 1}}})
	return out.Stats.Guest, out.Meta["type"], err
}

// row is what was measured of one file, with its name as a hint or without.
type row struct {
	file
	hint   string
	kind   string            // type that the stage found
	guests [][]time.Duration // of each run, by module
	native []time.Duration   // of json.Valid, of each run
}

// measure runs the files in passes over all of them, so that whoever else uses the
// machine for some seconds meets a part of the runs of many rows, and not all of one.
func measure(ctx context.Context, guests []guest, files []file, rounds int) ([]row, error) {
	const perPass = 3
	rows := []row{{file: file{"a text that is passed", []byte("short")}}}
	for _, f := range files {
		rows = append(rows, row{file: f, hint: f.name}, row{file: f})
	}
	for i := range rows {
		rows[i].guests = make([][]time.Duration, len(guests))
	}
	yardstick := []byte(records(256 << 10))
	for done := 0; done < rounds; done += perPass {
		for i := range rows {
			if err := rows[i].run(ctx, guests, yardstick, min(perPass, rounds-done)); err != nil {
				return nil, fmt.Errorf("%s: %w", rows[i].name, err)
			}
		}
	}
	return rows, nil
}

// run runs the guests by turns, n times, and as often the yardstick. What is over in a
// moment runs more often: one moment of somebody else's work would be all of it.
func (r *row) run(ctx context.Context, guests []guest, yardstick []byte, n int) error {
	for range n * min(1+100_000/len(r.text), 8) {
		for i, g := range guests {
			took, kind, err := g.split(ctx, r.text, r.hint)
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
		json.Valid(yardstick)
		r.native = append(r.native, time.Since(start)*1e6/time.Duration(len(yardstick)))
	}
	return nil
}

// records are n bytes or a little more of JSON, the same each time.
func records(n int) string {
	rnd := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for b.Len() < n {
		fmt.Fprintf(&b, `,{"id":"%07x","type":"inject","name":"node %d","x":%d,"wires":[["%x"]],"props":{"payload":"","topic":"home/sensor/%d","once":true}}`,
			rnd.Uint32()>>4, b.Len(), rnd.IntN(1000), rnd.Uint32(), rnd.IntN(50))
	}
	return "[" + b.String()[1:] + "]"
}

// reference is how long json.Valid takes for a megabyte on the machine that the goals
// were set on: it reads 470 MB/s there.
const reference = time.Second / 470

// slower is how many times as long as there it takes here: the least of a row's runs,
// as of the guests, for a row in the middle. The least of all is a moment's luck.
func slower(rows []row) float64 {
	var least []time.Duration
	for i := range rows {
		least = append(least, slices.Min(rows[i].native))
	}
	return median(least).Seconds() / reference.Seconds()
}

// perMB is a time as milliseconds a megabyte of the row's text.
func (r *row) perMB(t time.Duration) float64 {
	return t.Seconds() * 1e9 / float64(len(r.text))
}

// goal is what a megabyte of the type may cost there, in milliseconds.
func (r *row) goal() float64 {
	switch {
	case strings.HasPrefix(r.kind, "json"), r.kind == "ndjson":
		return 15
	case r.kind == "yaml":
		return 60
	}
	return 30
}

// median of times.
func median(list []time.Duration) time.Duration {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}
