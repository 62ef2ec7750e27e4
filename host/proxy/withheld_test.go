package proxy

import (
	"context"
	"testing"
)

// While a filter reads a call, the texts of its server's notifications are withheld. Other
// parts, and the notifications of other calls, are passed on.
func TestNotificationTextsAreWithheld(t *testing.T) {
	const (
		progress = `{"message":"hunter2","progressToken":"p","progress":1,"total":2,"x":"hunter2"}`
		log      = `{"level":"info","data":{"said":"hunter2"}}`
		updated  = `{"uri":"x:1"}`
	)
	server := oneTool(func(_ context.Context, c fakeCall) string {
		c.peer.Notify("notifications/progress", []byte(progress))
		c.peer.Notify("notifications/message", []byte(log))
		c.peer.Notify("notifications/resources/updated", []byte(updated))
		return emptyResult
	}, "t", "open")
	models := testModels{"s/t": {Runs: true, Filters: true}}
	r := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}, Models: models}, Options{})
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
				t.Errorf("%s: got %s, want %s", tc.tool, params, want)
			}
		}
	}
}

// Log messages on stdio do not name their call, so those of other calls of the server are
// withheld too.
func TestNotificationTextsOutsideOfCall(t *testing.T) {
	var w withheldTexts
	first, second := w.begin("s"), w.begin("s")
	first()
	if !w.isActive("s") || w.isActive("other") {
		t.Error("texts are not withheld by server, until its last call has ended")
	}
	second()
	if w.isActive("s") || len(w.running) != 0 {
		t.Error("texts are withheld after the last call")
	}
	r := newRig(t, fakeUpstreams{}, Project{}, Options{})
	r.open(t, "")
	defer r.withheld.begin("s")()
	p := &peer{s: r.sessions.of("")[0].Session, server: Server{Name: "s"}}
	if _, ok := p.withoutWithheld("notifications/message", []byte(`{"data":"hunter2"}`)); ok {
		t.Error("a log message outside of any call is passed on")
	}
	for _, params := range []string{``, ` `, `[]`, `"hunter2"`} {
		if got, ok := p.withoutWithheld("notifications/progress", []byte(params)); ok {
			t.Errorf("progress %q is passed on as %q", params, got)
		}
	}
}
