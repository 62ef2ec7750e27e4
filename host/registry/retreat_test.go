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

// fails reports a failure of a role of the module in this file.
func (h *home) fails(file, role string) (Retreat, bool) {
	return h.ReportFailure(Failure{Hash: full(file), Role: role, Cause: errTrapped})
}

// look is what the watcher does: unlike a Rescan, which somebody asked for.
func (h *home) look() {
	h.t.Helper()
	h.scan(context.Background())
	if err := h.idle(context.Background()); err != nil {
		h.t.Error(err)
	}
}

// A new version that fails three times gives way to the last good one
func TestThirdFailureBringsBackTheLastGoodVersion(t *testing.T) {
	h := newHome(t, Options[*fakeModule]{})
	good, bad := "ok mine:stage v:1.", "ok mine:stage v:2."
	h.write("stages/mine.wasm", good)
	h.look()
	for range usesOfProven {
		h.want("mine", local(good))
	}
	for range failuresOfNew + 1 {
		h.fails(good, "mine") // proven: the breaker's business
	}
	h.write("stages/mine.wasm", bad)
	h.look()
	h.fails(bad, "mine")
	h.fails(bad, "mine")
	if _, gaveWay := h.fails("some other module", "mine"); gaveWay {
		t.Error("gave way for another module")
	}
	h.want("mine", local(bad))
	gone, gaveWay := h.fails(bad, "mine")
	h.want("mine", local(good))
	why := `guest failed: module "mine": new version failed 3 times, the last time in "mine": guest trapped: unreachable; previous version serves; mend the file, or try it again with mcpctl reload`
	h.wantStatus("mine", "local failed: "+why)
	if want := (Retreat{File: "stages/mine.wasm", From: full(bad), To: full(good), Reason: why}); !gaveWay || gone != want {
		t.Errorf("told %v, %+v\nwant %+v", gaveWay, gone, want)
	}
	loads := h.loader.count()
	h.look()
	h.want("mine", local(good)) // the file is still the bad one
	if h.loader.count() != loads {
		t.Error("loaded again")
	}
	h.write("stages/mine.wasm", "ok mine:stage v:3.")
	h.look()
	h.want("mine", local("ok mine:stage v:3."))
	h.wantStatus("mine", "local untrusted")
	h.write("stages/mine.wasm", bad)
	h.look()
	h.want("mine", local("ok mine:stage v:3."))
	h.wantStatus("mine", "local failed: "+why)
}

// The way out that Status names: whoever asks for a look gets another try.
func TestRescanTriesAVersionAgainThatGaveWay(t *testing.T) {
	h := newHome(t, Options[*fakeModule]{})
	good, bad := "ok mine:stage v:1.", "ok mine:stage v:2."
	h.write("stages/mine.wasm", good)
	h.look()
	h.write("stages/mine.wasm", bad)
	h.look()
	for range 2 {
		for range failuresOfNew {
			h.want("mine", local(bad))
			h.fails(bad, "mine")
		}
		h.want("mine", local(good))
		h.rescan()
		h.wantStatus("mine", "local untrusted")
	}
	h.want("mine", local(bad))
}

func TestFirstVersionGivesWayToTheBuiltin(t *testing.T) {
	h := newHome(t, Options[*fakeModule]{})
	h.write("stages/head.wasm", "ok head:stage.")
	h.look()
	for range 5 {
		h.fails("ok head:stage.", "head")
		h.fails(builtinFile, "head")
	}
	h.want("head", builtin(builtinFile))
	h.wantStatus("head", `built-in ready; local failed: guest failed: module "head": new version failed 3 times, the last time in "head": guest trapped: unreachable; built-in serves; mend the file, or try it again with mcpctl reload`)
}

// A retreat that takes roles away would break the models that use them: worse
// than one role that fails.
func TestNoRoleVanishesByARetreat(t *testing.T) {
	for _, tt := range []struct {
		rule, before, after string
		gaveWay             bool
	}{
		{"the version before has all of them", "ok a:stage b:stage.", "ok b:stage a:stage.", true},
		{"a role fewer is no obstacle", "ok a:stage b:stage.", "ok a:stage.", true},
		{"a new role is", "ok a:stage.", "ok a:stage b:stage.", false},
		{"but not if it is built in", "ok a:stage.", "ok a:stage paginate:stage.", true},
		{"other roles altogether", "ok x:stage.", "ok a:stage.", false},
		{"no version before", "", "ok a:stage paginate:stage.", false},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			var log bytes.Buffer
			h := newHome(t, Options[*fakeModule]{Log: slog.New(slog.NewTextHandler(&log, nil))})
			for _, text := range []string{tt.before, tt.after} {
				if text != "" {
					h.write("stages/mine.wasm", text)
					h.look()
				}
			}
			gaveWay := false
			for range failuresOfNew + 2 {
				_, now := h.fails(tt.after, "a")
				gaveWay = gaveWay || now
			}
			if gaveWay != tt.gaveWay {
				t.Errorf("gave way: %v", gaveWay)
			}
			want := local(tt.after)
			if tt.gaveWay {
				want = local(tt.before)
			}
			h.want("a", want)
			h.close() // nothing writes to the log any more
			if n := strings.Count(log.String(), "keeps failing, it stays") + strings.Count(log.String(), "gives way"); n != 1 || !strings.Contains(log.String(), errTrapped.Error()) {
				t.Errorf("%d lines tell of it:\n%s", n, log.String())
			}
		})
	}
}
