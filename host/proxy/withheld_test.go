package proxy

import (
	"context"
	"errors"
	"testing"

	"github.com/mcpctl/mcpctl/host/flow"
)

// What a filter withholds, and what cannot be told to be safe, is never shown.
func TestWithheldResult(t *testing.T) {
	for rule, stage := range map[string]func(flow.Content) (flow.Shown, error){
		"a filter blocks":     func(flow.Content) (flow.Shown, error) { return flow.Shown{Blocked: "withheld"}, nil },
		"the pipeline failed": func(flow.Content) (flow.Shown, error) { return flow.Shown{}, errors.New("withheld") },
	} {
		t.Run(rule, func(t *testing.T) {
			ups := fakeUpstreams{"s": oneTool(func(context.Context, fakeCall) string {
				return `{"content":[{"type":"text","text":"the secret"}]}`
			}, "t")}
			r := newRig(t, ups, Project{Servers: []Server{{Name: "s"}}, Models: testModels{"*": {Runs: true}}}, Options{})
			r.pipeline.Stage = stage
			got := r.open(t, "").ask("tools/call", `{"name":"s__t"}`)
			if want := `{"content":[{"type":"text","text":"withheld"}],"isError":true}`; at(got, "/result") != want {
				t.Errorf("got %s, want %s", got, want)
			}
			if ev := r.events.last(); !ev.Failed || ev.Error != "withheld" {
				t.Errorf("event does not say so: %+v", ev)
			}
		})
	}
}
