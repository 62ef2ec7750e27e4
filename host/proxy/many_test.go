package proxy

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// covers F20: a thousand sessions, each with its list and an open stream, cost
// at most 64 KiB each, and leave nothing behind
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
	each := (footprint() - before) / sessions
	t.Logf("%d bytes and %.1f goroutines a session, the test's own end of the stream included", each, float64(runtime.NumGoroutine()-goroutines)/sessions)
	if each > limit {
		t.Errorf("%d bytes a session, limit %d", each, limit)
	}
	if got := last.ask("tools/call", `{"name":"s__`+names[7]+`"}`); at(got, "/result") != emptyResult {
		t.Errorf("the last session: %s", got)
	}
	r.Close()
	if n := int(server.closed.Load()); n != sessions+1 {
		t.Errorf("%d connections were closed, want %d", n, sessions+1)
	}
}

func footprint() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}
