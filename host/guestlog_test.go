package host

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/guestlog"
	"github.com/mcpctl/mcpctl/host/hosttest"
	"github.com/mcpctl/mcpctl/host/lab"
)

// Log lines of a stage are written from the level configured for the stage,
// regardless of the level of the log, on one line and without the secrets of
// servers.
func TestLogLevelPerStage(t *testing.T) {
	t.Setenv("GUEST_LOG_TOKEN", "CANARY-in-the-environment")
	var log hosttest.LogBuffer
	var levels guestlog.Levels
	r := newRig(t, files{
		"servers/up.yaml":      stdioServer("up", ""),
		"servers/web.yaml":     "kind: Server\nmetadata: {name: web}\nspec: {url: \"http://127.0.0.1:1/${GUEST_LOG_TOKEN}/mcp\", headers: {Authorization: \"Bearer CANARY-in-a-header\"}}\n",
		"secrets.yaml":         "LLM_KEY: CANARY-of-a-provider\n",
		"config.yaml":          "llm:\n  providers:\n    - {name: local, type: openai, baseURL: \"http://127.0.0.1:1/v1\", model: m, apiKey: \"${LLM_KEY}\"}\n",
		"projects/home.yaml":   project("m"),
		"proxymodels/m.yaml":   model("m", "type: talks", "type: mute"),
		"proxymodels/try.yaml": model("try", "type: talks"),
	}, func(o *Options) { o.Log, o.StageLevels = log.Logger(), &levels })
	r.put(t, "stages/talks.wasm", stageOf("talks", new(hosttest.Module).
		Call(abi.FuncLog, abi.LogDebug, "saw CANARY-in-the-environment and CANARY-in-a-header and CANARY-of-a-provider").
		Call(abi.FuncLog, abi.LogInfo, "two\nlines \x1b[31m").
		Call(abi.FuncLog, abi.LogWarn, strings.Repeat("ä", 1024)).Returns(abi.ReturnPass)))
	r.put(t, "stages/mute.wasm", stageOf("mute", new(hosttest.Module).Call(abi.FuncLog, abi.LogError, "not asked for").Returns(abi.ReturnPass)))
	r.reload(t)

	r.show(t, toolResult([]byte("without a setting"), ""))
	if got := log.Lines("stage line"); len(got) > 0 {
		t.Errorf("without a setting the log has %q", got)
	}
	levels.Set(map[string]slog.Level{"talks": slog.LevelDebug})
	if _, err := r.Lab().RunModel(t.Context(), lab.ModelRun{Model: "try", Type: abi.ToolResult, Input: []byte("a trial")}); err != nil {
		t.Fatal(err)
	}
	if got := log.Lines("stage line"); len(got) > 0 {
		t.Errorf("the lines of a trial are logged: %q", got)
	}
	r.show(t, toolResult([]byte("debug"), ""))
	for _, want := range []string{`level=DEBUG`, `level=INFO`, `level=WARN`} {
		if got := log.Lines("stage line", want, "stage=talks", "project=home"); len(got) != 1 {
			t.Errorf("%s: %q", want, got)
		}
	}
	if got := log.Lines("CANARY"); len(got) > 0 {
		t.Errorf("secrets in the log: %q", got)
	}
	if got := log.Lines("stage line", "\x1b"); len(got) > 0 || len(log.Lines("[31m")) != 1 {
		t.Errorf("control characters: %q", got)
	}
	if got := log.Lines("level=WARN", "stage line"); len(got) != 1 || len(got[0]) > 2*1024 {
		t.Errorf("a line has %d bytes", len(got[0]))
	}
	levels.Set(map[string]slog.Level{"talks": slog.LevelWarn})
	r.show(t, toolResult([]byte("from warn on"), ""))
	if got := log.Lines("stage line"); len(got) != 4 {
		t.Errorf("%d lines, want one more: %q", len(got), got)
	}
	if got := log.Lines("not asked for"); len(got) > 0 {
		t.Errorf("another stage is logged: %q", got)
	}
}
