package host

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// leaving lists the ways in which a client leaves its session.
var leaving = []func(c *client){
	func(c *client) { c.end() },
	func(c *client) { // while its calls are running
		var calls sync.WaitGroup
		for i := range 4 {
			calls.Go(func() { c.tryTool("up__echo", fmt.Sprintf(`{"text":"%d"}`, i)) })
		}
		c.end()
		calls.Wait()
	},
	func(c *client) { // during a call, without ending the session
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Millisecond)
		defer cancel()
		if req, err := c.request(http.MethodPost, `{"jsonrpc":"2.0","id":99,"method":"tools/call","params":{"name":"begin_session","arguments":{"tags":["pairing"]}}}`); err == nil {
			if res, err := http.DefaultClient.Do(req.WithContext(ctx)); err == nil {
				res.Body.Close()
			}
		}
	},
	func(c *client) { // while its answer waits for a list that the client does not read
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		req, err := c.request(http.MethodGet, "")
		if err != nil {
			return
		}
		req.Header.Set("Accept", "text/event-stream")
		if res, err := http.DefaultClient.Do(req.WithContext(ctx)); err == nil {
			defer res.Body.Close() // the body is not read
		}
		begun := make(chan struct{})
		go func() { defer close(begun); c.tryTool("begin_session", `{"tags":["pairing"]}`) }()
		c.try("ping", `{}`)
		c.end()
		<-begun
	},
}

// end ends the session.
func (c *client) end() {
	if req, err := c.request(http.MethodDelete, ""); err == nil {
		if res, err := http.DefaultClient.Do(req); err == nil {
			res.Body.Close()
		}
	}
}

// churn opens sessions with a gated project, several at a time. Each opens the
// gate, calls a tool, and is left in one of the ways.
func (r *rig) churn(t *testing.T, sessions int) {
	const lines = 8
	next := make(chan int)
	var all sync.WaitGroup
	for range lines {
		all.Go(func() {
			for i := range next {
				c := r.dial(t)
				if got := c.tools(t); got != "begin_session" {
					t.Errorf("before the gate: %s", got)
				}
				if i%2 == 0 {
					if a := c.tool(t, "begin_session", `{"tags":["pairing"]}`); a.IsError || !strings.Contains(string(a.raw), "close the door") {
						t.Errorf("begin_session: %.300s", a.raw)
					}
				}
				if a := c.tool(t, "up__echo", `{"text":"as it came"}`); a.IsError || !strings.Contains(string(a.raw), "as it came") {
					t.Errorf("echo: %.300s", a.raw)
				}
				leaving[i/2%len(leaving)](c)
			}
		})
	}
	for i := range sessions {
		next <- i
	}
	close(next)
	all.Wait()
}

// settled waits up to five seconds for at most "at" goroutines, and returns the
// number of goroutines and the bytes of the heap.
func settled(at int) (goroutines int, heap uint64) {
	eventually(func() bool { runtime.GC(); return runtime.NumGoroutine() <= at }, true)
	for range 3 { // pools are emptied by the second collection
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return runtime.NumGoroutine(), m.HeapAlloc
}

// Sessions that open the gate and end in any way leave no goroutines, no memory and
// no report of a failing gate.
func TestSessionsLeaveNothing(t *testing.T) {
	sessions, first := 1000, 500
	if testing.Short() {
		sessions, first = 100, 100
	}
	f := files{
		"servers/up.yaml":       stdioServer("up", "  shared: true\n"),
		"projects/home.yaml":    "kind: Project\nmetadata: {name: home}\nspec: {servers: [up], proxyModel: subindex}\n",
		"prompts/home/doors.md": "---\nspec: {priority: 10}\n---\n# Pairing\n\nAlways close the door.\n",
	}
	r := newRig(t, f)
	atMost := runtime.NumGoroutine() + 10
	r.churn(t, first) // creates all shared state
	goroutines, heap := r.empty(t, atMost)
	r.put(t, "projects/home.yaml", []byte(f["projects/home.yaml"]))
	r.reload(t)
	began := time.Now()
	r.churn(t, sessions)
	took := time.Since(began)
	after, left := r.empty(t, atMost)
	t.Logf("%d sessions in %v; goroutines %d, then %d; heap %.1f MB, then %.1f MB", sessions, took, goroutines, after, float64(heap)/1e6, float64(left)/1e6)
	if after > atMost {
		buf := make([]byte, 1<<20)
		t.Errorf("%d goroutines, %d before:\n%s", after, goroutines, buf[:runtime.Stack(buf, true)])
	}
	if most := heap + 8<<20 + uint64(sessions)*1000; left > most {
		t.Errorf("heap of %d bytes, %d before", left, heap)
	}
	if now := r.failures.Current(); len(now) > 0 {
		t.Errorf("failing: %+v", now)
	}
}

// empty removes the project and with it the abandoned sessions. It returns the
// remaining goroutines and heap bytes.
func (r *rig) empty(t *testing.T, atMost int) (goroutines int, heap uint64) {
	t.Helper()
	if err := os.Remove(filepath.Join(r.dir, "projects/home.yaml")); err != nil {
		t.Fatal(err)
	}
	r.reload(t)
	http.DefaultClient.CloseIdleConnections()
	if n := eventually(func() int { return r.endpoint.Sessions("") }, 0); n != 0 {
		t.Errorf("%d sessions are left", n)
	}
	return settled(atMost)
}
