package host

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/hosttest"
	"github.com/mcpctl/mcpctl/host/lab"
)

// Config of a stage that declares no settings cannot be checked, and a check reports that.
func TestValidateReportsUncheckedConfig(t *testing.T) {
	t.Parallel()
	r := newRig(t, files{"proxymodels/bare.yaml": model("bare", "type: mine"), "proxymodels/set.yaml": model("set", "{type: mine, config: {mode: ok}}")})
	r.put(t, "stages/mine.wasm", stageOf("mine", new(hosttest.Module).Returns(abi.ReturnPass)))
	r.reload(t)
	for name, want := range map[string]bool{"bare": false, "set": true} {
		checks, err := r.Lab().ValidateModel(t.Context(), lab.ModelCheck{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, c := range checks {
			text += c.What + "\n"
		}
		if got := strings.Contains(text, "where settings are declared\n") && strings.Contains(text, `stage "mine": declares no settings, so its config is passed on unchecked`); got != want {
			t.Errorf("%s: unchecked %v, want %v:\n%s", name, got, want, text)
		}
	}
}
