//go:build unix

package upstream

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

func TestForkedChildIsGoneWithItsServer(t *testing.T) {
	c := startFake(t, fakeConfig(t, ""), nil)
	for _, end := range []func(){
		func() { _, _ = c.Call(t.Context(), "tools/call", toolParams("crash", ""), nil) },
		func() { _ = c.Close() },
	} {
		pid, err := strconv.Atoi(callTool(t, c, "fork", "", nil))
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(pid, 0); err != nil {
			t.Fatalf("the child was not there: %v", err)
		}
		end()
		waitFor(t, "the end of the child", func() bool { return !running(pid) })
	}
}

// running reports whether a process runs: it exists and is no zombie.
func running(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return syscall.Kill(pid, 0) == nil && !errors.Is(err, os.ErrNotExist)
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(state, "Z")
}

func TestCloseKillsAStubbornServer(t *testing.T) {
	c := startFake(t, fakeConfig(t, "stubborn"), nil)
	pid, _ := strconv.Atoi(callTool(t, c, "pid", "", nil))
	waiting := make(chan error, 1)
	go func() {
		_, err := c.Call(context.Background(), "tools/call", toolParams("hang", ""), nil)
		waiting <- err
	}()
	waitFor(t, "the call", func() bool { return c.State().InFlight == 1 })
	_ = c.Close()
	_ = c.Close()
	if err := <-waiting; !errors.Is(err, abi.ErrUnavailable) || !strings.Contains(err.Error(), "closed") {
		t.Errorf("the waiting call got %v", err)
	}
	if running(pid) {
		t.Error("the process still runs")
	}
	if s := c.State(); s.Status != Closed || s.PID != 0 {
		t.Errorf("state %+v", s)
	}
	if _, err := c.Call(t.Context(), "tools/list", nil, nil); !errors.Is(err, abi.ErrUnavailable) {
		t.Errorf("a call after Close got %v", err)
	}
	if err := c.Notify(t.Context(), "notifications/x", nil); !errors.Is(err, abi.ErrUnavailable) {
		t.Errorf("Notify after Close got %v", err)
	}
}
