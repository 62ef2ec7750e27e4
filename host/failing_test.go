package host

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/event"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/guestlog"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/hosttest"
	"github.com/mcpctl/mcpctl/host/lab"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/secret"
)

// stageOf returns the file of a module with one stage.
func stageOf(name string, m *hosttest.Module) []byte {
	return m.Manifest(`{"name":"` + name + `","abi":"1.0","roles":[{"name":"` + name + `","kind":"stage"}]}`).File()
}

// A stage that fails in live traffic does not fail the client's call. It is
// reported in one log line for each role and cause, in status, by the stage, and
// with an event when it is disabled. A failure in a trial is not reported.
func TestFailingStageIsReported(t *testing.T) {
	t.Parallel()
	var log hosttest.LogBuffer
	r := newRig(t, files{"servers/up.yaml": stdioServer("up", ""), "projects/home.yaml": project("m"), "proxymodels/m.yaml": model("m", "type: mine"),
		"proxymodels/trial.yaml": model("trial", "type: mine")}, func(o *Options) { o.Log = log.Logger() })
	r.put(t, "stages/mine.wasm", stageOf("mine", new(hosttest.Module).Trap()))
	r.reload(t)
	for range 4 { // does not disable the stage
		if _, err := r.Lab().RunModel(t.Context(), lab.ModelRun{Model: "trial", Type: abi.ToolResult, Input: []byte("x")}); err != nil {
			t.Fatal(err)
		}
	}
	if p := r.problems(); strings.Contains(p, "mine") || len(log.Lines("stage failed")) > 0 {
		t.Errorf("a trial is reported as live traffic: %s", p)
	}
	for _, text := range []string{"one", "two two", "three three three", "four"} {
		r.show(t, toolResult([]byte(text), ""))
	}
	if got := log.Lines("stage failed", "stage=mine", "guest trapped"); len(got) != 1 {
		t.Errorf("logged %d times, want once for a cause: %q", len(got), got)
	}
	if got := log.Lines("stage out of service", "stage=mine", "guest trapped"); len(got) != 1 {
		t.Errorf("disabling is logged %d times: %q", len(got), got)
	}
	events := r.Events(0, event.Query{Types: []event.Type{event.StageFailed}})
	if len(events) != 1 || events[0].Change.Name != "mine" || events[0].Change.To != "out of service" || !strings.Contains(events[0].Change.Reason, "guest trapped") {
		t.Errorf("events: %s", marshal(t, events))
	}
	contains(t, "the problem", r.problems(), `stage "mine" failed 3 times in a row, last at `, ": guest trapped")
	stages, err := r.Stages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, st := range stages {
		f, ok := r.StageFailure(st.Name, st.Hash)
		if ok != (st.Name == "mine") || ok && (!f.Now || f.Count != 3) {
			t.Errorf("%s: %+v %v", st.Name, f, ok)
		}
	}
	r.put(t, "stages/mine.wasm", stageOf("mine", new(hosttest.Module).Returns(abi.ReturnPass)))
	r.reload(t)
	if p := r.problems(); p != "" {
		t.Errorf("still reported after the repair: %s", p)
	}
}

// The messages of a filter may quote the content that it withholds. The author sees
// them in a trial, but live traffic does not keep them.
func TestMessagesOfFilterAreNotKept(t *testing.T) {
	t.Parallel()
	tests := []struct {
		rule   string
		module *hosttest.Module
		want   string // reported cause
	}{
		{"message", new(hosttest.Module).Call(abi.FuncFail, "got CANARY").Returns(abi.ReturnFail), `filter "mine": failed (its message may quote content and is not kept: mcpctl stage run mine < FILE shows it), result withheld`},
		{"panic", new(hosttest.Module).Call(abi.FuncFail, "panic: CANARY").Trap(), `filter "mine": guest trapped (its message may quote content and is not kept: mcpctl stage run mine < FILE shows it), result withheld`},
		{"trap without a message", new(hosttest.Module).Trap(), `filter "mine": guest trapped: unreachable, result withheld`},
		{"no message", new(hosttest.Module).Returns(abi.ReturnFail), `filter "mine": failed without a reason, result withheld`},
		{"log", new(hosttest.Module).Call(abi.FuncLog, abi.LogInfo, "got CANARY").Call(abi.FuncLog, abi.LogWarn, "CANARY again").Returns(abi.ReturnPass), ""},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			t.Parallel()
			var log hosttest.LogBuffer
			var levels guestlog.Levels
			levels.Set(map[string]slog.Level{"mine": slog.LevelWarn})
			r := newRig(t, files{"servers/up.yaml": stdioServer("up", ""), "projects/home.yaml": project("m"), "proxymodels/m.yaml": model("m", "type: mine")},
				func(o *Options) { o.Log, o.StageLevels = log.Logger(), &levels })
			file := tt.module.Manifest(`{"name":"mine","abi":"1.0","roles":[{"name":"mine","kind":"filter"}]}`).File()
			r.put(t, "stages/mine.wasm", file)
			r.reload(t)
			tried, err := r.Lab().RunModel(t.Context(), lab.ModelRun{Model: "m", Type: abi.ToolResult, Input: []byte("x")})
			if err != nil {
				t.Fatal(err)
			}
			if report := marshal(t, tried.Report); strings.Contains(report, "CANARY") != bytes.Contains(file, []byte("CANARY")) {
				t.Errorf("the author gets %s", report)
			}
			var shown flow.Shown
			for _, text := range []string{"one", "two", "three"} { // disables the filter
				shown = r.show(t, toolResult([]byte(text), ""))
			}
			if got := shown.Run.Stages[0].Error; got != tt.want {
				t.Errorf("cause\n%s, want\n%s", got, tt.want)
			}
			f, _ := r.StageFailure("mine", shown.Run.Stages[0].ModuleHash)
			events := r.Events(0, event.Query{})
			if live := marshal(t, []any{shown, f, events, r.problems(), log.Lines("")}); strings.Contains(live, "CANARY") {
				t.Errorf("a message of the filter is kept: %s", live)
			}
			if tt.rule == "log" && len(log.Lines("stage line", "level=WARN", "lines not kept: 2")) != 3 {
				t.Errorf("log lines are not counted: %q", log.Lines(""))
			}
		})
	}
}

// A module that cannot be loaded is reported as a problem of its file and as an
// event.
func TestModuleThatCannotBeLoadedIsReported(t *testing.T) {
	t.Parallel()
	r := newRig(t, files{})
	r.put(t, "stages/mine.wasm", []byte("no module"))
	r.reload(t)
	list := r.Problems()
	if len(list) != 1 || list[0].File != filepath.Join("stages", "mine.wasm") || !strings.Contains(list[0].Err.Error(), `module "mine"`) {
		t.Errorf("problems: %v", list)
	}
	events := r.Events(0, event.Query{Types: []event.Type{event.StageFailed}})
	if len(events) != 1 || events[0].Change.Name != "mine" || events[0].Change.Reason == "" {
		t.Errorf("events: %s", marshal(t, events))
	}
}

// A stage that is being compiled after a start is not reported as missing.
func TestNothingIsMissingWhileModulesAreLoaded(t *testing.T) {
	dir := newHome(t, files{"projects/home.yaml": project("m"), "proxymodels/m.yaml": model("m", "type: mine")})
	put(t, dir, "stages/mine.wasm", stageOf("mine", new(hosttest.Module).Returns(abi.ReturnPass)))
	h, err := Open(t.Context(), Options{Home: homedir.Dir(dir)})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	for done := false; !done; {
		done = !h.config.State().Early // must be read before the problems
		for _, p := range h.Problems() {
			if strings.Contains(p.Err.Error(), "mine") {
				t.Fatalf("loaded %v: %v", done, p.Err)
			}
		}
	}
}

// If originals cannot be stored, results have no index. The cause is reported in
// the log, in status and as an event.
func TestOriginalsThatCannotBeStoredAreReported(t *testing.T) {
	skipShort(t)
	t.Parallel()
	var log hosttest.LogBuffer
	r := newRig(t, files{"servers/up.yaml": stdioServer("up", ""), "projects/home.yaml": project("ungated-subindex")}, func(o *Options) { o.Log = log.Logger() })
	c := r.dial(t)
	if err := os.RemoveAll(filepath.Join(r.dir, "originals")); err != nil { // no file can be created in the removed directory
		t.Fatal(err)
	}
	text := marshal(t, strings.Repeat("# Part\n\nsome text of it\n\n", 500))
	for i := range 3 {
		if a := c.tool(t, "up__echo", `{"text":`+text[:len(text)-1]+strings.Repeat("x", i)+`"}`); a.IsError || a.Meta.Ref != "" || len(a.text()) < 10_000 {
			t.Errorf("the client gets %.200s", a.raw)
		}
	}
	contains(t, "the problem", r.problems(), "originals cannot be stored", "no such file or directory")
	if got := log.Lines("originals cannot be stored", "no such file or directory"); len(got) != 1 {
		t.Errorf("logged %d times: %q", len(got), got)
	}
	for _, e := range r.Events(0, event.Query{Types: []event.Type{event.ToolCall}}) {
		stages := e.Runs[0].Stages
		last := stages[len(stages)-1]
		contains(t, "the event", last.Error, "originals cannot be written", "no such file or directory")
		if strings.Contains(last.Error, "not found") {
			t.Errorf("a wrong cause: %s", last.Error)
		}
	}
}

// A missing secret of a server is reported before the first call. If secrets.yaml
// exists but cannot be read, the problem names that cause. The client's error
// contains no path.
func TestMissingSecretIsReported(t *testing.T) {
	skipShort(t)
	t.Parallel()
	server := stdioServer("up", "")
	server = strings.Replace(server, "env: {", `env: {A: "${MCPCTL_TEST_NOT_SET}", `, 1)
	r := newRig(t, files{"servers/up.yaml": server, "projects/home.yaml": project("ungated-subindex")})
	contains(t, "the problem", r.problems(), `server "up": env.A needs MCPCTL_TEST_NOT_SET, not set`, "servers/up.yaml:5:", "secrets.yaml")
	if err := r.Config().Problem(object.Key{Kind: object.KindServer, Name: "up"}); !errors.Is(err, secret.ErrVariable) {
		t.Errorf("the server's problem: %v", err)
	}
	_, _, err := r.config.Server("up", "")
	if want := "invalid configuration: env.A needs MCPCTL_TEST_NOT_SET, not set: see mcpctl describe server up"; err == nil || err.Error() != want {
		t.Errorf("the client gets %v, want %s", err, want)
	}
	r.put(t, "secrets.yaml", []byte("MCPCTL_TEST_NOT_SET: \"x\"\n"))
	if err := os.Chmod(filepath.Join(r.dir, "secrets.yaml"), 0o644); err != nil {
		t.Fatal(err)
	}
	r.reload(t)
	contains(t, "the problem", r.problems(), "secrets.yaml is not read", "mode 0644, want 0600", "chmod 600 ")
	r.put(t, "secrets.yaml", []byte("MCPCTL_TEST_NOT_SET: \"x\"\n"))
	r.reload(t)
	if p := r.problems(); p != "" {
		t.Errorf("still reported after the repair: %s", p)
	}
	r.dial(t).alive(t)
}

// An object with a warning is loaded, and the warning is reported once.
func TestWarningIsReportedOnce(t *testing.T) {
	t.Parallel()
	var log hosttest.LogBuffer
	r := newRig(t, files{"projects/home.yaml": "kind: Project\nmetadata: {name: home}\nspec: {proxyMode: filtered}\n"}, func(o *Options) { o.Log = log.Logger() })
	r.reload(t)
	if got := log.Lines("file loaded with a warning", "filtered is the old name"); len(got) != 1 || len(log.Lines("file not loaded")) > 0 {
		t.Errorf("logged: %q", log.Lines(""))
	}
	if list := r.Problems(); len(list) != 1 || !list[0].Warning {
		t.Errorf("problems: %v, want one warning", list)
	}
}
