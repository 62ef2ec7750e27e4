package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/hosttest"
	"github.com/mcpctl/mcpctl/host/prompt"
	"github.com/mcpctl/mcpctl/host/proxy"
	"github.com/mcpctl/mcpctl/host/store"
)

const passing = "kind: Project\nmetadata: {name: home}\nspec: {servers: [], gated: false, proxyModel: m}\n"

// listed decodes the list that controllers get from prompts().
func (r *rig) listed(t testing.TB) map[string]map[string]any {
	t.Helper()
	var list []map[string]any
	if err := json.Unmarshal(r.prompts.Prompts(scope), &list); err != nil {
		t.Fatal(err)
	}
	byName := make(map[string]map[string]any)
	for _, p := range list {
		byName[p["name"].(string)] = p
	}
	return byName
}

// eventuallySee waits for the result of a background task.
func eventuallySee(t testing.TB, goal string, ok func() bool) {
	t.Helper()
	if !eventually(ok, true) {
		t.Fatalf("%s: not within five seconds", goal)
	}
}

// Controllers get the prompts of the session and their bodies. The list contains
// the ref of a body after it was read, until the content changes.
func TestPromptsOfSession(t *testing.T) {
	r := newRig(t, files{"projects/home.yaml": passing, "proxymodels/m.yaml": model("m", "type: passthrough"),
		"prompts/home/rules.md": "---\nspec: {priority: 8}\n---\n# Rules\n\nBe kind. Always.\n", "prompts/work/other.md": "not visible",
		"prompts/mcpctl-system/session-greeting.md": "hi"})
	list := r.listed(t)
	if len(list) != 1 || list["rules"]["summary"] != "Be kind." || list["rules"]["ref"] != "" {
		t.Fatalf("listed: %v", list)
	}
	body, err := r.prompts.PromptBody(t.Context(), scope, "rules", false)
	if err != nil || !strings.HasPrefix(string(body), "# Rules\n\nBe kind.") {
		t.Fatalf("%q, %v", body, err)
	}
	ref, _ := r.listed(t)["rules"]["ref"].(string)
	if len(ref) != 16 {
		t.Fatalf("ref %q after the body was read", ref)
	}
	if a := r.Read(t.Context(), scope, ref, ""); a.IsError {
		t.Errorf("its sections: %s", a.Text)
	}
	elsewhere := scope
	elsewhere.Subject = "somebody"
	if strings.Contains(string(r.prompts.Prompts(elsewhere)), ref) || strings.Contains(string(r.prompts.PromptRecords(elsewhere)), ref) {
		t.Error("another subject gets the ref")
	}
	if !strings.Contains(string(r.prompts.PromptRecords(scope)), ref) {
		t.Error("the records lack the ref")
	}
	r.put(t, "prompts/home/rules.md", []byte("New."))
	r.reload(t)
	if got := r.listed(t)["rules"]; got["ref"] != "" || got["summary"] != "New." {
		t.Errorf("after a change: %v", got)
	}
	if records := string(r.prompts.PromptRecords(scope)); !strings.Contains(records, "rules\nNew.\n") || strings.Contains(records, ref) {
		t.Errorf("records after a change: %q", records)
	}
	for name, want := range map[string]string{"mcpctl-system/session-greeting": "hi", "mcpctl-system/gate-instructions": "Call `begin_session`"} {
		if body, err := r.prompts.PromptBody(t.Context(), scope, name, false); err != nil || !strings.HasPrefix(string(body), want) {
			t.Errorf("%s: %q, %v", name, body, err)
		}
	}
	for _, name := range []string{"other", "work/other", "mcpctl-system/nope", "session-greeting", ""} {
		if _, err := r.prompts.PromptBody(t.Context(), scope, name, false); !errors.Is(err, abi.ErrNotFound) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// A body is transformed by the stages of the project; the stored body is not.
func TestPromptBodyThroughStages(t *testing.T) {
	r := newRig(t, files{"projects/home.yaml": passing, "proxymodels/m.yaml": model("m", "type: stamp"), "prompts/home/a.md": "text"})
	r.put(t, "stages/stamp.wasm", hosttest.Write("stamped"))
	r.reload(t)
	if b, err := r.prompts.PromptBody(t.Context(), scope, "a", false); err != nil || !strings.HasPrefix(string(b), "stamped") {
		t.Errorf("%q, %v", b, err)
	}
	if b, err := r.prompts.PromptBody(t.Context(), scope, "a", true); err != nil || string(b) != "text" {
		t.Errorf("as stored: %q, %v", b, err)
	}
}

// A body is cached until its text, a stage or its ProxyModel changes.
func TestPromptBodyIsCached(t *testing.T) {
	r := newRig(t, files{"projects/home.yaml": passing, "proxymodels/m.yaml": model("m", "type: stamp"), "prompts/home/a.md": "text"})
	r.put(t, "stages/stamp.wasm", hosttest.Write("stamped"))
	r.reload(t)
	body := func() string {
		b, err := r.prompts.PromptBody(t.Context(), scope, "a", false)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	first := body()
	if known, ok := r.prompts.KnownPromptBody(scope, "a"); !ok || string(known) != first || body() != first {
		t.Fatalf("cached %q, first %q, then %q", known, first, body())
	}
	for _, change := range []struct{ name, path, text, want string }{
		{"its text", "prompts/home/a.md", "other text", "stamped"},
		{"its stage", "stages/stamp.wasm", string(hosttest.Write("sealed")), "sealed"},
		{"its model", "proxymodels/m.yaml", model("m", "type: passthrough"), "other text"},
	} {
		before := body()
		if known, ok := r.prompts.KnownPromptBody(scope, "a"); !ok || string(known) != before {
			t.Errorf("before %s changes: cached %q, %v, want %q", change.name, known, ok, before)
		}
		r.put(t, change.path, []byte(change.text))
		r.reload(t)
		if known, ok := r.prompts.KnownPromptBody(scope, "a"); ok {
			t.Errorf("after %s changed, %q is still cached", change.name, known)
		}
		if got := body(); !strings.HasPrefix(got, change.want) || got == before {
			t.Errorf("after %s changed, the body is %q, before %q", change.name, got, before)
		}
	}
}

// Content that a filter removes from a prompt reaches no controller, as stored or
// transformed. If the filter fails, no body is returned.
func TestPromptBodyIsFiltered(t *testing.T) {
	const secret = "hunter2-the-secret"
	for _, module := range [][]byte{filterOf(new(hosttest.Module).Call(abi.FuncOutWrite, "***")), filterOf(new(hosttest.Module).Trap())} {
		r := newRig(t, files{"projects/home.yaml": passing, "proxymodels/m.yaml": model("m", "type: redact", "type: passthrough"), "prompts/home/a.md": "the password is " + secret})
		r.put(t, "stages/redact.wasm", module)
		r.reload(t)
		for _, stored := range []bool{true, false} {
			b, err := r.prompts.PromptBody(t.Context(), scope, "a", stored)
			if err == nil && string(b) != "***" || strings.Contains(fmt.Sprint(err), secret) {
				t.Errorf("stored %v: %q, %v", stored, b, err)
			}
		}
	}
}

// Summary and chapters are derived from the output of the filters, including those
// written by the author, for controllers, resources/list and the CLI. Until the
// filters have run, and if they withhold the prompt, only its name is listed.
func TestPromptSummaryIsFiltered(t *testing.T) {
	const secret = "hunter2-the-secret"
	prompts := files{"projects/home.yaml": passing, "proxymodels/m.yaml": model("m", "type: redact", "type: passthrough"),
		"prompts/home/plain.md":  "The password is " + secret + ". Keep it.\n\n## " + secret + "\n",
		"prompts/home/author.md": "---\nspec: {summary: \"use " + secret + "\", chapters: [\"of " + secret + "\"]}\n---\ntext\n",
		"prompts/free/other.md":  "The password is " + secret + ".\n", "projects/free.yaml": strings.ReplaceAll(strings.ReplaceAll(passing, "name: home", "name: free"), "proxyModel: m", "proxyModel: n"),
		"proxymodels/n.yaml": model("n", "type: passthrough")}
	visible := func(r *rig) string {
		text := string(r.prompts.Prompts(scope)) + string(r.prompts.PromptRecords(scope))
		for _, resource := range (prompt.Resources{Library: r.prompts, URIPrefix: proxy.LibraryPrefix}).List(scope) {
			text += string(resource)
		}
		return text
	}
	for filter, module := range map[string][]byte{"redacts": filterOf(new(hosttest.Module).Call(abi.FuncOutWrite, "Stars alone. Here.")), "fails": filterOf(new(hosttest.Module).Trap())} {
		r := newRig(t, prompts)
		if text := visible(r); strings.Contains(text, secret) {
			t.Errorf("%s: before the module is loaded: %s", filter, text)
		}
		r.put(t, "stages/redact.wasm", module)
		r.reload(t)
		if text := visible(r); strings.Contains(text, secret) || !strings.Contains(text, `"plain"`) {
			t.Errorf("%s: at once: %s", filter, text)
		}
		if filter == "redacts" {
			eventuallySee(t, "summaries of the filtered text", func() bool {
				list := r.listed(t)
				return list["plain"]["summary"] == "Stars alone." && list["author"]["summary"] == "Stars alone. Here."
			})
		}
		if text := visible(r); strings.Contains(text, secret) {
			t.Errorf("%s: afterwards: %s", filter, text)
		}
		r.put(t, "prompts/home/plain.md", []byte("Another "+secret+"."))
		r.reload(t)
		if text := visible(r); strings.Contains(text, secret) {
			t.Errorf("%s: after a change: %s", filter, text)
		}
		if free := string(r.prompts.Prompts(flow.Scope{Project: "free"})); !strings.Contains(free, secret) {
			t.Errorf("without a filter: %s", free)
		}
	}
}

// A link is reported as dead if its source cannot be read, and as alive again after
// the source was restored, with a real server.
func TestPromptLinkLifecycle(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.md")
	write := func(text string) {
		if err := os.WriteFile(page, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("# Pages\n\nHow it is built. More.")
	r := newRig(t, files{
		"servers/docs.yaml": stdioServer("docs", ""), "projects/home.yaml": passing, "proxymodels/m.yaml": model("m", "type: passthrough"),
		"projects/public.yaml":     "kind: Project\nmetadata: {name: public}\nspec: {servers: [docs], gated: false, proxyModel: m}\n",
		"prompts/home/pages.md":    "---\nspec: {linkTarget: \"public/docs:file://" + page + "\"}\n---\n",
		"prompts/home/nowhere.md":  "---\nspec: {linkTarget: \"public/gone:file://x\"}\n---\n",
		"prompts/home/stranger.md": "---\nspec: {linkTarget: \"strange/docs:file://x\"}\n---\n",
	})
	status := func(name string) string { s, _ := r.listed(t)[name]["linkStatus"].(string); return s }
	eventuallySee(t, "the link alive", func() bool { return status("pages") == prompt.Alive })
	if got := r.listed(t)["pages"]; got["summary"] != "How it is built." || got["bytes"] != 31.0 {
		t.Errorf("alive: %v", got)
	}
	b, err := r.prompts.PromptBody(t.Context(), scope, "pages", false)
	if err != nil || string(b) != "# Pages\n\nHow it is built. More." {
		t.Errorf("content differs from the source's: %q, %v", b, err)
	}
	eventuallySee(t, "the others dead", func() bool { return status("nowhere") == prompt.Dead && status("stranger") == prompt.Dead })

	if err := os.Remove(page); err != nil { // a new Host, because the link status is cached for a minute
		t.Fatal(err)
	}
	r.stop()
	r = openRig(t, r.dir)
	eventuallySee(t, "the link dead", func() bool { return status("pages") == prompt.Dead })
	for _, name := range []string{"pages", "nowhere", "stranger"} {
		_, err := r.prompts.PromptBody(t.Context(), scope, name, false)
		if !errors.Is(err, abi.ErrUnavailable) || strings.Contains(err.Error(), page) || strings.Contains(err.Error(), "docs") || strings.Contains(err.Error(), "no such file") {
			t.Errorf("the client gets %v", err)
		}
	}
	write("Back.")
	r.stop()
	r = openRig(t, r.dir)
	eventuallySee(t, "the link alive again", func() bool { return status("pages") == prompt.Alive })
}

// A client can read the content of a linked prompt, but cannot use the server of
// the link.
func TestPromptLinkResolutionAndContentIsolation(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.md")
	const text = "# Pages\n\nHow it is built."
	if err := os.WriteFile(page, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, files{
		"servers/docs.yaml": stdioServer("docs", ""), "servers/up.yaml": stdioServer("up", ""), "proxymodels/m.yaml": model("m", "type: passthrough"),
		"proxymodels/g.yaml":    "kind: ProxyModel\nmetadata: {name: g}\nspec: {controller: gate, stages: []}\n",
		"projects/home.yaml":    "kind: Project\nmetadata: {name: home}\nspec: {servers: [up], gated: true, proxyModel: g}\n",
		"projects/public.yaml":  "kind: Project\nmetadata: {name: public}\nspec: {servers: [docs], gated: false, proxyModel: m}\n",
		"prompts/home/pages.md": "---\nspec: {linkTarget: \"public/docs:file://" + page + "\"}\n---\n",
	})
	c := r.dial(t)
	ask := func(method, params string) string {
		result, rpc, err := c.try(method, params)
		if err != nil {
			t.Fatal(err)
		}
		return string(result) + rpc
	}
	eventuallySee(t, "the linked text as the client reads it", func() bool {
		return strings.Contains(ask("resources/read", `{"uri":"mcpctl://prompts/pages"}`), `"text":"# Pages\n\nHow it is built."`)
	})
	if open := ask("tools/call", `{"name":"begin_session","arguments":{"tags":["pages"]}}`); !strings.Contains(open, "How it is built.") {
		t.Errorf("begin_session returned %s", open)
	}
	tools := ask("tools/list", `{}`)
	if !strings.Contains(tools, `"up__`) || strings.Contains(tools, `"docs__`) {
		t.Errorf("the client lists the tools %s", tools)
	}
	if got := ask("tools/call", `{"name":"docs__read","arguments":{"path":"`+page+`"}}`); !strings.Contains(got, "docs__read") || strings.Contains(got, "How it is built") {
		t.Errorf("a call of the source: %s", got)
	}
	if list := ask("resources/list", `{}`); strings.Contains(list, page) || strings.Contains(list, "docs") {
		t.Errorf("the client lists the resources %s", list)
	}
}

// In a project without a gate, the instructions contain the filtered prompts of
// priority 10, up to the limit, and all prompts are resources.
func TestPromptsWithoutGate(t *testing.T) {
	skipShort(t)
	for _, gate := range []string{"gated: false", "gated: true"} { // a model without the gate controller opens no gate
		r := newRig(t, files{
			"servers/up.yaml": stdioServer("up", ""), "proxymodels/m.yaml": model("m", "type: passthrough"),
			"projects/home.yaml":   "kind: Project\nmetadata: {name: home}\nspec: {servers: [up], " + gate + ", proxyModel: m}\n",
			"prompts/home/a.md":    "---\nspec: {priority: 10}\n---\nNEVER reset the coordinator.\n",
			"prompts/home/huge.md": "---\nspec: {priority: 10}\n---\n" + strings.Repeat("too long ", 400),
			"prompts/home/z.md":    "---\nspec: {priority: 10}\n---\nALWAYS close pairing.\n",
			"prompts/home/low.md":  "Rooms are named room_device.",
			"prompts/home/link.md": "---\nspec: {priority: 10, linkTarget: \"nowhere/docs:docs://x\"}\n---\n",
		})
		c := r.dial(t)
		hello := string(c.hello)
		for _, want := range []string{"NEVER reset the coordinator.\\n\\nALWAYS close pairing.", "before you act: mcpctl://prompts/huge, mcpctl://prompts/link", `"resources":`} {
			if !strings.Contains(hello, want) {
				t.Errorf("%s: %q is not in %s", gate, want, hello)
			}
		}
		if strings.Contains(hello, "room_device") || strings.Contains(hello, "too long") {
			t.Errorf("%s: unexpected text in the instructions: %s", gate, hello)
		}
		list, _, err := c.try("resources/list", `{}`)
		for _, name := range []string{"a", "huge", "z", "low", "link"} {
			if err != nil || !strings.Contains(string(list), "mcpctl://prompts/"+name+`"`) {
				t.Errorf("%s: %s is not listed: %s, %v", gate, name, list, err)
			}
		}
		if text, _, err := c.try("resources/read", `{"uri":"mcpctl://prompts/low"}`); err != nil || !strings.Contains(string(text), "room_device") {
			t.Errorf("%s: read: %s, %v", gate, text, err)
		}
	}
}

// A filter of the project withholds a rule from the instructions too.
func TestRulesInInstructionsPassFilters(t *testing.T) {
	r := newRig(t, files{"projects/home.yaml": passing, "proxymodels/m.yaml": model("m", "type: redact", "type: passthrough"),
		"prompts/home/a.md": "---\nspec: {priority: 10}\n---\nThe password is hunter2.\n"})
	r.put(t, "stages/redact.wasm", filterOf(new(hosttest.Module).Call(abi.FuncOutWrite, "***")))
	r.reload(t)
	if hello := string(r.dial(t).hello); strings.Contains(hello, "hunter2") || !strings.Contains(hello, `"instructions":"***"`) {
		t.Errorf("instructions: %s", hello)
	}
}

// A link does not expose content that the filters of the source project remove.
func TestLinkAppliesFiltersOfSourceProject(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(page, []byte("the key is AKIAIOSFODNN7EXAMPLE"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, files{
		"servers/docs.yaml": stdioServer("docs", ""), "projects/home.yaml": passing, "proxymodels/m.yaml": model("m", "type: passthrough"),
		"proxymodels/careful.yaml": model("careful", "{type: redact, onFailure: block}"),
		"projects/public.yaml":     "kind: Project\nmetadata: {name: public}\nspec: {servers: [docs], gated: false, proxyModel: careful}\n",
		"prompts/home/pages.md":    "---\nspec: {linkTarget: \"public/docs:file://" + page + "\"}\n---\n",
	})
	b, err := r.prompts.PromptBody(t.Context(), scope, "pages", true)
	if err == nil && strings.Contains(string(b), "AKIAIOSFODNN7EXAMPLE") {
		t.Errorf("not filtered: %q", b)
	}
	if r.status(t, "redact") == "none" && err == nil {
		t.Error("the resource is readable although a filter is missing")
	}
}

// A proposal is stored as a file and becomes a prompt only after a person approves
// it.
func TestProposalToPrompt(t *testing.T) {
	r := newRig(t, files{"projects/home.yaml": passing, "proxymodels/m.yaml": model("m", "type: passthrough")})
	id, err := r.prompts.ProposePrompt(t.Context(), scope, []byte(`{"name":"naming","content":"Use nouns.\n","priority":7}`))
	if err != nil || id != "naming" {
		t.Fatal(id, err)
	}
	b, err := os.ReadFile(filepath.Join(r.dir, "promptrequests/home/naming.md"))
	if err != nil || !strings.HasSuffix(string(b), "---\nUse nouns.\n") || len(r.listed(t)) > 0 {
		t.Fatalf("%s, %v; listed %v", b, err, r.listed(t))
	}
	if _, err := r.prompts.ProposePrompt(t.Context(), scope, []byte(`{"name":"naming","content":"Else."}`)); !errors.Is(err, abi.ErrConflict) {
		t.Errorf("twice: %v", err)
	}
	change, err := r.prompts.Approve("home", "naming", false)
	if err != nil || change.Action != store.Created {
		t.Fatalf("%+v, %v", change, err)
	}
	if got := r.listed(t)["naming"]; got["priority"] != 7.0 || got["summary"] != "Use nouns." {
		t.Errorf("approved: %v", got)
	}
	if len(r.Snapshot().PromptRequests("home")) > 0 {
		t.Error("the request is still open")
	}
	if _, err := r.prompts.ProposePrompt(t.Context(), scope, []byte(`{"name":"naming","content":"Use nouns.\n"}`)); !errors.Is(err, abi.ErrConflict) {
		t.Errorf("proposal of an existing prompt: %v", err)
	}
}

// The list first contains summaries from rules. The summaries of an LLM follow in
// the background and are still used after a restart.
func TestSummariesComeInBackground(t *testing.T) {
	gate := make(chan struct{})
	llm := &hosttest.LLM{Gate: gate, Script: func(abi.LLMRequest) string { return `{"summary":"made by the LLM"}` }}
	with := func(o *Options) { o.LLM = llm }
	r := newRig(t, files{"projects/home.yaml": passing, "proxymodels/m.yaml": model("m", "type: passthrough"), "prompts/home/a.md": "First. Second."}, with)
	if got := r.listed(t)["a"]["summary"]; got != "First." {
		t.Errorf("first list: %v", got)
	}
	close(gate)
	eventuallySee(t, "the LLM's summary", func() bool { return r.listed(t)["a"]["summary"] == "made by the LLM" })
	if b, _ := os.ReadFile(filepath.Join(r.dir, "prompts/home/a.md")); string(b) != "First. Second." {
		t.Errorf("the user's file was edited: %s", b)
	}
	r.stop()
	r = openRig(t, r.dir)
	if got := r.listed(t)["a"]["summary"]; got != "made by the LLM" {
		t.Errorf("after a restart without an LLM: %v", got)
	}
	if err := r.prompts.RegenerateSummary(t.Context(), "home", "a"); !errors.Is(err, abi.ErrUnavailable) {
		t.Errorf("regenerated without an LLM: %v", err)
	}
	if err := r.prompts.RegenerateSummary(t.Context(), "home", "b"); !errors.Is(err, abi.ErrNotFound) {
		t.Errorf("regenerated an unknown prompt: %v", err)
	}
}

// All prompts are resources, in the order of the index.
func TestPromptsAsResources(t *testing.T) {
	r := newRig(t, files{"projects/home.yaml": passing, "proxymodels/m.yaml": model("m", "type: passthrough"),
		"prompts/home/b.md": "Text of b.", "prompts/home/a.md": "---\nspec: {priority: 1}\n---\nText of a."})
	l := prompt.Resources{Library: r.prompts, URIPrefix: proxy.LibraryPrefix}
	if got := fmt.Sprintf("%s", l.List(scope)); got != `[{"uri":"mcpctl://prompts/b","name":"b","description":"Text of b.","mimeType":"text/markdown"} `+
		`{"uri":"mcpctl://prompts/a","name":"a","description":"Text of a.","mimeType":"text/markdown"}]` {
		t.Errorf("listed %s", got)
	}
	if name, text, err := l.Read(t.Context(), scope, "mcpctl://prompts/a"); name != "a" || string(text) != "Text of a." || err != nil {
		t.Errorf("%q %q %v", name, text, err)
	}
	for _, uri := range []string{"mcpctl://prompts/c", "mcpctl://prompts/", "file:///a"} {
		if _, _, err := l.Read(t.Context(), scope, uri); !errors.Is(err, abi.ErrNotFound) {
			t.Errorf("%s: %v", uri, err)
		}
	}
}
