package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/bench/internal/rig"
	"github.com/mcpctl/mcpctl/host/wasm"
)

// killWorkers calls three modules from eight goroutines while their processes are killed.
func killWorkers(ctx context.Context, kills int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "crash")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	r, err := wasm.Open(ctx, wasm.Options{CacheDir: dir, Compiler: []string{self, "compile"}, Worker: []string{self, "worker"}})
	if err != nil {
		return err
	}
	before := usage()
	var stages []wasm.Guest
	for _, language := range []string{"rust", "c", "go"} {
		file, err := os.ReadFile("bench/languages/dist/upper-case." + language + ".wasm")
		if err != nil {
			return err
		}
		m, err := r.Load(ctx, "upper-case", file, false)
		if err != nil {
			return err
		}
		g, err := m.Guest("upper-case")
		if err != nil {
			return err
		}
		stages = append(stages, g)
	}
	var answered, interrupted, wrong atomic.Int64
	var over atomic.Bool
	var callers sync.WaitGroup
	var problem atomic.Value
	for n := range 8 {
		callers.Go(func() {
			text := bytes.Repeat(fmt.Appendf(nil, "some words of caller %d\n", n), 1+2000*(n%3))
			for i := n; !over.Load(); i++ {
				out, err := stages[i%len(stages)].Run(ctx, abi.Call{Input: text, Original: text})
				switch {
				case errors.Is(err, abi.ErrGuest), errors.Is(err, abi.ErrUnavailable):
					interrupted.Add(1)
				case err != nil || !bytes.Equal(out.Bytes, bytes.ToUpper(text)):
					wrong.Add(1)
					problem.Store(fmt.Sprintf("%v, %d bytes", err, len(out.Bytes)))
				default:
					answered.Add(1)
				}
			}
		})
	}
	for killed := 0; killed < kills; {
		time.Sleep(time.Duration(rand.IntN(60)) * time.Millisecond)
		if pids := rig.Children(); len(pids) > 0 && syscall.Kill(pids[rand.IntN(len(pids))], syscall.SIGKILL) == nil {
			killed++
		}
	}
	over.Store(true)
	waited := make(chan struct{})
	go func() { defer close(waited); callers.Wait() }()
	select {
	case <-waited:
	case <-time.After(time.Minute):
		return errors.New("a call has no answer a minute after the last kill")
	}
	if err := r.Close(ctx); err != nil {
		return err
	}
	after := settledUsage(before)
	fmt.Printf("processes of modules killed %d times: %d calls answered, %d failed with the reason, %d wrong or without a reason\n", kills, answered.Load(), interrupted.Load(), wrong.Load())
	fmt.Printf("goroutines %d before and %d after, files %d and %d, processes %d and %d\n", before.goroutines, after.goroutines, before.files, after.files, before.processes, after.processes)
	switch {
	case wrong.Load() > 0:
		return fmt.Errorf("wrong answer: %v", problem.Load())
	case after.goroutines > before.goroutines || after.files > before.files || after.processes > before.processes:
		return errors.New("something was left")
	}
	return nil
}

// used contains numbers that grow if something is not released.
type used struct{ goroutines, files, processes int }

func usage() used {
	files, _ := os.ReadDir("/proc/self/fd")
	return used{runtime.NumGoroutine(), len(files), len(rig.Children())}
}

// settledUsage waits until nothing is left, for a limited time.
func settledUsage(before used) (u used) {
	for range 50 {
		if u = usage(); u.goroutines <= before.goroutines && u.files <= before.files && u.processes <= before.processes {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	return u
}
