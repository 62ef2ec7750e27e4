package host

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/event"
	"github.com/mcpctl/mcpctl/host/hosttest"
)

// Stages do not process the text of a failed tool, a JSON-RPC error or an embedded
// resource, because the model needs them unchanged. Filters do, because these texts
// may contain secrets.
func TestFiltersCheckErrorsAndResources(t *testing.T) {
	skipShort(t)
	t.Parallel()
	const secret = "password: hunter2"
	text := marshal(t, secret+strings.Repeat(" and a long explanation of what went wrong", 400))
	for _, c := range []struct {
		name   string
		stages []string
		filter *hosttest.Module
		leaks  bool
		want   string
	}{
		{"stages only", []string{"type: section-split"}, new(hosttest.Module), true, secret + " and a long explanation"},
		{"filter", []string{"type: redact", "type: section-split"}, new(hosttest.Module).Call(abi.FuncOutWrite, "***"), false, `***`},
		{"failing filter", []string{"type: redact"}, new(hosttest.Module).Call(abi.FuncOutWrite, "***").Trap(), false, `filter \"redact\" failed, result withheld`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, files{"servers/up.yaml": stdioServer("up", ""), "projects/home.yaml": project("safe"), "proxymodels/safe.yaml": model("safe", c.stages...)})
			r.put(t, "stages/redact.wasm", filterOf(c.filter))
			r.reload(t)
			cl := r.dial(t)
			for _, tool := range []string{"fail", "refuse", "embed"} {
				_, answer, err := cl.post(`{"jsonrpc":"2.0","id":"` + tool + `","method":"tools/call","params":{"name":"up__` + tool + `","arguments":{"text":` + text + `}}}`)
				if err != nil {
					t.Fatal(err)
				}
				got := string(answer)
				if !strings.Contains(got, c.want) || strings.Contains(got, "hunter2") != c.leaks {
					t.Errorf("%s: %.300s", tool, got)
				}
			}
			events := r.Events(0, event.Query{})
			if text := marshal(t, events); strings.Contains(text, "hunter2") != c.leaks {
				t.Errorf("an event contains the secret: %.2000s", text)
			}
		})
	}
}
