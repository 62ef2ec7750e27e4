package host

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/event"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/hosttest"
)

// file writes content to a file and returns the arguments with which the tools get
// and structured of the fake server return it.
func file(t testing.TB, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "content")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return marshal(t, map[string]string{"file": path})
}

// odd is a JSON value that decoding and encoding would change.
const odd = `{"big":12345678901234567890,"e":1e999,"z":-0.0,"dup":1,"dup":2,"":null,"html":"<&>\u003c\/","é":"\u00e9","a":[ 1 , 2 ]}`

// Without a stage that changes content, the JSON of a result is forwarded byte for
// byte.
func TestIdleModelChangesNothing(t *testing.T) {
	skipShort(t)
	long := []byte(`[` + strings.TrimSuffix(strings.Repeat(odd+",", 200), ",") + `]`)
	for name, m := range map[string]string{
		"no stage":          "kind: ProxyModel\nmetadata: {name: idle}\nspec: {controller: none, stages: []}\n",
		"transforms: false": model("idle", "type: passthrough"),
		"not for results":   "kind: ProxyModel\nmetadata: {name: idle}\nspec: {controller: none, appliesTo: [prompts], stages: [{type: section-split}]}\n",
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, files{"servers/up.yaml": stdioServer("up", ""), "projects/home.yaml": unboundedProject("idle"), "proxymodels/idle.yaml": m})
			c := r.dial(t)
			a := c.tool(t, "up__structured", file(t, long))
			q := marshal(t, string(long))
			if want := `{"content":[{"type":"text","text":` + q + `}],"structuredContent":` + string(long) + `}`; string(a.raw) != want {
				t.Errorf("result differs at byte %d of %d", firstDifference(a.raw, []byte(want)), len(want))
			}
		})
	}
}

func firstDifference(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// verdict is a row of testdata/hostile/verdicts.tsv.
type verdict struct{ file, class, outcome, text string }

func verdicts(t testing.TB) []verdict {
	t.Helper()
	f, err := os.Open("../testdata/hostile/verdicts.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows []verdict
	for s := bufio.NewScanner(f); s.Scan(); {
		if cells := strings.Split(s.Text(), "\t"); len(cells) == 4 && s.Text()[0] != '#' {
			rows = append(rows, verdict{cells[0], cells[1], cells[2], cells[3]})
		}
	}
	if len(rows) < 60 {
		t.Fatalf("%d hostile modules", len(rows))
	}
	return rows
}

// Each hostile module, added to a home with an open session, fails as expected. Its
// content passes through unchanged, the event and the status contain the reason,
// and the other tools of the session work.
func TestHostileModulesInRunningHost(t *testing.T) {
	r := newRig(t, files{"servers/up.yaml": stdioServer("up", ""),
		"projects/home.yaml": "kind: Project\nmetadata: {name: home}\nspec:\n  servers: [up]\n  proxyModel: ungated-subindex\n" +
			"  proxyModelOverrides: {toolResults: {up/get: hostile}}\n",
		"proxymodels/hostile.yaml": model("hostile", "type: hostile")})
	r.put(t, "stages/hostile.wasm", hosttest.Write("a good one, first"))
	r.reload(t)
	c, other := r.dial(t), r.dial(t)
	content := []byte(strings.Repeat("some content ", 500))
	arguments := file(t, content)
	for i, v := range verdicts(t) {
		if testing.Short() && i%6 != 0 && v.outcome != "failed" && v.file != "loop-empty.wasm" {
			continue
		}
		t.Run(strings.TrimSuffix(v.file, ".wasm"), func(t *testing.T) {
			module, err := os.ReadFile("../testdata/hostile/" + v.file)
			if err != nil {
				t.Fatal(err)
			}
			r.put(t, "stages/hostile.wasm", module)
			took := within(t, time.Minute, "taking it in", func() { r.reload(t) })
			var a answer
			called := within(t, time.Minute, "the call", func() { a = c.whileCalling(t, "up__get", arguments, other) })
			status, run := r.status(t, "hostile"), r.lastRun(t)
			switch v.outcome {
			case "refused": // the previous version is used
				if !strings.HasPrefix(a.text(), "a good one, first\n") {
					t.Errorf("answer %.100q, want that of the previous version", a.text())
				}
				if !strings.Contains(status, "failed") || !strings.Contains(status, v.text) || !strings.Contains(status, "previous version stays") {
					t.Errorf("STATUS %q, want %q and that the previous version stays", status, v.text)
				}
			case "pass", "done":
				if a.IsError || a.text() != string(content) && !strings.Contains(a.text(), "read_section(") {
					t.Errorf("answer %.100q", a.text())
				}
			default:
				if a.text() != string(content) || a.IsError {
					t.Errorf("answer %.100q, want the content unchanged", a.text())
				}
				atLimit := strings.Contains(v.outcome, "limit") && strings.Contains(outcomes(run), "(limit") || strings.Contains(outcomes(run), "set limits.")
				if !atLimit && !strings.Contains(outcomes(run), v.text) || !strings.Contains(outcomes(run), "content passed on unchanged") {
					t.Errorf("event reports %q, want %q", outcomes(run), v.text)
				}
			}
			t.Logf("loaded in %v, called in %v: %s | %s", took.Round(time.Millisecond), called.Round(time.Millisecond), status, outcomes(run))
			r.put(t, "stages/hostile.wasm", hosttest.Write("a good one, first")) // a new version with a past
			r.reload(t)
		})
	}
}

// whileCalling calls a tool while another session works. A call of a second or more
// must not block the calls of the other session.
func (c *client) whileCalling(t *testing.T, name, arguments string, other *client) (a answer) {
	t.Helper()
	done := make(chan struct{})
	began := time.Now()
	var took time.Duration
	go func() {
		defer close(done)
		a, _ = c.tryTool(name, arguments)
		took = time.Since(began)
	}()
	for meanwhile := 0; ; meanwhile++ {
		if b := other.tool(t, "up__echo", `{"text":"other"}`); b.text() != "other" {
			t.Errorf("another session gets %q", b.text())
		}
		select {
		case <-done:
			if meanwhile == 0 && took > time.Second {
				t.Errorf("no call of another session ended in the %v of the call", took)
			}
			return a
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// lastRun returns the pipeline report in the event of the last call, without calls
// of echo.
func (r *rig) lastRun(t testing.TB) flow.RunReport {
	t.Helper()
	events := r.Events(0, event.Query{Types: []event.Type{event.ToolCall}})
	if len(events) == 0 {
		t.Fatal("no event of a tool call")
	}
	for _, e := range slices.Backward(events) {
		if e.Source != "up/echo" && len(e.Runs) > 0 {
			return e.Runs[0]
		}
	}
	return flow.RunReport{}
}

// filterOf returns a module whose stage is a filter.
func filterOf(m *hosttest.Module) []byte {
	return m.Manifest(`{"name":"redact","abi":"1.0","roles":[{"name":"redact","kind":"filter"}]}`).File()
}

// A failing filter withholds the result: no answer, section, window or search
// contains the secret. The output of a working filter is the only stored original.
func TestFilterLeaksNothing(t *testing.T) {
	t.Parallel()
	const secret = "hunter2-the-secret"
	content := []byte(strings.Repeat("# Part\n\nopen text\n\npassword: "+secret+"\n\n", 300))
	redacted := strings.Repeat("# Part\n\nopen text\n\npassword: ***\n\n", 300)
	write := func() *hosttest.Module { return new(hosttest.Module).Call(abi.FuncOutWrite, redacted) }
	for _, c := range []struct {
		name    string
		module  []byte
		blocked bool
	}{
		{"works", filterOf(write()), false},
		{"traps", filterOf(write().Trap()), true},
		{"fails", filterOf(write().Call(abi.FuncFail, "cannot redact").Returns(abi.ReturnFail)), true},
		{"writes nothing", filterOf(new(hosttest.Module)), true},
		{"unknown code", filterOf(write().Returns(9)), true},
		{"loops", nil, true},
		{"is missing", []byte{}, true},
		{"is invalid", []byte("\x00asm"), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name != "fails" {
				skipShort(t)
			}
			r := newRig(t, files{"servers/up.yaml": stdioServer("up", ""), "projects/home.yaml": project("safe"),
				"proxymodels/safe.yaml": model("safe", "type: redact", "type: section-split", "type: summarize-tree")})
			switch {
			case c.module == nil:
				loop, err := os.ReadFile("../testdata/hostile/loop-empty.wasm")
				if err != nil {
					t.Fatal(err)
				}
				section := "\x0fmcpctl.manifest" + `{"name":"redact","abi":"1.0","roles":[{"name":"redact","kind":"filter"}]}`
				r.put(t, "stages/redact.wasm", append(append(loop, 0, byte(len(section))), section...))
			case len(c.module) > 0:
				r.put(t, "stages/redact.wasm", c.module)
			}
			r.reload(t)
			cl := r.dial(t)
			arguments := file(t, content)
			answers := []answer{cl.tool(t, "up__get", arguments)}
			if first := answers[0]; first.IsError != c.blocked {
				t.Errorf("isError %t, want %t: %.200s", first.IsError, c.blocked, first.raw)
			}
			ref := answers[0].Meta.Ref
			unfiltered := makeUnfilteredRef(t, r, content)
			for _, ref := range []string{ref, unfiltered} {
				for _, section := range []string{"", "!", "?password", "?" + secret, "~L1-40@0", "!0-40000", "~B0-4000", "part", "part!"} {
					answers = append(answers, cl.section(t, ref, section))
				}
			}
			for _, section := range []string{"", "!", "?" + secret} {
				a := strings.TrimSuffix(arguments, "}") + `,"_section":` + marshal(t, section) + "}"
				answers = append(answers, cl.tool(t, "up__get", a))
			}
			for i, a := range answers {
				text := strings.ReplaceAll(string(a.raw), "?"+secret, "")     // the query is part of the answer
				text = strings.ReplaceAll(text, `matches \"`+secret+`\"`, "") // and of its text
				if strings.Contains(text, secret) {
					t.Errorf("answer %d leaks: %.300s", i, text)
				}
			}
			const unmade = `proxymodel "safe" has mistakes, nothing is shown: see mcpctl describe proxymodel safe`
			if text := answers[0].text(); c.blocked && !strings.Contains(text, "redact") && text != unmade {
				t.Errorf("the error names neither filter nor proxymodel: %s", text)
			}
			t.Logf("%.200s | %s", answers[0].text(), outcomes(r.lastRun(t)))
		})
	}
}

// makeUnfilteredRef returns the ref that the content would have without a filter,
// for a client that knows or guesses it.
func makeUnfilteredRef(t testing.TB, r *rig, content []byte) string {
	t.Helper()
	other := newHomeWithKey(t, r.dir)
	ref, err := other.Store(t.Context(), scope, toolResult(content, ""))
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

// newHomeWithKey opens a Host with its own originals and the ref key of a home.
func newHomeWithKey(t testing.TB, dir string) *rig {
	t.Helper()
	key, err := os.ReadFile(filepath.Join(dir, "ref.key"))
	if err != nil {
		t.Fatal(err)
	}
	home := newHome(t, nil)
	put(t, home, "ref.key", key)
	return openRig(t, home)
}

// A repeated call is answered from the cache with the same bytes. A change of any
// input of a run changes the key.
func TestSameInputSameOutput(t *testing.T) {
	f := files{"projects/home.yaml": project("m"), "proxymodels/m.yaml": model("m", "type: section-split")}
	r := newRig(t, f)
	content, err := os.ReadFile("../testdata/content/ja-flows-dash-charts.json")
	if err != nil {
		t.Fatal(err)
	}
	c := toolResult(content, "flows.json")
	first := r.show(t, c)
	outcome := func(shown flow.Shown) string { return shown.Run.Stages[0].Outcome }
	if outcome(first) != "done" {
		t.Fatalf("first run: %s", outcomes(first.Run))
	}
	for range 20 {
		if again := r.show(t, c); outcome(again) != "cached" || !bytes.Equal(again.Text, first.Text) || again.Ref != first.Ref {
			t.Fatalf("again: %s\n%s", outcomes(again.Run), again.Text)
		}
	}
	session := scope
	session.Session = "another"
	if shown, err := r.Transform(t.Context(), session, c); err != nil || outcome(shown) != "cached" {
		t.Errorf("another session: %v %s", err, outcomes(shown.Run))
	}
	flips := map[string]func(*flow.Content){
		"input":  func(c *flow.Content) { c.Bytes = append(slices.Clone(c.Bytes), ' ') },
		"hint":   func(c *flow.Content) { c.Hint = "other.json" },
		"source": func(c *flow.Content) { c.Source = "up/other" },
		"MIME":   func(c *flow.Content) { c.MIME = "application/json" },
		"type":   func(c *flow.Content) { c.Type = abi.Resource },
		"part":   func(c *flow.Content) { c.Part.Count = 2 },
	}
	for name, flip := range flips {
		other := c
		flip(&other)
		if shown := r.show(t, other); outcome(shown) != "done" {
			t.Errorf("another %s is answered from the cache", name)
		}
	}
	r.put(t, "proxymodels/m.yaml", []byte(model("m", "{type: section-split, config: {leafSize: 3001}}")))
	r.reload(t)
	if shown := r.show(t, c); outcome(shown) != "done" {
		t.Error("another config is answered from the cache")
	}
	r.put(t, "proxymodels/m.yaml", []byte(model("m", "type: section-split")))
	r.stop()
	again := openRig(t, r.dir)
	if shown := again.show(t, c); outcome(shown) != "cached" || !bytes.Equal(shown.Text, first.Text) {
		t.Errorf("after a restart: %s", outcomes(shown.Run))
	}
	if shown, err := again.Transform(t.Context(), flow.Scope{Project: "lab"}, c); err == nil {
		t.Errorf("an unknown project gets %.80q", shown.Text)
	}
	again.put(t, "stages/section-split.wasm", hosttest.Write("mine"))
	again.reload(t)
	if shown := again.show(t, c); outcome(shown) != "done" || string(shown.Text) == string(first.Text) {
		t.Errorf("another module: %s", outcomes(shown.Run))
	}
}
