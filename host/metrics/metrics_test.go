package metrics

import (
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/host/event"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy"
)

var update = flag.Bool("update", false, "write docs/metrics.md")

// The number of series is bounded, and label values are escaped.
func TestMeterIsBounded(t *testing.T) {
	var m Meter
	for i := range 3 * maxSeries {
		m.Add(event.ToolCall, proxy.Event{
			Scope: flow.Scope{Project: fmt.Sprint("p", i)}, Label: fmt.Sprint("label", i), InTokens: 1, Duration: time.Second,
			Run: []flow.RunReport{{Model: fmt.Sprint("m", i), Stages: []flow.StageReport{{Role: fmt.Sprint("r", i), Outcome: "done"}}}},
		})
	}
	if n := max(len(m.traffic), len(m.models), len(m.stages)); n > maxSeries+1 {
		t.Errorf("%d series", n)
	}
	sum := int64(0)
	for _, row := range m.traffic {
		sum += row.tokensIn
	}
	if sum != 3*maxSeries || m.traffic[trafficKey{otherName, event.ToolCall}].requests != 2*maxSeries {
		t.Errorf("%d tokens in all: some were lost", sum)
	}
	if b := string(appendLabels(nil, []string{"a"}, []string{"q\"b\\n\n"})); b != `{a="q\"b\\n\n"}` {
		t.Errorf("escaped: %s", b)
	}
}

// docs/metrics.md is generated from the table of metrics.
func TestMetricsPage(t *testing.T) {
	const page = "../../docs/metrics.md"
	if *update {
		if err := os.WriteFile(page, []byte(Reference()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if b, err := os.ReadFile(page); err != nil || string(b) != Reference() {
		t.Errorf("%s is not up to date (%v): go test ./host/metrics -run TestMetricsPage -update", page, err)
	}
}
