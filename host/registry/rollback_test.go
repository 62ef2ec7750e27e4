package registry

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
)

var errTrapped = errors.New("guest trapped: unreachable")

// reportFailure reports a failure of a role of the module in this file.
func (h *home) reportFailure(file, role string) (Rollback, bool) {
	return h.ReportFailure(Failure{Hash: full(file), Role: role, Cause: errTrapped})
}

// scanStages scans stages/ like the watcher. Unlike Rescan it does not retry versions that
// were rolled back.
func (h *home) scanStages() {
	h.t.Helper()
	h.scan(context.Background())
	if err := h.waitFor(context.Background(), nil); err != nil {
		h.t.Error(err)
	}
}

func TestThirdFailureRestoresPreviousVersion(t *testing.T) {
	h := newHome(t, Options[*fakeModule]{})
	good, bad := "ok mine:stage v:1.", "ok mine:stage v:2."
	h.write("stages/mine.wasm", good)
	h.scanStages()
	for range usesOfProven {
		h.want("mine", local(good))
	}
	for range failuresOfNew + 1 {
		h.reportFailure(good, "mine") // proven: only the breaker counts these
	}
	h.write("stages/mine.wasm", bad)
	h.scanStages()
	h.reportFailure(bad, "mine")
	h.reportFailure(bad, "mine")
	if _, rolledBack := h.reportFailure("some other module", "mine"); rolledBack {
		t.Error("rolled back by a failure of another module")
	}
	h.want("mine", local(bad))
	got, rolledBack := h.reportFailure(bad, "mine")
	h.want("mine", local(good))
	why := `guest failed: module "mine": new version failed 3 times, the last time in "mine": guest trapped: unreachable; previous version serves; fix the file, or load it again with mcpctl reload`
	h.wantStatus("mine", "local failed: "+why)
	if want := (Rollback{File: "stages/mine.wasm", From: full(bad), To: full(good), Reason: why}); !rolledBack || got != want {
		t.Errorf("got %v, %+v\nwant %+v", rolledBack, got, want)
	}
	loads := h.loader.count()
	h.scanStages()
	h.want("mine", local(good)) // the file still contains the bad version
	if h.loader.count() != loads {
		t.Error("loaded again")
	}
	h.write("stages/mine.wasm", "ok mine:stage v:3.")
	h.scanStages()
	h.want("mine", local("ok mine:stage v:3."))
	h.wantStatus("mine", "local untrusted")
	h.write("stages/mine.wasm", bad)
	h.scanStages()
	h.want("mine", local("ok mine:stage v:3."))
	h.wantStatus("mine", "local failed: "+why)
}

// Status names this way out: mcpctl reload calls Rescan.
func TestRescanRetriesRolledBackVersion(t *testing.T) {
	h := newHome(t, Options[*fakeModule]{})
	good, bad := "ok mine:stage v:1.", "ok mine:stage v:2."
	h.write("stages/mine.wasm", good)
	h.scanStages()
	h.write("stages/mine.wasm", bad)
	h.scanStages()
	for range 2 {
		for range failuresOfNew {
			h.want("mine", local(bad))
			h.reportFailure(bad, "mine")
		}
		h.want("mine", local(good))
		h.rescan()
		h.wantStatus("mine", "local untrusted")
	}
	h.want("mine", local(bad))
}

func TestFirstVersionIsReplacedByBuiltin(t *testing.T) {
	h := newHome(t, Options[*fakeModule]{})
	h.write("stages/head.wasm", "ok head:stage.")
	h.scanStages()
	for range 5 {
		h.reportFailure("ok head:stage.", "head")
		h.reportFailure(builtinFile, "head")
	}
	h.want("head", builtin(builtinFile))
	h.wantStatus("head", `built-in ready; local failed: guest failed: module "head": new version failed 3 times, the last time in "head": guest trapped: unreachable; built-in serves; fix the file, or load it again with mcpctl reload`)
}

// A rollback that removed roles would break the models that use them, which is
// worse than one failing role.
func TestRollbackRemovesNoRole(t *testing.T) {
	for _, tt := range []struct {
		rule, before, after string
		rolledBack          bool
	}{
		{"the previous version has all roles", "ok a:stage b:stage.", "ok b:stage a:stage.", true},
		{"the new version has fewer roles", "ok a:stage b:stage.", "ok a:stage.", true},
		{"the new version has an additional role", "ok a:stage.", "ok a:stage b:stage.", false},
		{"the additional role is built-in", "ok a:stage.", "ok a:stage paginate:stage.", true},
		{"no role in common", "ok x:stage.", "ok a:stage.", false},
		{"a filter", "ok a:filter.", "ok a:filter b:filter.", false},
		{"a stage beside a filter", "ok a:stage f:filter.", "ok f:filter a:stage.", false},
		{"no previous version", "", "ok a:stage paginate:stage.", false},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			var log bytes.Buffer
			h := newHome(t, Options[*fakeModule]{Log: slog.New(slog.NewTextHandler(&log, nil))})
			for _, text := range []string{tt.before, tt.after} {
				if text != "" {
					h.write("stages/mine.wasm", text)
					h.scanStages()
				}
			}
			rolledBack := false
			for range failuresOfNew + 2 {
				_, now := h.reportFailure(tt.after, "a")
				rolledBack = rolledBack || now
			}
			if rolledBack != tt.rolledBack {
				t.Errorf("rolled back: %v, want %v", rolledBack, tt.rolledBack)
			}
			want := local(tt.after)
			if tt.rolledBack {
				want = local(tt.before)
			}
			h.want("a", want)
			h.close() // ends all writes to the log
			if n := strings.Count(log.String(), "keeps failing, no rollback") + strings.Count(log.String(), "rolled back"); n != 1 || !strings.Contains(log.String(), errTrapped.Error()) {
				t.Errorf("%d lines report it, want 1:\n%s", n, log.String())
			}
		})
	}
}
