package pin

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/object"
)

func TestCanonicalForm(t *testing.T) {
	deep := strings.Repeat("[", maxDepth+2) + strings.Repeat("]", maxDepth+2)
	for _, tt := range []struct {
		name, a, b string
		same       bool
	}{
		{"order of members", `{"name":"a","inputSchema":{"type":"object","x":1}}`, `{"inputSchema": {"x":1, "type":"object"},"name":"a"}`, true},
		{"escapes", `{"name":"a","description":"<\u0041>"}`, `{"name":"a","description":"<A>"}`, true},
		{"_meta", `{"name":"a","_meta":{"x":1}}`, `{"name":"a"}`, false},
		{"_meta of a property", `{"name":"a","inputSchema":{"_meta":1}}`, `{"name":"a","inputSchema":{}}`, false},
		{"description", `{"name":"a","description":"x"}`, `{"name":"a","description":"y"}`, false},
		{"title", `{"name":"a"}`, `{"name":"a","title":"y"}`, false},
		{"annotations", `{"name":"a","annotations":{"readOnlyHint":true}}`, `{"name":"a","annotations":{"readOnlyHint":false}}`, false},
		{"order of an array", `{"name":"a","inputSchema":{"enum":[1,2]}}`, `{"name":"a","inputSchema":{"enum":[2,1]}}`, false},
		{"large numbers", `{"name":"a","x":10000000000000001}`, `{"name":"a","x":10000000000000000}`, false},
		{"a member twice, the first differs", `{"name":"a","description":"x","description":"z"}`, `{"name":"a","description":"y","description":"z"}`, false},
		{"a member twice, in another order", `{"name":"a","description":"x","description":"z"}`, `{"name":"a","description":"z","description":"x"}`, false},
		{"a member with another case", `{"name":"a","Description":"x"}`, `{"name":"a","Description":"y"}`, false},
		{"nested too deeply", `{"a":` + deep + `}`, `{"a": ` + deep + `}`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := NewDefinition("a", []byte(tt.a)), NewDefinition("a", []byte(tt.b))
			if (a.SHA256 == b.SHA256) != tt.same {
				t.Errorf("same hash: %v, want %v\n%s\n%s", !tt.same, tt.same, a.Text, b.Text)
			}
		})
	}
}

// list returns definitions from "name=description".
func list(tools ...string) (all []Definition) {
	for _, tool := range tools {
		name, text, _ := strings.Cut(tool, "=")
		all = append(all, NewDefinition(name, fmt.Appendf(nil, `{"name":%q,"description":%q}`, name, text)))
	}
	return all
}

type rig struct {
	*Store
	home     homedir.Dir
	policy   string
	now      time.Time
	reports  []string
	recorded int
}

func newRig(t *testing.T, policy string) *rig {
	r := &rig{home: homedir.Dir(t.TempDir()), policy: policy, now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	if err := os.Mkdir(string(r.home)+"/run", 0o700); err != nil {
		t.Fatal(err)
	}
	r.open()
	return r
}

// open opens the Store as a daemon that is started again does.
func (r *rig) open() {
	r.Store = Open(Options{Home: r.home, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return r.now },
		Policy: func(string) string { return r.policy }, Recorded: func(_ string, n int) { r.recorded += n },
		Changed: func(c Change) { r.reports = append(r.reports, c.Tool) }})
}

// show records a list and returns it as clients see it.
func (r *rig) show(tools ...string) string {
	all := list(tools...)
	r.Record("s", all)
	instead := r.Substitutes("s", func() []Definition { return all })
	var shown []string
	for i, tool := range tools {
		text, held := instead[i]
		switch {
		case !held:
			shown = append(shown, tool)
		case text != "":
			_, text, _ = strings.Cut(text, `"description":"`)
			text, _, _ = strings.Cut(text, `"`)
			shown = append(shown, all[i].Name+"="+text)
		}
	}
	return strings.Join(shown, " ")
}

// approve approves all pending tools, as a command does.
func (r *rig) approve(t *testing.T) {
	t.Helper()
	if err := Update(r.home, func(l *Lock) error {
		for _, name := range l.Servers["s"].Pending() {
			l.Servers["s"].Tools[name].Approve(r.now)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	r.Reload()
}

func TestRules(t *testing.T) {
	large := strings.Repeat("x", maxText)
	for _, tt := range []struct {
		name    string
		lists   []string // tools separated by a space; "approve", "restart"
		hold    string   // shown with the policy hold
		reports string
		callA   bool // the tool a can be called with the policy hold
	}{
		{"the first list is approved", []string{"a=1 b=2"}, "a=1 b=2", "", true},
		{"no change", []string{"a=1 b=2", "a=1 b=2"}, "a=1 b=2", "", true},
		{"another order", []string{"a=1 b=2", "b=2 a=1"}, "b=2 a=1", "", true},
		{"a changed tool", []string{"a=1 b=2", "a=9 b=2"}, "a=1 b=2", "a", false},
		{"a changed tool after a restart", []string{"a=1", "restart", "a=9", "restart", "a=9"}, "a=1", "a", false},
		{"an approved change", []string{"a=1", "a=9", "approve", "a=9"}, "a=9", "a", true},
		{"a change back after an approval", []string{"a=1", "a=9", "approve", "a=1"}, "a=9", "a a", false},
		{"a change that is withdrawn", []string{"a=1", "a=9", "a=1"}, "a=1", "a", true},
		{"the same change twice is reported once", []string{"a=1", "a=9", "a=1", "a=9"}, "a=1", "a", false},
		{"a removed tool", []string{"a=1 b=2", "b=2"}, "b=2", "", true},
		{"a tool that returns with another definition", []string{"a=1 b=2", "b=2", "a=9 b=2"}, "a=1 b=2", "a", false},
		{"a changed tool that is removed", []string{"a=1 b=2", "a=9 b=2", "b=2"}, "b=2", "a", true},
		{"a new tool", []string{"b=2", "a=1 b=2"}, "b=2", "a", false},
		{"an approved new tool", []string{"b=2", "a=1 b=2", "approve", "a=1 b=2"}, "a=1 b=2", "a", true},
		{"a new tool that is removed", []string{"b=2", "a=1 b=2", "b=2"}, "b=2", "a", false},
		{"a server without tools is not known yet", []string{"", "a=1"}, "a=1", "", true},
		{"all tools removed, then a change", []string{"a=1", "", "a=9"}, "a=1", "a", false},
		{"three changes are reported", []string{"a=1", "a=2", "a=3", "a=4", "a=5", "a=6"}, "a=1", "a a a", false},
		{"a large definition is not shown once it has changed", []string{"a=" + large + " b=2", "a=9 b=2"}, "b=2", "a", false},
		{"a change to a large definition", []string{"a=1", "a=" + large}, "a=1", "a", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, policy := range []string{object.PinHold, object.PinWarn, object.PinOff} {
				r, shown, last := newRig(t, policy), "", ""
				for _, step := range tt.lists {
					switch step {
					case "approve":
						if policy != object.PinOff {
							r.approve(t)
						}
					case "restart":
						r.open()
					default:
						last = step
						shown = r.show(strings.Fields(step)...)
					}
				}
				want, reports := last, tt.reports
				switch policy {
				case object.PinHold:
					want = tt.hold
					var held *HeldError
					if err := r.Check("s", "a"); (err == nil) != tt.callA || err != nil && !errors.As(err, &held) {
						t.Errorf("call: %v, want none: %v", err, tt.callA)
					}
				case object.PinOff:
					reports = ""
				}
				if shown != want {
					t.Errorf("%s: clients see %.200q, want %.200q", policy, shown, want)
				}
				if got := strings.Join(r.reports, " "); got != reports {
					t.Errorf("%s: reported %q, want %q", policy, got, reports)
				}
			}
		})
	}
}

// TestListWithDynamicDescriptions verifies that a server whose definitions differ in each
// list causes a bounded number of writes, and that the file contains a recent one.
func TestListWithDynamicDescriptions(t *testing.T) {
	r := newRig(t, object.PinWarn)
	writes, before := 0, ""
	for i := range 200 {
		r.now = r.now.Add(time.Second)
		r.show(fmt.Sprintf("a=%d", i))
		text, err := os.ReadFile(r.home.ToolsLock())
		if err != nil {
			t.Fatal(err)
		}
		if string(text) != before {
			writes++
		}
		before = string(text)
	}
	if most := freeWrites + 200/60 + 1; writes > most || writes < freeWrites {
		t.Errorf("%d writes, want %d to %d", writes, freeWrites, most)
	}
	if notes := r.Notes("s"); len(notes) != 1 || !strings.Contains(notes[0], "they change often") {
		t.Errorf("notes: %q", notes)
	}
	if len(r.reports) != maxReports {
		t.Errorf("%d reports, want %d", len(r.reports), maxReports)
	}
}

func TestLimits(t *testing.T) {
	r := newRig(t, object.PinHold)
	var tools []string
	for i := range maxTools + 10 {
		tools = append(tools, fmt.Sprintf("t%d=%s", i, strings.Repeat("x", 2000)))
	}
	tools = append(tools, strings.Repeat("n", maxName+1)+"=1")
	if shown := strings.Count(r.show(tools...), " ") + 1; shown != maxTools {
		t.Errorf("%d tools shown, want %d", shown, maxTools)
	}
	if notes := r.Notes("s"); len(notes) != 1 || !strings.Contains(notes[0], "11 of its tools are not compared") {
		t.Errorf("notes: %q", notes)
	}
	info, err := os.Stat(r.home.ToolsLock())
	if err != nil || info.Size() > 2*maxTexts || info.Mode().Perm() != 0o600 {
		t.Errorf("tools.lock: %v, %v", info, err)
	}
}

func TestNotesNameTheTools(t *testing.T) {
	r := newRig(t, object.PinWarn)
	r.show("a=1", "b=1")
	if notes := r.Notes("s"); notes != nil {
		t.Errorf("notes: %q", notes)
	}
	r.show("a=2", "b=1", "c\u202e=1")
	want := `tools with a changed definition: "a"; new tools: "c\u202e"; to compare and approve them: mcpctl approve server s`
	if notes := r.Notes("s"); len(notes) != 1 || notes[0] != want {
		t.Errorf("notes: %q\nwant %q", notes, want)
	}
	r.policy = object.PinHold
	want = `tools with a changed definition, which cannot be called: "a"; new tools, which cannot be called: "c\u202e"; to compare and approve them: mcpctl approve server s`
	if notes := r.Notes("s"); len(notes) != 1 || notes[0] != want {
		t.Errorf("notes: %q\nwant %q", notes, want)
	}
	if held := r.Held("s"); len(held) != 2 {
		t.Errorf("held: %q", held)
	}
}

func TestInvalidLock(t *testing.T) {
	good := list("a=1")[0]
	for name, text := range map[string]string{
		"syntax":        `{`,
		"unknown field": `{"servers":{},"x":1}`,
		"null server":   `{"servers":{"s":null}}`,
		"null tool":     `{"servers":{"s":{"tools":{"a":null}}}}`,
		"another hash":  fmt.Sprintf(`{"servers":{"s":{"tools":{"a":{"approved":{"sha256":%q,"definition":"{}","time":"2026-01-02T03:04:05Z"}}}}}}`, good.SHA256),
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, object.PinHold)
			if err := os.WriteFile(r.home.ToolsLock(), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := Read(r.home); !errors.Is(err, abi.ErrConfig) {
				t.Errorf("Read: %v, want ErrConfig", err)
			}
			r.open()
			if shown := r.show("a=1"); shown != "" {
				t.Errorf("clients see %q, want nothing with the policy hold", shown)
			}
			if r.Check("s", "a") == nil || len(r.Notes("s")) == 0 {
				t.Error("a call is allowed, or there is no note")
			}
			if now, err := os.ReadFile(r.home.ToolsLock()); err != nil || string(now) != text {
				t.Errorf("the file was changed: %q, %v", now, err)
			}
		})
	}
}

func TestForget(t *testing.T) {
	r := newRig(t, object.PinHold)
	r.show("a=1")
	if err := r.Forget("s"); err != nil {
		t.Fatal(err)
	}
	if shown := r.show("a=2"); shown != "a=2" || r.reports != nil {
		t.Errorf("clients see %q, reported %q", shown, r.reports)
	}
}
