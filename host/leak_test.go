package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/hosttest"
	"github.com/mcpctl/mcpctl/host/lab"
)

// descriptors returns the number of open files of this process.
func descriptors(t testing.TB) int {
	t.Helper()
	all, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", os.Getpid()))
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// After Close there is no goroutine, process of a server or open file left, even if
// calls, streams and LLM requests were in progress.
func TestCloseLeavesNothing(t *testing.T) {
	warm := newRig(t, files{"servers/up.yaml": stdioServer("up", ""), "projects/home.yaml": project("ungated-subindex")})
	warm.dial(t).alive(t) // opens the files that a process opens once
	warm.stop()
	baseline, open := runtime.NumGoroutine(), descriptors(t)
	for range 3 {
		r := newRig(t, files{"servers/up.yaml": stdioServer("up", ""), "projects/home.yaml": project("ungated-subindex")},
			func(o *Options) { o.LLM = &hosttest.LLM{Latency: time.Hour} })
		arguments := file(t, prose(t))
		for range 5 {
			c := r.dial(t)
			c.listen(t)
			c.tool(t, "up__get", arguments)
			go c.tryTool("up__hang", `{}`)
		}
		if children() == "" {
			t.Error("no server is running: the test checks nothing")
		}
		within(t, 30*time.Second, "closing", r.stop)
	}
	if left := eventually(children, ""); left != "" {
		t.Errorf("processes left: %s", left)
	}
	grown := func() bool { runtime.GC(); return runtime.NumGoroutine() > baseline+2 }
	if eventually(grown, false) {
		buf := make([]byte, 1<<20)
		t.Errorf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), baseline, buf[:runtime.Stack(buf, true)])
	}
	if n := descriptors(t); n > open+2 {
		t.Errorf("%d files are open, %d before", n, open)
	}
}

// A second Close does nothing, a Close before the modules are compiled waits for
// them, and later calls return an error without blocking.
func TestCloseAtAnyTime(t *testing.T) {
	h, err := Open(t.Context(), Options{Home: homedir.Dir(newHome(t, files{"projects/home.yaml": project("ungated-subindex")}))})
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{Host: h, Transformer: h.transformer}
	within(t, 30*time.Second, "closing at once", func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	within(t, 20*time.Second, "a call after Close", func() {
		content := strings.Repeat("# A\n\ntext\n\n", 900)
		shown, err := r.Transform(t.Context(), scope, toolResult([]byte(content), ""))
		if err == nil && shown.Changed {
			t.Errorf("a closed host shows %.100q", shown.Text)
		}
		for name, ask := range map[string]func() error{
			"RunModel": func() error {
				_, err := r.Lab().RunModel(context.Background(), lab.ModelRun{Model: "default"})
				return err
			},
			"ValidateModel": func() error {
				_, err := r.Lab().ValidateModel(context.Background(), lab.ModelCheck{Name: "default"})
				return err
			},
			"Model":  func() error { _, err := r.Model(context.Background(), "default"); return err },
			"Stages": func() error { _, err := r.Stages(context.Background()); return err },
		} {
			if err := ask(); err != nil && !errors.Is(err, abi.ErrUnavailable) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}
