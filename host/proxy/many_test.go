package proxy

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// A session with its list and an open stream uses at most 64 KiB, and all of it is released.
func TestManyIdleSessions(t *testing.T) {
	const sessions, limit = 1000, 64 << 10
	var names []string
	for i := range 20 {
		names = append(names, fmt.Sprintf("tool_%02d_%s", i, strings.Repeat("x", 20)))
	}
	server := oneTool(func(context.Context, fakeCall) string { return emptyResult }, names...)
	r := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{})
	r.open(t, "").ask("tools/list", `{}`)
	before := footprint()
	goroutines := runtime.NumGoroutine()
	var last *testClient
	for range sessions {
		last = r.open(t, "")
		last.ask("tools/list", `{}`)
		last.stream()
	}
	each := costOfEach(sessions, before, limit)
	t.Logf("%d bytes and %.1f goroutines per session, including the test's end of the stream", each, float64(runtime.NumGoroutine()-goroutines)/sessions)
	if each > limit {
		t.Errorf("%d bytes per session, limit %d", each, limit)
	}
	if got := last.ask("tools/call", `{"name":"s__`+names[7]+`"}`); at(got, "/result") != emptyResult {
		t.Errorf("the last session: %s", got)
	}
	r.Close()
	if n := int(server.closed.Load()); n != sessions+1 {
		t.Errorf("%d connections were closed, want %d", n, sessions+1)
	}
}

// A session with controllers keeps the names of each tool, but no copy of its definition.
func TestManySteeredSessions(t *testing.T) {
	const sessions, tools = 200, 100
	const limit = 64<<10 + tools*512
	var definitions []string
	for i := range tools {
		definitions = append(definitions, fmt.Sprintf(`{"name":"tool_%d","description":%q,"outputSchema":{}}`, i, strings.Repeat("x", 3000)))
	}
	server := scriptedServer(map[string]string{"tools/list": `{"tools":[` + strings.Join(definitions, ",") + `]}`})
	r := newSteeredRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{}, scriptedControllers("patch s/tool_7"), nil)
	r.open(t, "").ask("tools/list", `{}`)
	before := footprint()
	for range sessions {
		r.open(t, "").ask("tools/list", `{}`)
	}
	each := costOfEach(sessions, before, limit)
	t.Logf("%d bytes per session with %d tools of 3 KB", each, tools)
	if each > limit {
		t.Errorf("%d bytes per session, limit %d", each, limit)
	}
}

// costOfEach returns the memory that each of n sessions has taken since before. On a busy
// machine the last requests may still be running, so a cost above the limit is measured
// again for up to a minute.
func costOfEach(n, before, limit int64) (each int64) {
	for range 600 {
		if each = (footprint() - before) / n; each <= limit {
			break
		}
		<-time.After(100 * time.Millisecond)
	}
	return each
}

func footprint() int64 {
	for range 2 { // sync.Pool keeps its buffers over one collection
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}
