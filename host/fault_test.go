package host

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/event"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/hosttest"
	"github.com/mcpctl/mcpctl/host/lab"
)

// contains fails the test unless text contains every word.
func contains(t testing.TB, name, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%s is %q, want %q in it", name, text, w)
		}
	}
}

// problems returns the texts of all problems.
func (r *rig) problems() string {
	var b strings.Builder
	for _, p := range r.Problems() {
		b.WriteString(p.Err.Error() + "\n")
	}
	return b.String()
}

// alive checks that the session and the tools of its server work.
func (c *client) alive(t testing.TB) {
	t.Helper()
	if a := c.tool(t, "up__echo", `{"text":"alive"}`); a.text() != "alive" || a.IsError {
		t.Errorf("afterwards the session gets %q", a.text())
	}
}

// An error in a file is reported with its position, and the last valid version of
// the object is used.
func TestBrokenYAML(t *testing.T) {
	skipShort(t)
	r := newRig(t, files{"servers/up.yaml": stdioServer("up", ""), "projects/home.yaml": project("m"), "proxymodels/m.yaml": model("m", "type: passthrough")})
	c := r.dial(t)
	for _, b := range []struct {
		name, path, text string
		want             []string
	}{
		{"not YAML", "projects/home.yaml", "kind: Project\nmetadata: {name: home\nspec: [", []string{"projects/home.yaml:"}},
		{"unknown field", "projects/home.yaml", strings.Replace(project("m"), "servers", "severs", 1), []string{"projects/home.yaml:3:8", "severs is not a field here", `did you mean "servers"?`}},
		{"wrong type", "projects/home.yaml", strings.Replace(project("m"), "[up]", "up", 1), []string{"projects/home.yaml:3:", "servers"}},
		{"gated: maybe", "projects/home.yaml", strings.Replace(project("m"), "gated: false", "gated: maybe", 1), []string{"projects/home.yaml:3:", "gated is a string, want a bool"}},
		{"twice the same key", "projects/home.yaml", project("m") + "kind: Project\n", []string{"projects/home.yaml:4"}},
		{"unknown kind", "projects/home.yaml", strings.Replace(project("m"), "kind: Project", "kind: Projekt", 1), []string{"Projekt", `did you mean "Project"?`}},
		{"alias bomb", "projects/home.yaml", "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d,*d,*d,*d,*d,*d]\n" + project("m"), []string{"projects/home.yaml"}},
		{"two million bytes", "projects/home.yaml", project("m") + strings.Repeat("# x\n", 500_000), []string{"projects/home.yaml", "limit"}},
		{"bad server", "servers/up.yaml", "kind: Server\nmetadata: {name: up}\nspec: {command: run it}\n", []string{"servers/up.yaml:3:", "command", "want a list"}},
	} {
		t.Run(b.name, func(t *testing.T) {
			before, err := os.ReadFile(filepath.Join(r.dir, b.path))
			if err != nil {
				t.Fatal(err)
			}
			r.put(t, b.path, []byte(b.text))
			within(t, time.Minute, "reading it", func() { r.reload(t) })
			contains(t, "the problem", r.problems(), b.want...)
			c.alive(t)
			r.put(t, b.path, before)
			r.reload(t)
			if left := r.problems(); left != "" {
				t.Errorf("still reported after the repair: %s", left)
			}
		})
	}
}

// The content of an invalid proxymodel is withheld only if a filter is missing. The
// error names the filter and the correction, and the server is not called.
func TestMissingFilterWithholdsContent(t *testing.T) {
	redact := filterOf(new(hosttest.Module).Returns(abi.ReturnPass))
	r := newRig(t, files{"servers/up.yaml": stdioServer("up", ""), "projects/home.yaml": project("m"),
		"stages/redact.wasm": string(redact), "proxymodels/m.yaml": model("m", "type: redcat", "type: section-split")})
	c := r.dial(t)
	a := c.tool(t, "up__echo", `{"text":"the-secret"}`)
	if !a.IsError || strings.Contains(string(a.raw), "the-secret") {
		t.Errorf("shown: %s", a.raw)
	}
	if want := `proxymodel "m" has mistakes, nothing is shown: see mcpctl describe proxymodel m`; a.text() != want {
		t.Errorf("the client gets %q, want %q", a.text(), want)
	}
	contains(t, "the problem", r.problems(), `proxymodel "m"`, `stages[0].type "redcat" not found`, "proxymodels/m.yaml:6:13", `did you mean "redact"?`, "mcpctl get stages",
		`content is withheld, because "redcat" is missing and may be a filter`)
	events := r.Events(0, event.Query{Types: []event.Type{event.ToolCall}})
	if e := events[len(events)-1]; !e.IsError || e.Error != a.text() || e.InTokens != 0 || e.InBytes != 0 || e.OutTokens != abi.EstimateTokens([]byte(a.text())) {
		t.Errorf("event: %+v", e)
	}
	c.tool(t, "up__count", `{}`) // must not reach the server, because its result could not be shown
	for name, stages := range map[string][]string{
		"unknown, unlike any stage":     {"type: mine"},
		"a filter with invalid config":  {"{type: redact, config: {n: 9007199254740993}}"},
		"unknown, with onFailure block": {"{type: secret-filter, onFailure: block}", "type: section-split"},
		"missing second filter":         {"type: redact", "type: other-filter"},
	} {
		r.put(t, "proxymodels/m.yaml", []byte(model("m", stages...)))
		r.reload(t)
		if a := c.tool(t, "up__echo", `{"text":"the-secret"}`); !a.IsError || strings.Contains(string(a.raw), "the-secret") || !strings.Contains(a.text(), `proxymodel "m"`) {
			t.Errorf("%s: %s", name, a.raw)
		}
	}
	r.put(t, "proxymodels/m.yaml", []byte(model("m", "type: passthrough")))
	r.reload(t)
	c.alive(t)
	if a := c.tool(t, "up__count", `{}`); a.text() != "2" {
		t.Errorf("calls that reached the server: %s, want 2, those after the proxymodel was corrected", a.text())
	}
}

// resident returns the memory of this process in use, and its peak since the last
// call of forgetPeak.
func resident(t testing.TB) (now, peak int) {
	t.Helper()
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("no /proc here: ", err)
	}
	value := func(name string) int {
		_, rest, _ := strings.Cut(string(b), name)
		n, err := strconv.Atoi(strings.Fields(rest)[0])
		if err != nil {
			t.Fatal(err)
		}
		return n << 10
	}
	return value("VmRSS:"), value("VmHWM:")
}

// forgetPeak resets the peak to the memory in use.
func forgetPeak(t testing.TB) {
	t.Helper()
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		t.Skip("the system does not reset the peak: ", err)
	}
}

// frameCap is the size limit of a server's message.
const frameCap = 32 << 20

// An answer of 100 MB becomes an error result with the server, the tool and the
// limit. The connection stays open and memory is bounded.
func TestHugeAnswer(t *testing.T) {
	for _, kind := range []struct{ name, server string }{
		{"stdio", stdioServer("up", "")},
		{"HTTP", "kind: Server\nmetadata: {name: up}\nspec: {url: " + startWebServer(t) + "}\n"},
	} {
		name, server := kind.name, kind.server
		t.Run(name, func(t *testing.T) {
			r := newRig(t, files{"servers/up.yaml": server, "projects/home.yaml": project("ungated-subindex")})
			c := r.dial(t)
			c.alive(t)
			pid := c.tool(t, "up__pid", `{}`).text()
			forgetPeak(t)
			before, _ := resident(t)
			a := c.tool(t, "up__big", `{"n":100000000}`)
			if !a.IsError {
				t.Fatalf("answer of %d bytes, no error", len(a.raw))
			}
			contains(t, "the error", a.text(), `"up"`, "big", "limit 33554432")
			// Twice the limit, and the allocations of other code in the meantime.
			_, peak := resident(t)
			if grown := peak - before; !underRace && grown > 2*frameCap+(16<<20) {
				t.Errorf("memory grew by %d MiB, limit %d MiB", grown>>20, (2*frameCap+(16<<20))>>20)
			} else {
				t.Logf("memory grew by %d MiB: %s", grown>>20, a.text())
			}
			c.alive(t)
			if now := c.tool(t, "up__pid", `{}`).text(); now != pid {
				t.Error("the connection was closed")
			}
			large := c.tool(t, "up__big", `{"n":2000000}`)
			if large.IsError || large.Meta.Kind != flow.AnswerIndex {
				t.Errorf("2 MB: %.100q\n%s", large.text(), outcomes(r.lastRun(t)))
			}
		})
	}
}

// A server that crashes, hangs or sends invalid data fails one call, with its name
// in the error.
func TestBadServers(t *testing.T) {
	t.Parallel()
	r := newRig(t, files{"servers/up.yaml": stdioServer("up", "  timeout: 1s\n"), "projects/home.yaml": project("ungated-subindex")})
	c := r.dial(t)
	c.alive(t)
	var a answer
	within(t, 20*time.Second, "a crash", func() { a = c.tool(t, "up__crash", `{}`) })
	contains(t, "the crash", a.text(), `"up"`, "crash")
	c.alive(t) // restarted
	within(t, 20*time.Second, "a hang", func() { a = c.tool(t, "up__hang", `{}`) })
	contains(t, "the hang", a.text(), `"up"`, "hang", "1s")
	c.alive(t)
	if a = c.tool(t, "up__garbage", `{}`); a.text() != "after the garbage" {
		t.Errorf("after invalid data: %q", a.text())
	}
	c.alive(t)
	for name, server := range map[string]string{
		"missing program":            "kind: Server\nmetadata: {name: up}\nspec: {command: [/no/such/program]}\n",
		"program that exits at once": "kind: Server\nmetadata: {name: up}\nspec: {command: [\"false\"]}\n",
		"a port without a listener":  "kind: Server\nmetadata: {name: up}\nspec: {url: \"http://127.0.0.1:1/mcp\"}\n",
		"a variable that is not set": "kind: Server\nmetadata: {name: up}\nspec: {url: \"http://127.0.0.1:1/${NO_SUCH_VARIABLE}\"}\n",
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, files{"servers/up.yaml": server, "servers/good.yaml": stdioServer("good", ""),
				"projects/home.yaml": strings.Replace(project("ungated-subindex"), "[up]", "[up, good]", 1)})
			c := r.dial(t)
			var a answer
			within(t, time.Minute, "the call", func() { a = c.tool(t, "up__echo", `{"text":"x"}`) })
			contains(t, "the error", a.text(), `"up__echo"`, "not available right now: up (failed); see mcpctl status")
			if b := c.tool(t, "good__echo", `{"text":"fine"}`); b.text() != "fine" {
				t.Errorf("the other server answers %q", b.text())
			}
			t.Log(a.text())
		})
	}
}

// The cache of a home can be open in one process only.
func TestSecondHost(t *testing.T) {
	r := newRig(t, files{"servers/up.yaml": stdioServer("up", ""), "projects/home.yaml": project("ungated-subindex")})
	within(t, 20*time.Second, "being refused", func() {
		second, err := Open(context.Background(), Options{Home: homedir.Dir(r.dir)})
		if !errors.Is(err, abi.ErrConflict) {
			t.Errorf("a second host: %v", err)
		} else {
			contains(t, "the error", err.Error(), "cache.db")
		}
		if second != nil {
			second.Close()
		}
	})
	offline, err := Open(t.Context(), Options{Home: homedir.Dir(r.dir), Offline: true})
	if err != nil {
		t.Fatalf("while a daemon runs: %v", err)
	}
	defer offline.Close()
	res, err := offline.Lab().RunModel(t.Context(), lab.ModelRun{Model: "ungated-subindex", Type: abi.ToolResult, Input: []byte(strings.Repeat("# A\n\ntext\n\n", 900))})
	if err != nil || !strings.Contains(string(res.Text), "read_section(") {
		t.Errorf("offline: %v %.100s", err, res.Text)
	}
	r.dial(t).alive(t)
}

// A damaged cache file is renamed and a new one is created. It never causes an
// error or a wrong value.
func TestDamagedCacheFile(t *testing.T) {
	skipShort(t)
	content := []byte(strings.Repeat("# A\n\ntext\n\n", 900))
	r := newRig(t, files{"projects/home.yaml": project("ungated-subindex")})
	first := r.show(t, toolResult(content, ""))
	r.stop()
	path := r.Home().CacheDB()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	flipped := func(at int) []byte {
		b := append([]byte(nil), whole...)
		for i := at; i < min(at+4096, len(b)); i++ {
			b[i] ^= 0x5a
		}
		return b
	}
	for name, damaged := range map[string][]byte{
		"empty": {}, "foreign": []byte("SQLite format 3\x00 and so on"), "truncated": whole[:len(whole)/2],
		"first page": flipped(0), "second page": flipped(4096), "a page of data": flipped(3 * 4096), "last page": flipped(len(whole) - 4096),
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(path, damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			var again *rig
			within(t, 20*time.Second, "opening", func() { again = openRig(t, r.dir) })
			defer again.stop()
			for range 2 {
				if shown := again.show(t, toolResult(content, "")); string(shown.Text) != string(first.Text) {
					t.Errorf("got %.200q, want %.200q", shown.Text, first.Text)
				}
			}
		})
	}
}

// Content that cannot be stored passes through unchanged, and the event contains
// the cause.
func TestOriginalsCannotBeStored(t *testing.T) {
	r := newRig(t, files{"servers/up.yaml": stdioServer("up", ""), "projects/home.yaml": project("ungated-subindex")})
	c := r.dial(t)
	content := strings.Repeat("# A\n\ntext\n\n", 900)
	if a := c.tool(t, "up__get", file(t, []byte(content))); a.Meta.Kind != flow.AnswerIndex {
		t.Fatalf("first: %.100q", a.text())
	}
	originals := filepath.Join(r.dir, "originals")
	// No file can be created in a missing directory. The text that the client received may
	// still be written while its directory is removed.
	if gone := eventually(func() bool { return os.RemoveAll(originals) == nil }, true); !gone {
		t.Fatal("the directory cannot be removed")
	}
	other := content + "and more\n"
	a := c.tool(t, "up__get", file(t, []byte(other)))
	if a.IsError || a.text() != other {
		t.Errorf("got %.200q, want the unchanged content", a.text())
	}
	contains(t, "the event", outcomes(r.lastRun(t)), "content passed on unchanged")
	c.alive(t)
}
