package proxy

import (
	"context"
	"testing"
)

// While a filter reads a call, what its server says beside the answer comes
// without text; without a filter, and of what is no text, nothing is lost.
// covers T25
func TestAsidesOfACallUnderAFilter(t *testing.T) {
	const (
		progress = `{"message":"hunter2","progressToken":"p","progress":1,"total":2,"x":"hunter2"}`
		log      = `{"level":"info","data":{"said":"hunter2"}}`
		updated  = `{"uri":"x:1"}`
	)
	speaking := oneTool(func(_ context.Context, c fakeCall) string {
		c.peer.Notify("notifications/progress", []byte(progress))
		c.peer.Notify("notifications/message", []byte(log))
		c.peer.Notify("notifications/resources/updated", []byte(updated))
		return emptyResult
	}, "t", "open")
	models := testModels{"s/t": {Runs: true, Filters: true}}
	r := newRig(t, fakeUpstreams{"s": speaking}, Project{Servers: []Server{{Name: "s"}}, Models: models}, Options{})
	c := r.open(t, "")
	for _, tc := range []struct {
		tool string
		want []string
	}{
		{"s__t", []string{`{"progressToken":"p","progress":1,"total":2}`, updated}},
		{"s__open", []string{progress, log, updated}},
	} {
		got := c.askAll("tools/call", `{"name":"`+tc.tool+`"}`)
		if len(got) != len(tc.want)+1 {
			t.Errorf("%s: %d messages, want %d: %v", tc.tool, len(got), len(tc.want)+1, got)
			continue
		}
		for i, want := range tc.want {
			if params := at(got[i], "/params"); params != want {
				t.Errorf("%s: told %s, want %s", tc.tool, params, want)
			}
		}
	}
}

// Nobody can say which call a log message on stdio belongs to: as long as one
// runs under a filter, another one's go too.
func TestAsidesOfNoCallInParticular(t *testing.T) {
	var a asides
	first, second := a.guard("s"), a.guard("s")
	first()
	if !a.guarded("s") || a.guarded("other") {
		t.Error("withheld by server, until the last call has ended")
	}
	second()
	if a.guarded("s") || len(a.running) != 0 {
		t.Error("withheld for ever")
	}
	s := &Session{e: Open(Parts{Upstreams: fakeUpstreams{}}, Options{})}
	defer s.e.Close()
	defer s.e.asides.guard("s")()
	p := &peer{s: s, server: Server{Name: "s"}}
	if _, ok := p.aside("notifications/message", []byte(`{"data":"hunter2"}`)); ok {
		t.Error("a log message of no call passed")
	}
	for _, odd := range []string{``, ` `, `[]`, `"hunter2"`} {
		if told, ok := p.aside("notifications/progress", []byte(odd)); ok {
			t.Errorf("progress %q: told %q", odd, told)
		}
	}
}
