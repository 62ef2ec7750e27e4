package host

import (
	"errors"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/event"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/hosttest"
)

// The text of a client's own tool goes through filters and stages like that of a server's, and a
// short one through filters only.
func TestClientTool(t *testing.T) {
	t.Parallel()
	show := func(r *rig, text string) (flow.Shown, error) {
		return r.ShowClientTool(t.Context(), "home", ClientTool{Client: "claude-code", Tool: "Bash", Hint: "notes.md", Text: []byte(text)})
	}
	const short = "a short text with hunter2"
	long := strings.Repeat("# Part\n\nsome text with hunter2\n\n", 600)
	for _, c := range []struct {
		rule          string
		filter        *hosttest.Module
		short, long   string // beginning of the text, or the error; empty: unchanged
		isBlocked     bool
		originalHasIt bool
	}{
		{"without a filter", nil, "", "markdown, ", false, true},
		{"with a filter", new(hosttest.Module).Call(abi.FuncOutWrite, "*** and nothing else").Returns(abi.ReturnDone), "*** and", "*** and", false, false},
		{"with a filter that fails", new(hosttest.Module).Trap(), `filter "redact" failed`, `filter "redact" failed`, true, false},
	} {
		f := files{"projects/home.yaml": project("m"), "proxymodels/m.yaml": model("m", "type: section-split")}
		if c.filter != nil {
			f["proxymodels/m.yaml"], f["stages/redact.wasm"] = model("m", "type: redact", "type: section-split"), string(filterOf(c.filter))
		}
		r := newRig(t, f)
		for text, want := range map[string]string{short: c.short, long: c.long} {
			shown, err := show(r, text)
			if err != nil {
				t.Fatalf("%s: %v", c.rule, err)
			}
			got := string(shown.Text)
			if c.isBlocked {
				got = shown.Blocked
			}
			if !strings.HasPrefix(got, want) || got == "" != (want == "") || shown.Changed != (want != "" && !c.isBlocked) {
				t.Errorf("%s: got %.100q, blocked %q, want %q", c.rule, shown.Text, shown.Blocked, want)
			}
			if shown.Ref == "" {
				continue
			}
			original, err := r.Storage().Original("home", shown.Ref)
			if err != nil || strings.Contains(string(original.Bytes), "hunter2") != c.originalHasIt {
				t.Errorf("%s: the original is %.60q, %v", c.rule, original.Bytes, err)
			}
		}
		events := r.Events(0, event.Query{Types: []event.Type{event.ToolCall}})
		if len(events) != 2 || events[0].Source != "claude-code/Bash" || events[0].IsError != c.isBlocked {
			t.Errorf("%s: events %s", c.rule, marshal(t, events))
		}
	}
	r := newRig(t, files{"projects/home.yaml": project("m"), "proxymodels/m.yaml": model("m", "type: no-such-stage")})
	if _, err := show(r, short); !errors.Is(err, abi.ErrConfig) {
		t.Errorf("with an invalid proxymodel: %v", err)
	}
	if _, err := r.ShowClientTool(t.Context(), "other", ClientTool{}); !errors.Is(err, abi.ErrNotFound) {
		t.Errorf("without a project: %v", err)
	}
}
