package wasm

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/hosttest"
	"github.com/mcpctl/mcpctl/host/wasm/fuel"
	"github.com/mcpctl/mcpctl/host/wasm/hostile"
)

// runAttack loads and runs a module that attacks the host.
func (b *bench) runAttack(t *testing.T, h hostile.Module) error {
	t.Helper()
	m, err := b.Load(t.Context(), h.Role, h.File, false)
	if err != nil {
		return err
	}
	defer m.Close()
	if h.Hook != "" {
		c, err := m.Controller(h.Role)
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Hook(t.Context(), hookCall(h.Hook, &hosttest.Session{Role: h.Role}, "{}"))
		return err
	}
	g, err := m.Guest(h.Role)
	if err != nil {
		t.Fatal(err)
	}
	_, err = g.Run(t.Context(), content("text"))
	return err
}

// TestAttacks verifies that every attack is ended at every entry while the garbage
// collector, which needs all guests to stop, can run.
func TestAttacks(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles 280 modules")
	}
	b := newBench(t, func(o *Options) { o.Limits.Time = 20 * time.Millisecond })
	for _, h := range hostile.Modules() {
		t.Run(h.Name, func(t *testing.T) {
			collected := make(chan struct{})
			go func() {
				time.Sleep(5 * time.Millisecond)
				runtime.GC()
				close(collected)
			}()
			err := b.runAttack(t, h)
			<-collected
			switch {
			case err != nil && (strings.Contains(err.Error(), "does not compile") || strings.Contains(err.Error(), "host failed")):
				t.Error(err)
			case h.Endless && !errors.Is(err, abi.ErrLimit) && !errors.Is(err, abi.ErrGuest):
				t.Errorf("ended with %v", err)
			}
		})
	}
}

// TestRecursionMemory verifies that a recursion is ended before its stack takes much
// memory, however large its frames are.
func TestRecursionMemory(t *testing.T) {
	b := newBench(t, nil)
	for _, h := range hostile.Modules() {
		if !strings.HasPrefix(h.Name, "recursion") || !strings.HasSuffix(h.Name, "@stage") {
			continue
		}
		m, err := b.Load(t.Context(), h.Role, h.File, false)
		if err != nil {
			t.Fatal(err)
		}
		g, err := m.Guest(h.Role)
		if err != nil {
			t.Fatal(err)
		}
		b.background.Wait()
		before := allocated()
		_, err = g.Run(t.Context(), content("text"))
		grown := allocated() - before
		if err == nil || err.Error() != "guest trapped: stack overflow" {
			t.Errorf("%s: %v", h.Name, err)
		}
		if grown > 8<<20 {
			t.Errorf("%s: %d MB allocated for the stack", h.Name, grown>>20)
		}
		m.Close()
	}
}

// The stack that guests are promised is the one that the counters allow.
func TestStackLimit(t *testing.T) {
	if fuel.StackBytes != abi.LimitStackBytes {
		t.Errorf("fuel.StackBytes is %d, abi.LimitStackBytes %d", fuel.StackBytes, abi.LimitStackBytes)
	}
}
