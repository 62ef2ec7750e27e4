package wasm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/binary"
)

// TestWorkerProcess is not a test: it is the process of the tests below.
func TestWorkerProcess(t *testing.T) {
	if len(os.Args) != 3 || os.Args[2] != "worker" {
		t.Skip("no arguments")
	}
	_ = ServeGuests(t.Context(), os.Stdin, os.Stdout)
	os.Exit(0)
}

// isolate makes a runtime run modules that are not trusted in processes of their own.
func isolate(t testing.TB, o *Options) {
	if o.CacheDir == "" {
		o.CacheDir = t.TempDir()
	}
	o.Compiler = []string{os.Args[0], "-test.run=^TestCompilerProcess$"}
	o.Worker = []string{os.Args[0], "-test.run=^TestWorkerProcess$", "worker"}
}

// inProcesses are the tests of this package that pass wherever guests run.
const inProcesses = `^Test(Golden.*|Foreign(Guests|Cache|Sections|Config|Log|Roles|Pass|OutputLimit)|Hook(sDoneAndPass|Failures)|HostileControllers|BadSessionPointers|PromptBodyWithOneSlot|` +
	`KnownPromptBody|Session(Imports|Limits|IsDenied)|FunctionsOfHooks|RewriteTakesEffectWithPass|ErrorCodes|Cache(ValueLimit|MayBeMissing|Namespace)|SectionLimits|SectionKinds|Marks|` +
	`TreeOfEarlierStage|InputThatIsNotOriginal|BuffersOfCall|ArgumentsOfCall|DoneAndPass|CallLimits|LoopInStartIsStopped|EndlessCallsAreStopped|GuestWaitsForSlot|CloseEndsRuns|ClosedModule|EachRunIsClean)$`

// TestInProcesses runs other tests with modules in processes of their own.
func TestInProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("runs other tests again")
	}
	cmd := exec.Command(os.Args[0], "-test.run="+inProcesses, "-test.timeout=200s")
	cmd.Env = append(os.Environ(), "MCPCTL_TEST_PROCESSES=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// A module that was started once is not scanned, compiled or started again until it is
// called.
func TestKnownModule(t *testing.T) {
	b := newBench(t, func(o *Options) { isolate(t, o) })
	file := (&script{noResult: true}).returns(abi.ReturnPass).wasm()
	m, err := b.Load(t.Context(), "head", file, false)
	if err != nil {
		t.Fatal(err)
	}
	m.remote.endIdle()
	b.opts.Compiler, b.opts.Worker = []string{"/nonexistent"}, []string{"/nonexistent"}
	again, err := b.Load(t.Context(), "head", file, false)
	if err != nil {
		t.Fatal(err)
	}
	if again.Manifest().Name != m.Manifest().Name || again.Hash() != m.Hash() {
		t.Errorf("got %+v, want %+v", again.Info(), m.Info())
	}
	if _, err := b.Load(t.Context(), "other", file, false); !errors.Is(err, abi.ErrUnavailable) {
		t.Errorf("under another name: %v", err) // its default manifest differs
	}
	isolate(t, &b.opts)
	g, err := again.Guest("head")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := g.Run(t.Context(), content("x")); err != nil || !out.Pass {
		t.Errorf("%+v, %v", out, err)
	}
}

// Code that was deleted or damaged in the cache is prepared again.
func TestDamagedCode(t *testing.T) {
	file := (&script{noResult: true}).returns(abi.ReturnPass).wasm()
	b := newBench(t, func(o *Options) {
		isolate(t, o)
		o.Reread = func(string) ([]byte, error) { return file, nil }
	})
	m, err := b.Load(t.Context(), "head", file, false)
	if err != nil {
		t.Fatal(err)
	}
	g, err := m.Guest("head")
	if err != nil {
		t.Fatal(err)
	}
	path := m.prepared.codePath()
	for what, damage := range map[string]func() error{
		"deleted":      func() error { return os.Remove(path) },
		"damaged":      func() error { return os.WriteFile(path, []byte("damaged"), 0o600) },
		"all deleted":  func() error { return os.RemoveAll(b.opts.CacheDir) },
		"code deleted": func() error { return emptyCodeCache(b.opts.CacheDir) },
	} {
		m.remote.endIdle()
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		if out, err := g.Run(t.Context(), content("x")); err != nil || !out.Pass {
			t.Errorf("%s: %+v, %v", what, out, err)
		}
	}
	m.remote.endIdle()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Load(t.Context(), "head", file, false); err != nil {
		t.Errorf("loaded again: %v", err)
	}
	m.remote.endIdle()
	b.opts.Reread = nil
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Run(t.Context(), content("x")); !errors.Is(err, abi.ErrUnavailable) || !strings.HasSuffix(err.Error(), "to prepare it again: mcpctl reload") {
		t.Errorf("without the file: %v", err)
	}
}

// A full disk is not a fault of the module.
func TestCacheCannotBeWritten(t *testing.T) {
	b := newBench(t, func(o *Options) { isolate(t, o) })
	if err := os.RemoveAll(b.opts.CacheDir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(b.opts.CacheDir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Load(t.Context(), "head", (&script{noResult: true}).returns(abi.ReturnPass).wasm(), false); !errors.Is(err, abi.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
}

// A module that does not start is tried again at the next load.
func TestStartFailsInProcess(t *testing.T) {
	b := newBench(t, func(o *Options) { isolate(t, o) })
	file := (&script{noResult: true, init: []byte{binary.OpUnreachable}}).returns(abi.ReturnPass).wasm()
	for range 2 {
		_, err := b.Load(t.Context(), "head", file, false)
		if err == nil || err.Error() != `module "head": _initialize trapped: unreachable` {
			t.Errorf("got %v", err)
		}
	}
	left, _ := filepath.Glob(filepath.Join(b.opts.CacheDir, preparedDir, "*"))
	if len(left) > 0 {
		t.Errorf("files of a module that does not start: %v", left)
	}
}

// The end of a process ends the calls in it; the next call starts another one.
func TestProcessIsReplaced(t *testing.T) {
	b := newBench(t, func(o *Options) { isolate(t, o) })
	g := b.role(t, "loop", spin().wasm(), false).(*guest)
	ended := make(chan error)
	go func() { _, err := g.Run(t.Context(), content("x")); ended <- err }()
	process := waitForProcess(t, g.m)
	kill := exec.Command("kill", "-9", strings.TrimPrefix(process, "process "))
	if out, err := kill.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := <-ended; !errors.Is(err, abi.ErrGuest) || err.Error() != "guest trapped: its process ended (signal: killed)" {
		t.Errorf("got %v", err)
	}
	start := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	if _, err := g.Run(ctx, content("x")); err == nil || !strings.HasPrefix(err.Error(), "run given up: ") || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the next call: %v", err)
	}
	if d := time.Since(start); d > 10*time.Second {
		t.Errorf("the next call took %v", d)
	}
}

// waitForProcess waits until a call runs in the process of a module.
func waitForProcess(t *testing.T, m *Module) string {
	t.Helper()
	for range 10000 {
		m.remote.lock <- struct{}{}
		p, uses := m.remote.process, m.remote.uses
		<-m.remote.lock
		if p != nil && uses > 0 {
			return p.String()
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("no process was started")
	return ""
}

// Processes that wait for a call are limited, and end when the runtime is closed.
func TestIdleProcesses(t *testing.T) {
	b := newBench(t, func(o *Options) { isolate(t, o) })
	var all []*Module
	for n := range maxIdle + 3 {
		m, err := b.Load(t.Context(), "m", (&script{noResult: true, manifest: fmt.Sprintf(`{"name":"m%d","abi":"1.0","roles":[{"name":"m","kind":"stage"}]}`, n)}).returns(abi.ReturnPass).wasm(), false)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
	count := func() (n int) {
		b.processes.mu.Lock()
		defer b.processes.mu.Unlock()
		return len(b.processes.all)
	}
	for range 1000 {
		if count() <= maxIdle {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if n := count(); n > maxIdle {
		t.Errorf("%d processes", n)
	}
	g, err := all[0].Guest("m")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Run(t.Context(), content("x")); err != nil { // its process was ended
		t.Error(err)
	}
	last := all[0].remote.process
	if err := b.Close(context.Background()); err != nil {
		t.Error(err)
	}
	if !last.Ended() {
		t.Error("a process has not ended with the runtime")
	}
}
