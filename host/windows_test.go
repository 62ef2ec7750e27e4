package host

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/hosttest"
	"github.com/mcpctl/mcpctl/host/section/crawl"
)

// If a stage reaches its limit on large content, the client gets an index of
// windows instead of the whole content, and every byte can be read.
func TestContentTooLargeForStageIsShownInWindows(t *testing.T) {
	t.Parallel()
	r := newRig(t, files{"projects/home.yaml": "kind: Project\nmetadata: {name: home}\nspec: {servers: [], proxyModel: slow}\n",
		"proxymodels/slow.yaml": model("slow", "{type: slow, limits: {output: 1KiB}}")})
	flood := new(hosttest.Module).Call(abi.FuncOutWrite, strings.Repeat("x", 2048))
	r.put(t, "stages/slow.wasm", flood.Manifest(`{"name":"slow","abi":"1.0","roles":[{"name":"slow","kind":"stage"}]}`).File())
	r.reload(t)
	original := []byte(strings.Repeat("a line of a log that goes on and on\n", 40000))
	shown := r.show(t, toolResult(original, ""))
	if !shown.Changed || !strings.Contains(string(shown.Text), "too large for a stage") || abi.EstimateTokens(shown.Text) > 1100 {
		t.Fatalf("shown: %.300s (%s)", shown.Text, outcomes(shown.Run))
	}
	read := func(path string) flow.Answer { return r.Read(t.Context(), scope, shown.Ref, path) }
	if err := crawl.Run(read, original, hosttest.IsStructure).Err(); err != nil {
		t.Error(err)
	}
}
