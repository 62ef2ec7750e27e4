package proxy

import (
	"context"
	"errors"
	"testing"

	"github.com/mcpctl/mcpctl/host/flow"
)

// A result that a filter withholds, or for which the pipeline fails, is never shown.
func TestWithheldResult(t *testing.T) {
	for rule, stage := range map[string]func(flow.Content) (flow.Shown, error){
		"blocking filter": func(flow.Content) (flow.Shown, error) { return flow.Shown{Blocked: "withheld"}, nil },
		"pipeline error":  func(flow.Content) (flow.Shown, error) { return flow.Shown{}, errors.New("withheld") },
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
				t.Errorf("the event does not report it: %+v", ev)
			}
		})
	}
}
