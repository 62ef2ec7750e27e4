// Command hostile runs modules that try to stop, slow down or exhaust the host, with one
// runtime and in random order, while other sessions call a built-in and a local stage. It
// fails if a module runs too long after its limit, if no goroutine can run for a second, or
// if memory exceeds its bars.
//
//	go run ./bench/hostile [-inprocess]
//
// Times depend on the machine, so the bars are far above those of a quiet one.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/hosttest"
	"github.com/mcpctl/mcpctl/host/wasm"
	"github.com/mcpctl/mcpctl/host/wasm/hostile"
)

// Bars.
const (
	maxLate   = 250 * time.Millisecond // after the limit on time
	maxStill  = time.Second            // in which no goroutine ran
	maxMemory = 1 << 30                // resident
	maxKept   = 1.5                    // memory at the end to the start
)

func main() {
	switch { // the processes of the runtime
	case len(os.Args) == 4 && os.Args[1] == "compile":
		os.Exit(wasm.CompileInto(context.Background(), os.Args[2], os.Args[3], os.Stdin, os.Stdout))
	case len(os.Args) == 2 && os.Args[1] == "worker":
		_ = wasm.ServeGuests(context.Background(), os.Stdin, os.Stdout)
		return
	}
	limit := flag.Duration("limit", 300*time.Millisecond, "limits.time of a call")
	seed := flag.Uint64("seed", uint64(time.Now().UnixNano()), "order of the modules")
	only := flag.String("only", "", "run modules whose name contains this text")
	inProcess := flag.Bool("inprocess", false, "run all modules in one process")
	rounds := flag.Int("rounds", 1, "how often each module runs")
	verbose := flag.Bool("v", false, "print each module")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *limit, *seed, *only, *rounds, *inProcess, *verbose); err != nil {
		fmt.Fprintln(os.Stderr, "hostile:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, limit time.Duration, seed uint64, only string, rounds int, inProcess, verbose bool) error {
	// Compiled code is kept on disk, so that a module whose attack runs when it is loaded is
	// compiled before it is measured.
	dir, err := os.MkdirTemp("", "hostile")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	options := wasm.Options{CacheDir: dir, Limits: wasm.Limits{Time: limit}}
	if !inProcess {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		options.Compiler, options.Worker = []string{self, "compile"}, []string{self, "worker"}
	}
	r, err := wasm.Open(ctx, options)
	if err != nil {
		return err
	}
	defer r.Close(ctx)
	neighbours, err := openNeighbours(ctx, r)
	if err != nil {
		return err
	}
	modules := slices.DeleteFunc(hostile.Modules(), func(m hostile.Module) bool { return !strings.Contains(m.Name, only) })
	modules = slices.Repeat(modules, rounds)
	fmt.Fprintf(w, "%d runs of modules, seed %d, limit %v\n", len(modules), seed, limit)
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(modules), func(i, j int) { modules[i], modules[j] = modules[j], modules[i] })

	before := settledMemory()
	m := startMonitor()
	alone := neighbours.measure(ctx, func() { time.Sleep(8 * time.Second) })
	var late, excess measured
	var problems []string
	attackAll := func() {
		for _, module := range modules {
			m.reset()
			took, used, err := attack(ctx, r, module)
			still, peak := m.figures()
			over := took - limit
			var why []string
			if module.Endless && !errors.Is(err, abi.ErrLimit) && !errors.Is(err, abi.ErrGuest) {
				why = append(why, fmt.Sprintf("ended with %v", err))
			}
			if errors.Is(err, abi.ErrLimit) {
				late = append(late, over)
				if used > 0 {
					excess = append(excess, max(used-limit, 0))
				}
			}
			if over > maxLate {
				why = append(why, fmt.Sprintf("%v after its limit", over))
			}
			if still > maxStill {
				why = append(why, fmt.Sprintf("the process stood still for %v", still))
			}
			if peak > maxMemory {
				why = append(why, fmt.Sprintf("%d MB of memory", peak>>20))
			}
			if verbose {
				fmt.Fprintf(w, "%-32s %8v  still %8v  %4d MB  %v\n", module.Name, took.Round(time.Millisecond), still.Round(time.Millisecond), peak>>20, err)
			}
			if len(why) > 0 {
				problems = append(problems, module.Name+": "+strings.Join(why, ", "))
			}
		}
	}
	during := neighbours.measure(ctx, attackAll)
	busy, err := openBusy(ctx, r)
	if err != nil {
		return err
	}
	crowded := neighbours.measure(ctx, func() { busy.crowd(ctx, 16, 10*time.Second) })
	worst := m.stop()
	if peak := m.children.Load(); peak > maxMemory {
		problems = append(problems, fmt.Sprintf("the processes of modules have %d MB of memory", peak>>20))
	}
	kept := float64(settledMemory()) / float64(before)
	slices.Sort(late)
	slices.Sort(excess)
	fmt.Fprintf(w, "ended by a limit: %d, later than it on a shared processor: p50 %v, p99 %v, worst %v\n", len(late), late.at(50), late.at(99), late.at(100))
	fmt.Fprintf(w, "processor time used beyond the limit: %d calls, p50 %v, p99 %v, worst %v\n", len(excess), excess.at(50), excess.at(99), excess.at(100))
	fmt.Fprintf(w, "process stood still for %v at most, memory %d MB at most (processes of modules together %d MB), at the end %.2f times the start (%d MB)\n", worst.still, worst.memory>>20, m.children.Load()>>20, kept, before>>20)
	for _, row := range []struct {
		what  string
		times []measured
	}{{"while modules attack", during}, {"while 16 sessions call a stage that takes 0.3 s", crowded}} {
		for i, n := range neighbours {
			was, is := alone[i], row.times[i]
			fmt.Fprintf(w, "%s %s: p50 %v, p99 %v; alone %v, %v: %.1fx\n", n.name, row.what, is.at(50), is.at(99), was.at(50), was.at(99), float64(is.at(99))/float64(was.at(99)))
		}
	}
	if kept > maxKept {
		problems = append(problems, fmt.Sprintf("memory at the end is %.2f times that of the start", kept))
	}
	if len(problems) > 0 {
		return fmt.Errorf("%d of %d modules:\n%s", len(problems), len(modules), strings.Join(problems, "\n"))
	}
	return nil
}

// attack loads and runs a module. It returns the time of the part that attacks, and the
// processor time that the guest has used as far as the call reports it.
func attack(ctx context.Context, r *wasm.Runtime, h hostile.Module) (took, used time.Duration, err error) {
	m, err := r.Load(ctx, h.Role, h.File, false)
	if m != nil {
		defer m.Close()
	}
	if h.OnLoad {
		start := time.Now()
		again, err := r.Load(ctx, h.Role, h.File, false)
		if again != nil {
			again.Close()
		}
		return time.Since(start), 0, err
	}
	if err != nil {
		return 0, 0, err
	}
	if h.Hook != "" {
		c, err := m.Controller(h.Role)
		if err != nil {
			return 0, 0, err
		}
		start := time.Now()
		call := abi.HookCall{Host: &hosttest.Session{Role: h.Role}, Input: []byte("{}"), Config: []byte("{}")}
		call.Context.Hook = h.Hook
		out, err := c.Hook(ctx, call)
		return time.Since(start), out.Stats.Guest, err
	}
	g, err := m.Guest(h.Role)
	if err != nil {
		return 0, 0, err
	}
	start := time.Now()
	out, err := g.Run(ctx, callOn([]byte("some text")))
	return time.Since(start), out.Stats.Guest, err
}

func callOn(text []byte) abi.Call {
	return abi.Call{Input: text, Original: text, Context: abi.Context{Project: "bench", ContentType: abi.ToolResult, Source: "bench/read"}}
}

// monitor measures how long no goroutine could run, and memory. It collects garbage all the
// time, which needs all guests to come to a stop.
type monitor struct {
	still, worstStill   atomic.Int64
	memory, worstMemory atomic.Int64
	children            atomic.Int64 // memory of the processes of modules together
	done                chan struct{}
}

func startMonitor() *monitor {
	m := &monitor{done: make(chan struct{})}
	go func() {
		const tick = 2 * time.Millisecond
		for last := time.Now(); ; {
			select {
			case <-m.done:
				return
			case <-time.After(tick):
			}
			raise(&m.still, int64(time.Since(last)-tick))
			last = time.Now()
			raise(&m.memory, residentMemory())
		}
	}()
	go func() {
		for {
			select {
			case <-m.done:
				return
			case <-time.After(50 * time.Millisecond):
				runtime.GC()
				raise(&m.children, residentChildren())
			}
		}
	}()
	return m
}

func raise(v *atomic.Int64, to int64) {
	if to > v.Load() {
		v.Store(to)
	}
}

func (m *monitor) reset() {
	m.figures()
	m.still.Store(0)
	m.memory.Store(0)
}

func (m *monitor) figures() (still time.Duration, memory int64) {
	raise(&m.worstStill, m.still.Load())
	raise(&m.worstMemory, m.memory.Load())
	return time.Duration(m.still.Load()), m.memory.Load()
}

type worst struct {
	still  time.Duration
	memory int64
}

func (m *monitor) stop() worst {
	close(m.done)
	m.figures()
	return worst{time.Duration(m.worstStill.Load()), m.worstMemory.Load()}
}
