package failure

import (
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/hosttest"
)

// keepText is a cleaner that removes nothing.
func keepText() func(string) string { return func(text string) string { return text } }

// The error of a guest may quote a secret of a server.
func TestSecretsAreRemoved(t *testing.T) {
	var log hosttest.LogBuffer
	f := NewLog(log.Logger(), func() func(string) string { return strings.NewReplacer("CANARY", "***").Replace })
	f.NoteStages("home", "up/get", []flow.StageReport{{Role: "head", ModuleHash: "h", Outcome: "failed", Error: "got CANARY"}}, time.UnixMilli(0))
	f.NoteHook("home", flow.HookReport{Role: "steer", ModuleHash: "h", Error: "got CANARY too"}, true, time.UnixMilli(0))
	if got := log.Lines("cause=", "got ***"); len(got) != 2 || len(log.Lines("CANARY")) > 0 {
		t.Errorf("log: %q", log.Lines(""))
	}
	for _, role := range []string{"head", "steer"} {
		if row, _ := f.Last(role, "h"); !strings.HasPrefix(row.Cause, "got ***") {
			t.Errorf("status: %q", row.Cause)
		}
	}
}

func TestErrCountsOnlySeveralFailures(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for count, want := range map[int]string{
		1: `stage "head" failed at 03:04:05: trap`,
		2: `stage "head" failed 2 times in a row, last at 03:04:05: trap`,
	} {
		if got := (Record{Kind: "stage", Role: "head", Cause: "trap", Count: count, Last: at}).Err().Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestEqualFailuresAreLoggedOnceMinute(t *testing.T) {
	var log hosttest.LogBuffer
	f := NewLog(log.Logger(), keepText)
	start := time.UnixMilli(0)
	report := func(text string) []flow.StageReport {
		return []flow.StageReport{{Role: "head", ModuleHash: "h", Outcome: "failed", Error: text}}
	}
	for i := range 120 { // two minutes of traffic; the figures differ, the cause does not
		f.NoteStages("home", "up/get", report("took "+time.Duration(i+1).String()), start.Add(time.Duration(i)*time.Second))
	}
	if got := log.Lines("stage failed"); len(got) != 2 || !strings.Contains(got[1], "before=59") {
		t.Errorf("got %q, want one line a minute, with the number of suppressed ones", got)
	}
	f.NoteStages("home", "up/get", report("another cause"), start)
	if got := log.Lines("another cause"); len(got) != 1 {
		t.Errorf("another cause: %q", got)
	}
	f.NoteStages("home", "up/get", []flow.StageReport{{Role: "head", ModuleHash: "h", Outcome: "failed", Error: "out of service", Skipped: true}}, start)
	if row, ok := f.Last("head", "h"); !ok || row.Cause != "another cause" {
		t.Errorf("a skipped run replaced the cause: %+v", row)
	}
	f.NoteStages("home", "up/get", []flow.StageReport{{Role: "head", ModuleHash: "h", Outcome: "pass"}}, start)
	if list := f.Current(); len(list) > 0 {
		t.Errorf("recovered roles are still listed: %+v", list)
	}
	for range 3 * maxMessages {
		f.NoteStages("home", "up/get", report(strings.Repeat("x", len(f.limiter))), start)
	}
	if len(f.limiter) > maxMessages {
		t.Errorf("%d causes are kept", len(f.limiter))
	}
}
