package host

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/hosttest"
	"github.com/mcpctl/mcpctl/host/loadmark"
)

// Limits of the time until a changed file is used, without compilation, which takes
// milliseconds for the modules of this test. A single change may take longer on a
// shared machine.
const (
	activeWithin = 2 * time.Second // the median
	activeLatest = 20 * time.Second
)

// If the file of a stage is replaced repeatedly while sessions call it, no call
// fails, each call uses one complete version, and each version becomes active in
// time.
func TestSwapUnderLoad(t *testing.T) {
	const sessions = 4
	swaps := 200
	if testing.Short() {
		swaps = 20
	}
	r := newRig(t, files{"servers/up.yaml": stdioServer("up", ""), "projects/home.yaml": project("m"), "proxymodels/m.yaml": model("m", "type: stamp")})
	r.put(t, "stages/stamp.wasm", hosttest.Write("version 0."))
	r.reload(t)
	var calls, newest, failed atomic.Int64
	stop := make(chan struct{})
	var load sync.WaitGroup
	for i := range sessions {
		c := r.dial(t)
		load.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				before := newest.Load()
				a, err := c.tryTool("up__echo", fmt.Sprintf(`{"text":"call %d of %d"}`, n, i))
				calls.Add(1)
				var version int64
				if _, scan := fmt.Sscanf(a.text(), "version %d.", &version); err != nil || scan != nil || a.IsError {
					failed.Add(1)
					t.Errorf("call failed: %v %.200q", err, a.text())
					return
				}
				if version < before {
					t.Errorf("version %d answers after version %d was active", version, before)
				}
				for old := newest.Load(); version > old && !newest.CompareAndSwap(old, version); old = newest.Load() {
				}
			}
		})
	}
	var took []time.Duration
	for v := int64(1); v <= int64(swaps) && failed.Load() == 0; v++ {
		begin := time.Now()
		r.put(t, "stages/stamp.wasm", hosttest.Write(fmt.Sprintf("version %d.", v)))
		switch {
		case v%20 == 0: // like an editor that writes twice
			r.put(t, "stages/stamp.wasm", hosttest.Write(fmt.Sprintf("version %d.", v)))
		case v%10 != 0: // explicit reload; otherwise the watcher finds the change
			r.reload(t)
		}
		if got := eventually(func() bool { return newest.Load() >= v }, true); !got {
			t.Fatalf("version %d does not become active", v)
		}
		took = append(took, time.Since(begin))
	}
	close(stop)
	load.Wait()
	if failed.Load() > 0 {
		return
	}
	slices.Sort(took)
	median, slowest := took[len(took)/2], took[len(took)-1]
	if median > activeWithin || slowest > activeLatest {
		t.Errorf("versions were active after %v in the median and %v at most, limits %v and %v", median, slowest, activeWithin, activeLatest)
	}
	t.Logf("%d swaps, %d calls, %d failed, slowest active after %v", swaps, calls.Load(), failed.Load(), slowest.Round(time.Millisecond))
}

// If a file is invalid, the previous version stays in use and the status contains
// the reason. If the file is removed, the built-in stage is used again.
func TestBrokenAndRemovedFile(t *testing.T) {
	r := newRig(t, files{"servers/up.yaml": stdioServer("up", ""), "projects/home.yaml": project("m"), "proxymodels/m.yaml": model("m", "type: passthrough")})
	c := r.dial(t)
	answers := func(want string) func() bool {
		return func() bool { return strings.HasPrefix(c.tool(t, "up__echo", `{"text":"as it came"}`).text(), want) }
	}
	if !answers("as it came")() {
		t.Fatal("the built-in stage changes the content")
	}
	r.put(t, "stages/passthrough.wasm", hosttest.Write("local"))
	if !eventually(answers("local\n"), true) {
		t.Fatal("the local stage is not active")
	}
	if s := r.status(t, "passthrough"); !strings.HasPrefix(s, "local ") {
		t.Errorf("STATUS %q", s)
	}
	good := hosttest.Write("local 2")
	for name, broken := range map[string]struct {
		file []byte
		why  string
	}{
		"half-written": {good[:len(good)/2], "ends inside"},
		"empty":        {nil, "is empty"},
		"text":         {[]byte("not a module"), "is a text file"},
	} {
		if err := os.WriteFile(filepath.Join(r.dir, "stages/passthrough.wasm"), broken.file, 0o600); err != nil {
			t.Fatal(err)
		}
		r.reload(t)
		s := r.status(t, "passthrough")
		if !answers("local\n")() || !strings.Contains(s, "failed") || !strings.Contains(s, broken.why) || !strings.Contains(s, "previous version stays") {
			t.Errorf("%s: STATUS %q, want %q", name, s, broken.why)
		}
	}
	r.put(t, "stages/passthrough.wasm", good)
	if !eventually(answers("local 2"), true) {
		t.Errorf("the repaired file is not active")
	}
	if s := r.status(t, "passthrough"); strings.Contains(s, "failed") {
		t.Errorf("STATUS %q after the repair", s)
	}
	if err := os.Remove(filepath.Join(r.dir, "stages/passthrough.wasm")); err != nil {
		t.Fatal(err)
	}
	if !eventually(answers("as it came"), true) {
		t.Error("the built-in stage is not used again")
	}
	if s := eventually(func() string { return r.status(t, "passthrough") }, "built-in ready"); s != "built-in ready" {
		t.Errorf("STATUS %q", s)
	}
}

// Changes of servers, projects and proxymodels take effect in an open session,
// which is notified and needs no reconnect.
func TestObjectsChangeInOpenSession(t *testing.T) {
	r := newRig(t, files{"servers/up.yaml": stdioServer("up", ""), "projects/home.yaml": unboundedProject("m"), "proxymodels/m.yaml": model("m", "type: passthrough")})
	c := r.dial(t)
	heard := c.listen(t)
	one := c.tools(t)
	if !strings.Contains(one, "up__echo") || strings.Contains(one, "read_section") {
		t.Fatalf("tools: %s", one)
	}
	changed := func(step string) {
		t.Helper()
		select {
		case m := <-heard:
			if m != "notifications/tools/list_changed" {
				t.Errorf("%s: received %s", step, m)
			}
		case <-time.After(time.Minute):
			t.Errorf("%s: received nothing", step)
		}
	}
	took := within(t, activeLatest, "a changed proxymodel", func() {
		r.put(t, "proxymodels/m.yaml", []byte(model("m", "{type: section-split, config: {minSize: 10}}")))
		changed("a proxymodel that makes sections")
	})
	if now := c.tools(t); !strings.Contains(now, "read_section") {
		t.Errorf("tools: %s", now)
	}
	long := `{"text":` + marshal(t, strings.Repeat("# A\n\ntext\n\n", 500)) + `}`
	if a := c.tool(t, "up__echo", long); a.Meta.Kind != "index" {
		t.Errorf("the new proxymodel is not used: %.100q", a.text())
	}

	put(t, r.dir, "servers/second.yaml", []byte(stdioServer("second", "")))
	put(t, r.dir, "projects/home.yaml", []byte(strings.Replace(project("m"), "[up]", "[up, second]", 1)))
	changed("a second server")
	if now := c.tools(t); !strings.Contains(now, "second__echo") || !strings.Contains(now, "up__echo") {
		t.Errorf("tools: %s", now)
	}
	if a := c.tool(t, "second__echo", `{"text":"here"}`); a.text() != "here" {
		t.Errorf("the second server answers %q", a.text())
	}
	pid := c.tool(t, "up__pid", `{}`).text()

	put(t, r.dir, "servers/second.yaml", []byte(stdioServer("second", "  timeout: 7s\n")))
	r.reload(t)
	if a := c.tool(t, "second__echo", `{"text":"again"}`); a.text() != "again" {
		t.Errorf("the changed server answers %q", a.text())
	}
	if now := c.tool(t, "up__pid", `{}`).text(); now != pid {
		t.Errorf("a server that did not change was restarted")
	}

	put(t, r.dir, "projects/home.yaml", []byte(project("ungated-subindex")))
	changed("a server less")
	// The notification may come from the second server, which was restarted above.
	if !eventually(func() bool { return !strings.Contains(c.tools(t), "second__") }, true) {
		t.Errorf("tools: %s", c.tools(t))
	}
	if a := c.tool(t, "second__echo", `{"text":"gone"}`); !strings.Contains(a.text(), "second__echo") {
		t.Errorf("a removed tool answers %q", a.text())
	}
	if a := c.tool(t, "up__echo", long); a.Meta.Kind != "index" {
		t.Errorf("the built-in model is not used: %.100q", a.text())
	}
	t.Logf("a changed proxymodel was announced after %v", took.Round(time.Millisecond))
}

// If a daemon ends while it loads a module, the next daemon does not load that module, but
// loads the others. A reload retries it.
func TestModuleThatEndedTheDaemon(t *testing.T) {
	file := hosttest.Write("local")
	dir := newHome(t, files{"servers/up.yaml": stdioServer("up", ""), "projects/home.yaml": project("m"), "proxymodels/m.yaml": model("m", "type: mine"),
		"stages/mine.wasm": string(file), "stages/other.wasm": string(hosttest.Write("other"))})
	hash := sha256.Sum256(file)
	marks, err := loadmark.Open(homedir.Dir(dir).LoadMarks())
	if err != nil {
		t.Fatal(err)
	}
	marks.Begin(hex.EncodeToString(hash[:])) // by a daemon that was killed
	r := openRig(t, dir)
	for range 2 { // the scan of a directory does not try it again
		if s := r.status(t, "mine"); !strings.Contains(s, "the daemon ended while this file was loaded") {
			t.Errorf("STATUS %q", s)
		}
		if err := r.modules.Rescan(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if s := r.status(t, "other"); !strings.HasPrefix(s, "local ") {
		t.Errorf("STATUS of the other module %q", s)
	}
	r.reload(t)
	if s := r.status(t, "mine"); !strings.HasPrefix(s, "local ") {
		t.Errorf("STATUS after the reload %q", s)
	}
	if files, err := os.ReadDir(homedir.Dir(dir).LoadMarks()); err != nil || len(files) > 0 {
		t.Errorf("marks after the load: %v, %v", files, err)
	}
}
