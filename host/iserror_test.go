package host

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host/event"
)

// A result with isError, such as a build log of 678 KB, is indexed, stored under a
// ref and counted like any other, and isError stays true.
func TestFailedToolResultIsContent(t *testing.T) {
	skipShort(t)
	var log strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&log, "2026-01-02T03:04:%02dZ ERROR build step %d failed: undefined symbol and a long explanation\n", i%60, i)
	}
	for _, m := range []string{"indexed", "idle"} {
		t.Run(m, func(t *testing.T) {
			r := newRig(t, files{"servers/up.yaml": stdioServer("up", ""), "projects/home.yaml": unboundedProject(m),
				"proxymodels/indexed.yaml": model("indexed", "type: section-split"),
				"proxymodels/idle.yaml":    "kind: ProxyModel\nmetadata: {name: idle}\nspec: {controller: none, stages: []}\n"})
			c := r.dial(t)
			a := c.tool(t, "up__fail", `{"text":`+marshal(t, log.String())+`}`)
			if !a.IsError {
				t.Error("isError is lost")
			}
			events := r.Events(0, event.Query{Types: []event.Type{event.ToolCall}})
			e := events[len(events)-1]
			if e.InTokens < log.Len()/10 || e.OutTokens == 0 || !e.IsError {
				t.Errorf("counted as %d tokens of %d bytes, %d shown, isError %v", e.InTokens, log.Len(), e.OutTokens, e.IsError)
			}
			if m == "idle" {
				if a.text() != log.String() {
					t.Error("changed without a stage")
				}
				return
			}
			if len(a.text()) > 10_000 || len(e.Refs) != 1 {
				t.Fatalf("%d bytes are shown, refs %v", len(a.text()), e.Refs)
			}
			if got := c.section(t, e.Refs[0], "!0-1000"); got.IsError || !strings.HasPrefix(log.String(), got.text()) {
				t.Errorf("its bytes cannot be read: %.200s", got.raw)
			}
		})
	}
}
