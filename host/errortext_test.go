package host

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/hosttest"
)

// What a failing tool says is for the model to read as it is, so no stage sees
// it; but a filter does, or an error text would carry past it what it takes away.
func TestFiltersSeeErrorTextsAndStagesDoNot(t *testing.T) {
	t.Parallel()
	const secret = "password: hunter2"
	text := marshal(t, secret+strings.Repeat(" and a long explanation of what went wrong", 400))
	for _, c := range []struct {
		name   string
		stages []string
		want   string
	}{
		{"stages alone", []string{"type: section-split"}, secret + " and a long explanation"},
		{"a filter that works", []string{"type: redact", "type: section-split"}, "***"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, files{"servers/up.yaml": stdioServer("up", ""), "projects/home.yaml": project("safe"), "proxymodels/safe.yaml": model("safe", c.stages...)})
			r.put(t, "stages/redact.wasm", filterOf(new(hosttest.Module).Call(abi.FuncOutWrite, "***")))
			r.reload(t)
			a := r.dial(t).tool(t, "up__fail", `{"text":`+text+`}`)
			if !a.IsError || !strings.HasPrefix(a.text(), c.want) {
				t.Errorf("isError %t: %.200s", a.IsError, a.text())
			}
		})
	}
}
