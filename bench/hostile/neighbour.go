package main

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/host/wasm"
	"github.com/mcpctl/mcpctl/host/wasm/hostile"
	"github.com/mcpctl/mcpctl/plugins"
)

// neighbour is a stage of other sessions.
type neighbour struct {
	name  string
	stage wasm.Guest
}

// neighbours are a built-in stage and one that is not trusted.
type neighbours []neighbour

func openNeighbours(ctx context.Context, r *wasm.Runtime) (list neighbours, err error) {
	local, err := os.ReadFile("bench/languages/dist/heading-split.rust.wasm")
	if err != nil {
		return nil, err
	}
	for _, s := range []struct {
		name, role string
		file       []byte
		trusted    bool
	}{{"built-in stage", "section-split", plugins.Builtin, true}, {"local stage", "heading-split", local, false}} {
		m, err := r.Load(ctx, s.role, s.file, s.trusted)
		if err != nil {
			return nil, err
		}
		g, err := m.Guest(s.role)
		if err != nil {
			return nil, err
		}
		list = append(list, neighbour{s.name, g})
	}
	return list, nil
}

// measured is a list of times.
type measured []time.Duration

// at returns a percentile of a sorted list.
func (m measured) at(percent int) time.Duration {
	if len(m) == 0 {
		return 0
	}
	return m[min(len(m)*percent/100, len(m)-1)].Round(time.Microsecond)
}

// measure calls all stages, each in a session of its own, until do returns.
func (list neighbours) measure(ctx context.Context, do func()) []measured {
	var done atomic.Bool
	var sessions sync.WaitGroup
	all := make([]measured, len(list))
	for i, n := range list {
		sessions.Go(func() {
			for !done.Load() {
				all[i] = append(all[i], n.call(ctx))
				time.Sleep(5 * time.Millisecond)
			}
			slices.Sort(all[i])
		})
	}
	do()
	done.Store(true)
	sessions.Wait()
	return all
}

func (n *neighbour) call(ctx context.Context) time.Duration {
	start := time.Now()
	if _, err := n.stage.Run(ctx, callOn([]byte(strings.Repeat("# A heading\n\nSome words.\n\n", 400)))); err != nil {
		panic(err) // neither stage ever fails
	}
	return time.Since(start)
}

func openBusy(ctx context.Context, r *wasm.Runtime) (*neighbour, error) {
	h := hostile.Busy()
	m, err := r.Load(ctx, h.Role, h.File, false)
	if err != nil {
		return nil, err
	}
	g, err := m.Guest(h.Role)
	return &neighbour{h.Name, g}, err
}

// crowd calls the stage from a number of sessions for a time. Calls that wait too long are
// given up.
func (n *neighbour) crowd(ctx context.Context, sessions int, d time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	var all sync.WaitGroup
	for range sessions {
		all.Go(func() {
			for ctx.Err() == nil {
				_, _ = n.stage.Run(ctx, callOn([]byte("text"))) // may end with the time
			}
		})
	}
	all.Wait()
}
