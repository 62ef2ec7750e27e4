package registry

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// A file overrides only the built-in roles that it has. When the file is deleted,
// the built-in role serves again.
func TestFilesOverrideByRoleName(t *testing.T) {
	h := newHome(t, Options[*fakeModule]{})
	h.want("head", builtin(builtinFile))
	mine := "ok head:stage:required mine:filter."
	h.write("stages/any-name.wasm", mine)
	h.rescan()
	h.want("head", local(mine))
	h.want("mine", local(mine))
	h.want("paginate", builtin(builtinFile))
	h.want("absent", `not found: role "absent" is in no module`)
	if role, ok := h.Lookup("mine"); !ok || role.Kind != abi.KindFilter {
		t.Errorf("lookup: %+v, %v", role, ok)
	}
	h.remove("stages/any-name.wasm")
	h.rescan()
	h.want("head", builtin(builtinFile))
	h.want("mine", `not found: role "mine" is in no module`)
	if got := fmt.Sprint(h.loader.loads); got != "[builtin true any-name false]" {
		t.Errorf("loads: %s", got)
	}
}

func TestStatus(t *testing.T) {
	h := newHome(t, Options[*fakeModule]{})
	h.write("stages/mine.wasm", "ok head:stage:required.")
	h.write("stages/broken.wasm", "ok broken:sta")
	h.rescan()
	var got []string
	for _, s := range h.Status() {
		got = append(got, fmt.Sprint(s.Name, " ", s.Kind, " ", s.Source, " ", s.RequiresLLM, " ", s.ABI, " ", s.String()))
	}
	want := []string{
		`broken  local   failed: guest failed: module "broken": ends inside the code section`,
		"gate controller built-in no 1.0 ready",
		"head stage local yes 1.0 untrusted",
		"paginate stage built-in no 1.0 ready",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestTwoFilesWithOneRole(t *testing.T) {
	h := newHome(t, Options[*fakeModule]{})
	h.write("stages/a.wasm", "ok head:stage a:stage.")
	h.write("stages/b.wasm", "ok b:stage head:stage.")
	h.rescan()
	const why = `conflict: role "head" is in stages/a.wasm and in stages/b.wasm: keep one of them`
	h.want("head", why)
	h.wantStatus("head", "local failed: "+why+"; local failed: "+why)
	h.wantStatus("a", "local untrusted")
	h.want("b", local("ok b:stage head:stage."))
	if _, ok := h.Lookup("head"); ok {
		t.Error("lookup finds a role with a conflict")
	}
	h.remove("stages/a.wasm")
	h.rescan()
	h.want("head", local("ok b:stage head:stage."))
}

// The error of a role that many files have is short, and is the same each time.
func TestManyFilesWithOneRole(t *testing.T) {
	h := newHome(t, Options[*fakeModule]{})
	for _, name := range []string{"e", "d", "c", "b", "a"} {
		h.write("stages/"+name+".wasm", "ok head:stage.")
	}
	h.rescan()
	h.want("head", `conflict: role "head" is in stages/a.wasm, in stages/b.wasm, in stages/c.wasm and in 2 more files: keep one of them`)
}

// A copy of a module under another name does not take the role out of service.
func TestFileNamedAfterItsRoleServes(t *testing.T) {
	h := newHome(t, Options[*fakeModule]{})
	head := "ok head:stage v:1."
	h.write("stages/head.wasm", head)
	h.rescan()
	h.write("stages/aaa.wasm", "ok head:stage v:2. extra:stage.")
	h.write("stages/zzz.wasm", head)
	h.rescan()
	h.want("head", local(head))
	const why = `local failed: conflict: role "head" is in stages/head.wasm, which serves: remove stages/`
	h.wantStatus("head", why+"aaa.wasm; local untrusted; "+why+"zzz.wasm")
	h.remove("stages/aaa.wasm")
	h.remove("stages/zzz.wasm")
	h.rescan()
	h.wantStatus("head", "local untrusted")
}

func TestInvalidVersionKeepsPreviousOne(t *testing.T) {
	good := "ok head:stage v:1."
	for name, bad := range map[string]string{
		"half-written": "ok head:sta",
		"empty":        "",
		"text":         "#!/bin/sh\n.",
		"panic":        "panic.",
		"another kind": "ok head:controller v:2.",
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t, Options[*fakeModule]{})
			h.write("stages/head.wasm", good)
			h.rescan()
			h.write("stages/head.wasm", bad)
			h.rescan()
			h.want("head", local(good))
			status := h.Status()[1]
			if !strings.HasPrefix(status.String(), "failed: ") || !strings.HasSuffix(status.Why, ", previous version stays") || status.Hash != full(good) {
				t.Errorf("status: %+v", status)
			}
			loads := h.loader.count()
			h.rescan()
			if h.loader.count() != loads {
				t.Error("the same broken file was loaded again")
			}
			h.write("stages/head.wasm", good)
			h.rescan()
			h.wantStatus("head", "local untrusted")
			if h.loader.count() != loads {
				t.Error("the version that serves was loaded again")
			}
			next := "ok head:stage v:2."
			h.write("stages/head.wasm", next)
			h.rescan()
			h.want("head", local(next))
		})
	}
}

// A stage in place of a filter would show the content that the filter removed.
func TestFilterIsNotReplacedByAStage(t *testing.T) {
	h := newHome(t, Options[*fakeModule]{})
	filter, stage := "ok mask:filter v:1.", "ok mask:stage v:2."
	h.write("stages/mask.wasm", filter)
	h.rescan()
	h.write("stages/mask.wasm", stage)
	h.rescan()
	h.want("mask", local(filter))
	h.wantStatus("mask", `local failed: conflict: "mask" is a filter, and the new version a stage: delete the filter first, or give the new one another name, previous version stays`)
	h.remove("stages/mask.wasm")
	h.rescan()
	h.write("stages/mask.wasm", stage)
	h.rescan()
	h.want("mask", local(stage))
	h.write("stages/mask.wasm", filter)
	h.rescan()
	h.want("mask", local(filter))
}

// Files that are not regular are not opened; Status reports their kind.
func TestIrregularFilesAreRefused(t *testing.T) {
	h := newHome(t, Options[*fakeModule]{})
	stages := filepath.Join(h.dir, stagesDir)
	outside := filepath.Join(t.TempDir(), "outside.wasm")
	good := "ok inside:stage."
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.WriteFile(outside, []byte("ok outside:stage."), 0o600))
	must(os.Symlink(outside, filepath.Join(stages, "out.wasm")))
	must(os.Symlink("../stages/../../x.wasm", filepath.Join(stages, "up.wasm")))
	must(os.Symlink("nowhere.wasm", filepath.Join(stages, "nothing.wasm")))
	must(os.Mkdir(filepath.Join(stages, "directory.wasm"), 0o700))
	mkfifo(t, filepath.Join(stages, "fifo.wasm"))
	must(os.Symlink("fifo.wasm", filepath.Join(stages, "link-to-fifo.wasm")))
	must(os.Symlink("/dev/zero", filepath.Join(stages, "device.wasm")))
	must(os.WriteFile(filepath.Join(stages, "large.wasm"), nil, 0o600))
	must(os.Truncate(filepath.Join(stages, "large.wasm"), abi.LimitModuleBytes+1))
	must(os.Mkdir(filepath.Join(stages, "..2026"), 0o700)) // layout of a Kubernetes volume
	must(os.WriteFile(filepath.Join(stages, "..2026", "inside.wasm"), []byte(good), 0o600))
	must(os.Symlink("..2026", filepath.Join(stages, "..data")))
	must(os.Symlink("..data/inside.wasm", filepath.Join(stages, "inside.wasm")))
	must(os.WriteFile(filepath.Join(stages, ".hidden.wasm"), []byte(good), 0o600))
	must(os.WriteFile(filepath.Join(stages, "notes.txt"), []byte(good), 0o600))
	h.rescan()
	h.want("inside", local(good))
	want := map[string]string{
		"out":          "is a symbolic link out of stages/, copy the file there",
		"up":           "is a symbolic link out of stages/, copy the file there",
		"nothing":      "is a dangling symbolic link",
		"directory":    "is a directory, want a file",
		"fifo":         "is a FIFO, want a file",
		"link-to-fifo": "is a FIFO, want a file",
		"device":       "is a symbolic link out of stages/, copy the file there",
		"large":        "limit reached: file is 33554433 bytes, limit 33554432",
	}
	for _, s := range h.Status() {
		if s.Source == SourceBuiltin || s.Name == "inside" {
			continue
		}
		if text, ok := want[s.Name]; !ok || !strings.HasSuffix(s.Why, text) || !strings.HasPrefix(s.Why, "module \""+s.Name+"\": ") {
			t.Errorf("%s: %s, want %s", s.Name, s, text)
		}
		delete(want, s.Name)
	}
	for name := range want {
		t.Errorf("no status for %s", name)
	}
	h.remove("stages/..data")
	must(os.Mkdir(filepath.Join(stages, "..2027"), 0o700))
	must(os.WriteFile(filepath.Join(stages, "..2027", "inside.wasm"), []byte("ok inside:stage v:2."), 0o600))
	must(os.Symlink("..2027", filepath.Join(stages, "..data")))
	h.rescan()
	h.want("inside", local("ok inside:stage v:2."))
}

func TestStagesDirectoryMayBeDeletedAndCreated(t *testing.T) {
	h := newHome(t, Options[*fakeModule]{})
	h.write("stages/mine.wasm", "ok mine:stage.")
	h.rescan()
	h.remove("stages")
	h.rescan()
	h.want("mine", `not found: role "mine" is in no module`)
	if err := os.Mkdir(filepath.Join(h.dir, stagesDir), 0o700); err != nil {
		t.Fatal(err)
	}
	h.write("stages/mine.wasm", "ok mine:stage.")
	h.rescan()
	h.want("mine", local("ok mine:stage."))
}

// loaded reports whether the module with this hash is still open.
func (h *home) loaded(hash string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for v := range h.live {
		if v.id == hash {
			return true
		}
	}
	return false
}

// A module is closed only after the last call that uses it.
func TestModuleInUseStaysOpen(t *testing.T) {
	h := newHome(t, Options[*fakeModule]{})
	v := func(n int) string { return fmt.Sprintf("ok head:stage v:%d.", n) }
	h.write("stages/head.wasm", v(1))
	h.rescan()
	handle, release, err := h.Acquire(t.Context(), "head")
	if err != nil {
		t.Fatal(err)
	}
	_, again, err := h.Acquire(t.Context(), "head")
	if err != nil {
		t.Fatal(err)
	}
	for n := 2; n <= 4; n++ {
		h.write("stages/head.wasm", v(n))
		h.rescan()
	}
	m := handle.Module
	release()
	release() // a second call does nothing
	if m.closed.Load() {
		t.Error("closed while a call uses it")
	}
	if !h.loaded(handle.Hash) {
		t.Error("removed from live while a call uses it")
	}
	again()
	if h.loaded(handle.Hash) {
		t.Error("still loaded after the last call")
	}
	h.close()
	if !m.closed.Load() {
		t.Error("never closed")
	}
	if _, _, err := h.Acquire(t.Context(), "head"); !errors.Is(err, abi.ErrUnavailable) {
		t.Errorf("a closed registry: %v", err)
	}
}

func TestProvenVersionClosesPreviousOne(t *testing.T) {
	h := newHome(t, Options[*fakeModule]{})
	h.write("stages/mine.wasm", "ok mine:stage v:1.")
	h.rescan()
	h.write("stages/mine.wasm", "ok mine:stage v:2.")
	h.rescan()
	for range usesOfProven {
		h.serves("mine")
	}
	if h.loaded(full("ok mine:stage v:1.")) {
		t.Error("the previous version is still loaded")
	}
}

func TestReturnToPreviousVersionNeedsNoLoad(t *testing.T) {
	h := newHome(t, Options[*fakeModule]{})
	for _, v := range []string{"1", "2", "1", "2"} {
		text := "ok mine:stage v:" + v + "."
		h.write("stages/mine.wasm", text)
		h.rescan()
		h.want("mine", local(text))
	}
	if n := h.loader.count(); n != 3 { // the built-in and two versions
		t.Errorf("%d loads, want 3", n)
	}
}

func TestCloseCancelsLoads(t *testing.T) {
	h := newHome(t, Options[*fakeModule]{})
	let := h.loader.holdBack("slow")
	h.write("stages/slow.wasm", "ok slow:stage.")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := h.Rescan(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("rescan: %v", err)
	}
	h.scan(context.Background())
	h.close()
	h.close()
	let()
}

// A local role never replaces a built-in of another kind: a stage named "gate" would
// break every project. Its row in Status contains the error.
func TestLocalRoleOfAnotherKindDoesNotServe(t *testing.T) {
	h := newHome(t, Options[*fakeModule]{})
	h.write("stages/gate.wasm", "ok gate:stage mine:stage.")
	h.write("stages/head.wasm", "ok head:filter.")
	h.rescan()
	h.want("gate", builtin(builtinFile))
	h.want("head", builtin(builtinFile))
	h.want("mine", local("ok gate:stage mine:stage."))
	for _, s := range h.Status() {
		if s.Source != SourceLocal || s.Name == "mine" {
			continue
		}
		if s.State != StateFailed || !strings.Contains(s.Why, "is a built-in "+map[string]string{"gate": "controller", "head": "stage"}[s.Name]) {
			t.Errorf("%s: %s", s.Name, s)
		}
	}
	h.remove("stages/gate.wasm")
	h.rescan()
	h.want("gate", builtin(builtinFile))
}

// A listing shows what is loaded while a file takes long to compile.
func TestAcquireLoadedDoesNotWait(t *testing.T) {
	h := newHome(t, Options[*fakeModule]{Wait: time.Hour})
	h.rescan()
	let := h.loader.holdBack("slow")
	h.write("stages/slow.wasm", "ok slow:stage.")
	done := make(chan struct{})
	go func() { defer close(done); h.rescan() }()
	for !slices.ContainsFunc(h.Status(), func(s Status) bool { return s.State == StateCompiling }) {
		time.Sleep(time.Millisecond)
	}
	if _, _, err := h.AcquireLoaded(t.Context(), "slow"); !errors.Is(err, abi.ErrUnavailable) {
		t.Errorf("a role that is being loaded: %v", err)
	}
	m, release, err := h.AcquireLoaded(t.Context(), "head")
	if err != nil || m.Role.Name != "head" {
		t.Fatalf("a loaded role: %+v, %v", m.Role, err)
	}
	release()
	let()
	<-done
}

// During the initial loads a role is not delayed by a file that cannot have it.
func TestAcquireWaitsForFilesWithTheRole(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, stagesDir), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, stagesDir, "slow.wasm"), []byte("ok paginate:stage."), 0o600); err != nil {
		t.Fatal(err)
	}
	l := &fakeLoader{}
	let := l.holdBack("slow")
	h := newHome(t, Options[*fakeModule]{Home: dir, Wait: time.Hour, Loader: l, Roles: func(string, File, bool) []string { return []string{"paginate"} }})
	h.want("head", builtin(builtinFile))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, _, err := h.Acquire(ctx, "paginate"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a role that a file may have: %v", err)
	}
	if _, _, err := h.Acquire(t.Context(), "nowhere"); !errors.Is(err, abi.ErrNotFound) {
		t.Errorf("a role that no file can have: %v", err)
	}
	let()
	h.want("paginate", local("ok paginate:stage."))
}

// The load of a file ends when the file is deleted: it may have a minute of a processor left.
func TestDeletedFileIsNotLoadedToTheEnd(t *testing.T) {
	h := newHome(t, Options[*fakeModule]{})
	h.loader.holdBack("slow") // until its context ends
	h.write("stages/slow.wasm", "ok slow:stage.")
	h.scan(t.Context())
	for h.loader.count() < 2 { // the built-in module and slow
		time.Sleep(time.Millisecond)
	}
	h.remove("stages/slow.wasm")
	h.scan(t.Context())
	for begin := time.Now(); h.loader.ended.Load() == 0; time.Sleep(time.Millisecond) {
		if time.Since(begin) > time.Minute {
			t.Fatal("the load goes on")
		}
	}
	h.wantStatus("slow", "")
}

// WaitForRoles waits for the files that can have one of the roles, and makes them urgent.
func TestWaitForRoles(t *testing.T) {
	h := newHome(t, Options[*fakeModule]{Wait: time.Hour, Roles: func(name string, _ File, _ bool) []string { return []string{name} }})
	let := h.loader.holdBack("slow")
	letOther := h.loader.holdBack("other")
	h.write("stages/slow.wasm", "ok slow:stage.")
	h.write("stages/other.wasm", "ok other:stage.")
	h.scan(t.Context())
	if err := h.WaitForBuiltins(t.Context()); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- h.WaitForRoles(t.Context(), []string{"head", "slow"}) }()
	for !h.loader.isUrgent("slow") {
		time.Sleep(time.Millisecond)
	}
	if h.loader.isUrgent("other") {
		t.Error("a file that cannot have the roles is urgent")
	}
	select {
	case err := <-done:
		t.Fatalf("before the file was loaded: %v", err)
	default:
	}
	let()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	h.want("slow", local("ok slow:stage."))
	if h.loader.isUrgent("slow") {
		t.Error("urgent although no call waits")
	}
	letOther()
}
