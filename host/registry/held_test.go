package registry

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// A file that may not be loaded is listed with the roles that it could have, so that its error is
// that of a role, whatever the name of the file.
func TestHeldFileHasRoles(t *testing.T) {
	held := fmt.Errorf("%w: not approved", abi.ErrUnavailable)
	h := newHome(t, Options[*fakeModule]{
		Admit: func() func(string, File) error { return func(string, File) error { return held } },
		Roles: func(name string, f File, loads bool) []string {
			text, err := f.Read()
			if err != nil || loads {
				t.Errorf("%v, loads %v", err, loads)
			}
			if strings.HasPrefix(string(text), "panic") {
				panic("in the manifest")
			}
			return []string{"cut", "join"}
		},
	})
	h.write("stages/tools.wasm", "ok cut:stage join:stage.")
	h.write("stages/bad.wasm", "panic")
	h.rescan()
	h.wantStatus("cut", `local failed: module "tools": unavailable: not approved`)
	h.wantStatus("join", `local failed: module "tools": unavailable: not approved`)
	h.wantStatus("tools", "")
	h.wantStatus("bad", `local failed: module "bad": unavailable: not approved`)
	if got := h.serves("cut"); !strings.Contains(got, `role "cut" is in no module that is loaded: module "tools": unavailable: not approved`) {
		t.Errorf("got %s", got)
	}
}

// The status can be read while the roles of a held file are being read.
func TestStatusWhileHeldFileIsRead(t *testing.T) {
	var h *home
	seen := false
	h = newHome(t, Options[*fakeModule]{
		Admit: func() func(string, File) error { return func(string, File) error { return abi.ErrUnavailable } },
		Roles: func(string, File, bool) []string {
			h.wantStatus("tools", "local compiling")
			seen = true
			return []string{"cut"}
		},
	})
	h.write("stages/tools.wasm", "ok cut:stage.")
	h.rescan()
	h.wantStatus("cut", `local failed: module "tools": unavailable`)
	if !seen {
		t.Error("the roles were not read")
	}
}

// A file that is not admitted is not loaded, and is taken out of service if it was; a version
// from before the file was replaced stays.
func TestAdmit(t *testing.T) {
	refused := make(map[string]bool) // by content
	admit := func(_ string, f File) error {
		file, err := f.Read()
		if err != nil {
			t.Error(err)
		}
		if refused[string(file)] {
			return fmt.Errorf("%w: not approved", abi.ErrUnavailable)
		}
		return nil
	}
	h := newHome(t, Options[*fakeModule]{Admit: func() func(string, File) error { return admit }})
	first, second := "ok mine:stage.", "ok mine:stage:required."
	h.write("stages/mine.wasm", first)
	h.rescan()
	h.want("mine", local(first))
	refused[second] = true
	h.write("stages/mine.wasm", second)
	h.rescan()
	h.want("mine", local(first))
	if text := statusOf(h, "mine"); !strings.HasSuffix(text, "not approved, previous version stays") {
		t.Errorf("status %q", text)
	}
	refused[second] = false
	h.rescan()
	h.want("mine", local(second))
	refused[second] = true
	h.rescan()
	if _, _, err := h.AcquireLoaded(t.Context(), "mine"); err == nil {
		t.Error("a file that is not admitted any more is in service")
	}
	refused[second] = false
	h.rescan()
	h.want("mine", local(second))
}

// A file that is refused while it is being loaded does not come into service.
func TestFileIsRefusedWhileItIsLoaded(t *testing.T) {
	var refuse atomic.Bool
	h := newHome(t, Options[*fakeModule]{Admit: func() func(string, File) error {
		return func(name string, _ File) error {
			if refuse.Load() {
				return fmt.Errorf("%w: not approved", abi.ErrUnavailable)
			}
			return nil
		}
	}})
	h.rescan()
	let := h.loader.holdBack("mine")
	const file = "ok mine:stage."
	h.write("stages/mine.wasm", file)
	h.scan(t.Context())
	refuse.Store(true)
	h.scan(t.Context())
	let()
	h.rescan()
	h.want("mine", `not found: role "mine" is in no module that is loaded: module "mine": unavailable: not approved`)
	h.wantStatus("mine", `local failed: module "mine": unavailable: not approved`)
	refuse.Store(false)
	h.rescan()
	h.want("mine", local(file))
}

// statusOf returns the status of a role.
func statusOf(h *home, role string) string {
	for _, s := range h.Status() {
		if s.Name == role {
			return s.String()
		}
	}
	return ""
}
