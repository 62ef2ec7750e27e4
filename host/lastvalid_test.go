package host

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/event"
	"github.com/mcpctl/mcpctl/host/hosttest"
	"github.com/mcpctl/mcpctl/host/object"
)

// The last valid version of an invalid proxymodel is used, also after a restart.
// Status and an event report it.
func TestInvalidModelUsesLastValidVersion(t *testing.T) {
	const stage = "THE STAGE WROTE THIS"
	redact := filterOf(new(hosttest.Module).Call("out_write", "FILTERED"))
	for name, c := range map[string]struct {
		change      func(t *testing.T, r *rig)
		want, state string
	}{
		"typo in a stage": {func(t *testing.T, r *rig) {
			r.put(t, "proxymodels/m.yaml", []byte(model("m", "type: onw")))
		}, stage, `proxymodel "m" is invalid: until it is corrected its last valid version serves`},
		"deleted stage": {func(t *testing.T, r *rig) {
			if err := r.DeleteStage(t.Context(), "own"); err != nil {
				t.Fatal(err)
			}
		}, "raw", `its last valid version serves, without own, which does not exist`},
		"stage that is not approved": {func(t *testing.T, r *rig) {
			r.put(t, "stages.lock", []byte(`{"stages":{}}`))
		}, "raw", `its last valid version serves, without own, which does not serve: module "own": not trusted: it is not in stages.lock; to load it: mcpctl stage trust own`},
		"project without a model": {func(t *testing.T, r *rig) {
			r.put(t, "projects/home.yaml", []byte(project("nosuch")))
		}, stage, `project "home" is invalid: until it is corrected proxymodel "m" serves, which it named before`},
		"deleted model": {func(t *testing.T, r *rig) {
			if err := os.Remove(filepath.Join(r.dir, "proxymodels/m.yaml")); err != nil {
				t.Fatal(err)
			}
		}, stage, `proxymodel "m" serves, which it named before`},
		"deleted filter": {func(t *testing.T, r *rig) {
			r.put(t, "stages/redact.wasm", redact)
			r.put(t, "proxymodels/m.yaml", []byte(model("m", "type: redact", "type: own")))
			r.reload(t)
			if err := os.Remove(filepath.Join(r.dir, "stages/redact.wasm")); err != nil {
				t.Fatal(err)
			}
		}, "", `proxymodel "m" is invalid: until it is corrected content is withheld, because "redact" is missing and may be a filter`},
		"filter added by the invalid version": {func(t *testing.T, r *rig) {
			r.put(t, "stages/redact.wasm", redact)
			r.put(t, "proxymodels/m.yaml", []byte(model("m", "type: redact", "type: onw")))
		}, "FILTERED", `its filters run, its stages do not`},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, files{"projects/home.yaml": project("m"), "proxymodels/m.yaml": model("m", "type: own"),
				"stages/own.wasm": string(hosttest.Write(stage))})
			c.change(t, r)
			r.reload(t)
			r.wantServed(t, "at once", c.want, c.state)
			if n := len(r.Events(0, event.Query{Types: []event.Type{event.ConfigInvalid}})); n == 0 {
				t.Error("no event")
			}
			r.stop()
			again := openRig(t, r.dir)
			again.wantServed(t, "after a restart", c.want, c.state)
		})
	}
}

// wantServed checks the text that the client receives ("raw": unchanged, "":
// withheld) and a problem.
func (r *rig) wantServed(t *testing.T, when, want, problem string) {
	t.Helper()
	sh, err := r.Transform(t.Context(), scope, toolResult([]byte("raw"), ""))
	switch text := string(sh.Text); {
	case want == "" && err == nil && sh.Blocked == "":
		t.Errorf("%s: not withheld: %q", when, text)
	case want == "":
	case err != nil || sh.Blocked != "":
		t.Errorf("%s: withheld: %v %s", when, err, sh.Blocked)
	case want == "raw" && sh.Changed && text != "raw", want != "raw" && !strings.Contains(text, want):
		t.Errorf("%s: shown %q, want %q", when, text, want)
	}
	if got := r.problems(); !strings.Contains(got, problem) {
		t.Errorf("%s: problems\n%s\nwant %s", when, got, problem)
	}
}

// If the model is invalid at the first start, there is no last valid version: its
// filters run, its stages do not.
func TestInvalidModelWithoutValidVersion(t *testing.T) {
	r := newRig(t, files{"projects/home.yaml": project("m"), "proxymodels/m.yaml": model("m", "type: secton-split")})
	r.wantServed(t, "a stage", "raw", "its filters run, its stages do not")
	r = newRig(t, files{"projects/home.yaml": project("nosuch")})
	r.wantServed(t, "no model in a home without filters", "raw", "content passes unchanged")
	r = newRig(t, files{"projects/home.yaml": project("nosuch"), "stages/redact.wasm": string(filterOf(new(hosttest.Module)))})
	r.wantServed(t, "no model in a home with a filter", "", "content is withheld, because a filter may be missing")
}

// A damaged record of the last valid models is ignored.
func TestDamagedLastValidFile(t *testing.T) {
	r := newRig(t, files{"projects/home.yaml": project("m"), "proxymodels/m.yaml": model("m", "type: secton-split"), "run/last-valid.json": `{"models":[{"Name":`})
	r.wantServed(t, "damaged", "raw", "its filters run")
}

// A model whose stage fails on the sample of the check is used, and is not reported
// as invalid.
func TestModelThatFailsOnSampleIsUsed(t *testing.T) {
	r := newRig(t, files{"stages/own.wasm": string(new(hosttest.Module).Trap().File())})
	objects, _, err := object.Decode("m.yaml", []byte(model("m", "type: own")))
	if err != nil {
		t.Fatal(err)
	}
	found, err := r.Lab().CheckObjects(t.Context(), objects)
	if err != nil {
		t.Fatal(err)
	}
	f := found[objects[0].Key()]
	if len(f.Errors) != 1 || !strings.Contains(f.Errors.Error(), "fails on one line of text") || f.State != "" {
		t.Errorf("found %v, state %q", f.Errors, f.State)
	}
}

// If the module of a filter became a stage while no daemon was running, content is
// withheld until the proxymodel does not use it as a filter.
func TestFilterReplacedByStageWhileNoDaemonRan(t *testing.T) {
	filtered := model("m", "type: redact", "type: own")
	r := newRig(t, files{"projects/home.yaml": project("m"), "proxymodels/m.yaml": filtered,
		"stages/redact.wasm": string(filterOf(new(hosttest.Module).Call("out_write", "FILTERED"))),
		"stages/own.wasm":    string(hosttest.Write("OWN"))})
	r.wantServed(t, "with the filter", "OWN", "")
	r.stop()
	r.put(t, "stages/redact.wasm", stageOf("redact", new(hosttest.Module).Returns(abi.ReturnPass)))
	for range 2 { // starts
		again := openRig(t, r.dir)
		again.wantServed(t, "after a start", "", `"redact" was a filter and is a stage now: make it a filter again, or first remove it from stages`)
		again.stop()
	}
	restored := openRig(t, r.dir)
	restored.put(t, "stages/redact.wasm", filterOf(new(hosttest.Module).Call("out_write", "FILTERED")))
	restored.reload(t)
	restored.wantServed(t, "with the filter again", "OWN", "")
	restored.put(t, "stages/redact.wasm", stageOf("redact", new(hosttest.Module).Returns(abi.ReturnPass)))
	restored.stop()
	last := openRig(t, r.dir)
	last.put(t, "proxymodels/m.yaml", []byte(model("m", "type: own")))
	last.reload(t)
	last.wantServed(t, "without the step", "OWN", "")
	last.put(t, "proxymodels/m.yaml", []byte(filtered))
	last.reload(t)
	last.wantServed(t, "with the stage", "OWN", "")
}
