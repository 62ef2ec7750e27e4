package web_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
)

// indexed is an entry of a prompt index.
type indexed struct {
	Name     string
	Priority int
	Summary  string
	Chapters json.RawMessage
}

// webTeam adds the projects web and docs with an editor each, and a reader of web.
func webTeam(tm *fixture) (webEditor, docsEditor, reader string) {
	tm.seed(`kind: Project
metadata: {name: web}
spec: {servers: []}
---
kind: Project
metadata: {name: docs}
spec: {servers: [wiki]}
---
kind: User
metadata: {name: wendy}
---
kind: User
metadata: {name: dora}
---
kind: User
metadata: {name: rudi}
---
kind: RbacBinding
metadata: {name: web-edits}
spec: {subjects: [{user: wendy}], verbs: [edit, create, delete], projects: [web]}
---
kind: RbacBinding
metadata: {name: docs-edits}
spec: {subjects: [{user: dora}], verbs: [edit, create], projects: [docs]}
---
kind: RbacBinding
metadata: {name: web-reads}
spec: {subjects: [{user: rudi}], verbs: [view], projects: [web]}
---
kind: RbacBinding
metadata: {name: web-proposes}
spec: {subjects: [{user: rudi}], verbs: [create], kinds: [PromptRequest], projects: [web]}
`)
	return tm.token("wendy"), tm.token("dora"), tm.token("rudi")
}

func TestWritePrompts(t *testing.T) {
	eachEngine(t, func(t *testing.T, tm *fixture) {
		wendy, dora, rudi := webTeam(tm)
		r := tm.send(wendy, "POST", "/api/v1/prompts", `{"name":"rules","project":"web","priority":8,"content":"# Rules\n\nUse <b> & \"tabs\". Always.\n\n## Why\n"}`)
		tag := r.header.Get("ETag")
		if r.status != 200 || tag == "" {
			t.Fatalf("create: %d %s", r.status, r.problem())
		}
		var index []indexed
		tm.get(rudi, "/api/v1/projects/web/prompt-index", &index)
		if got := fmt.Sprintf("%s %d %s %s", index[0].Name, index[0].Priority, index[0].Summary, index[0].Chapters); got != `rules 8 Use <b> & "tabs". ["Rules","Why"]` {
			t.Errorf("index %s", got)
		}
		put := func(token, body string, header ...string) reply {
			return tm.send(token, "PUT", "/api/v1/prompts/rules?project=web", body, header...)
		}
		for _, c := range []struct {
			name   string
			r      reply
			status int
			want   string
		}{
			{"created again", tm.send(wendy, "POST", "/api/v1/prompts", `{"name":"rules","project":"web","content":"x"}`), 409, "exists already"},
			{"unknown project", tm.send(tm.root, "POST", "/api/v1/prompts", `{"name":"rules","project":"none","content":"x"}`), 404, "none"},
			{"project of others", tm.send(dora, "POST", "/api/v1/prompts", `{"name":"x","project":"web","content":"x"}`), 403, "may not create"},
			{"no content", tm.send(wendy, "POST", "/api/v1/prompts", `{"name":"x","project":"web"}`), 422, "exactly one of content and linkTarget"},
			{"both", tm.send(wendy, "POST", "/api/v1/prompts", `{"name":"x","project":"web","content":"x","linkTarget":"docs/wiki:a"}`), 422, "together with content"},
			{"priority", tm.send(wendy, "POST", "/api/v1/prompts", `{"name":"x","project":"web","content":"x","priority":11}`), 422, "priority"},
			{"name", tm.send(wendy, "POST", "/api/v1/prompts", `{"name":"../x","project":"web","content":"x"}`), 400, "starts with"},
			{"unknown field", tm.send(wendy, "POST", "/api/v1/prompts", `{"name":"x","project":"web","contents":"x"}`), 400, "contents"},
			{"no JSON", tm.send(wendy, "POST", "/api/v1/prompts", `name: x`), 400, "not valid JSON"},
			{"change of others", put(rudi, `{"priority":1}`), 403, "may not edit"},
			{"change of one that is not visible", put(dora, `{"priority":1}`), 404, "not found"},
			{"other version", put(wendy, `{"priority":1}`, "If-Match", `"1"`), 412, "was changed by"},
			{"this version", put(wendy, `{"priority":9}`, "If-Match", tag), 200, `"priority":9`},
			{"rename", put(wendy, `{"name":"other"}`), 400, "cannot be renamed"},
			{"link of a text", put(wendy, `{"linkTarget":"docs/wiki:a"}`), 422, "linkTarget cannot be changed"},
			{"summary of the author", put(wendy, `{"summary":"mine"}`), 200, `"content":"# Rules`},
			{"change of none", tm.send(wendy, "PUT", "/api/v1/prompts/none?project=web", `{"priority":1}`), 404, "not found"},
			{"regenerate", tm.send(rudi, "POST", "/api/v1/prompts/rules/regenerate-summary?project=web", `{}`), 501, "has no LLM"},
			{"regenerate one that is not visible", tm.send(dora, "POST", "/api/v1/prompts/rules/regenerate-summary?project=web", `{}`), 404, "not found"},
		} {
			if c.r.status != c.status || !strings.Contains(c.r.problem(), c.want) {
				t.Errorf("%s: %d %s, want %d %s", c.name, c.r.status, c.r.problem(), c.status, c.want)
			}
		}
		tm.get(rudi, "/api/v1/projects/web/prompt-index", &index)
		if index[0].Priority != 9 || index[0].Summary != "mine" || string(index[0].Chapters) != `["Rules","Why"]` {
			t.Errorf("after the changes: %+v", index[0])
		}
	})
}

func TestProposals(t *testing.T) {
	eachEngine(t, func(t *testing.T, tm *fixture) {
		wendy, _, rudi := webTeam(tm)
		tm.seed("kind: Prompt\nmetadata: {name: same, project: web}\nspec: {content: text}\n")
		propose := func(token, name, content string) reply {
			return tm.send(token, "POST", "/api/v1/promptrequests", map[string]any{"name": name, "project": "web", "content": content, "priority": 7})
		}
		for _, c := range []struct {
			name   string
			r      reply
			status int
			want   string
		}{
			{"proposal", propose(rudi, "a", "text"), 200, `"priority":7`},
			{"the same name", propose(rudi, "a", "other"), 409, "exists already"},
			{"a prompt says it already", propose(rudi, "same", "text"), 409, "says exactly this already"},
			{"empty", propose(rudi, "b", " \n"), 422, "content is empty"},
			{"too large", propose(rudi, "b", strings.Repeat("x", 64<<10+1)), 413, "limit 65536"},
			{"fields of prompts", tm.send(rudi, "POST", "/api/v1/promptrequests", `{"name":"b","project":"web","content":"x","summary":"y"}`), 422, "summary"},
			{"a prompt instead", tm.send(rudi, "POST", "/api/v1/prompts", `{"name":"b","project":"web","content":"x"}`), 403, "may not create"},
			{"approved by the reader", tm.send(rudi, "POST", "/api/v1/promptrequests/a/approve?project=web", "{}"), 403, "may not edit"},
			{"approved", tm.send(wendy, "POST", "/api/v1/promptrequests/a/approve?project=web", "{}"), 200, "created"},
		} {
			if c.r.status != c.status || !strings.Contains(c.r.problem(), c.want) {
				t.Errorf("%s: %d %s, want %d %s", c.name, c.r.status, c.r.problem(), c.status, c.want)
			}
		}
		var yaml strings.Builder
		for i := range 100 {
			fmt.Fprintf(&yaml, "---\nkind: PromptRequest\nmetadata: {name: n%d, project: web}\nspec: {content: x}\n", i)
		}
		tm.seed(yaml.String())
		if r := propose(rudi, "more", "x"); r.status != 413 || !strings.Contains(r.problem(), "100 open proposals") {
			t.Errorf("the 101st: %d %s", r.status, r.problem())
		}
	})
}

// The answer to a proposal for a prompt that the caller may not view is the same for its text,
// for another text and if the prompt is a link.
func TestProposalsConfirmNoText(t *testing.T) {
	eachEngine(t, func(t *testing.T, tm *fixture) {
		tm.seed("kind: Project\nmetadata: {name: web}\nspec: {}\n---\nkind: Prompt\nmetadata: {name: same, project: web}\nspec: {content: secret}\n---\n" +
			"kind: Prompt\nmetadata: {name: link, project: web}\nspec: {linkTarget: 'web/wiki:wiki://a'}\n---\nkind: User\nmetadata: {name: pia}\n---\n" +
			"kind: RbacBinding\nmetadata: {name: proposes}\nspec: {subjects: [{user: pia}], verbs: [create], kinds: [PromptRequest], projects: [web]}\n")
		pia := tm.token("pia")
		for _, dry := range []bool{true, false} {
			for name, text := range map[string]string{"same": "secret", "link": "x", "none": "x"} {
				r := tm.send(pia, "POST", "/api/v1/apply", map[string]any{"file": "x.yaml", "dryRun": dry,
					"yaml": "kind: PromptRequest\nmetadata: {name: " + name + ", project: web}\nspec: {content: " + text + "}\n"})
				if r.status != 200 || !strings.Contains(string(r.body), `"created"`) {
					t.Errorf("dry run %v, %s: %d %s", dry, name, r.status, r.body)
				}
			}
		}
	})
}

func TestSystemPrompts(t *testing.T) {
	eachEngine(t, func(t *testing.T, tm *fixture) {
		wendy, _, rudi := webTeam(tm)
		const path = "/api/v1/prompts/session-greeting?project=mcpctl-system"
		sources := func(list string) string {
			var all []api.Object
			tm.get(rudi, list, &all)
			var b strings.Builder
			for _, o := range all {
				fmt.Fprintf(&b, "%s %s;", o.Name, o.Source)
			}
			return b.String()
		}
		const others = "gate-encouragement built-in;gate-instructions built-in;gate-intercept-preamble built-in;read-prompts-reminder built-in;"
		if got := sources("/api/v1/prompts?project=mcpctl-system"); got != others+"session-greeting built-in;" {
			t.Error(got)
		}
		var index []indexed
		tm.get(rudi, "/api/v1/projects/mcpctl-system/prompt-index", &index)
		if len(index) != 5 || index[0].Priority != 10 || index[0].Summary == "" {
			t.Errorf("index %+v", index)
		}
		tag := tm.send(tm.root, "GET", path, nil).header.Get("ETag")
		for _, c := range []struct {
			name   string
			r      reply
			status int
			want   string
		}{
			{"changed by an editor", tm.send(wendy, "PUT", path, `{"content":"x"}`), 403, "may not create"},
			{"applied by an editor", tm.send(wendy, "POST", "/api/v1/apply", map[string]string{"file": "x", "yaml": "kind: Prompt\nmetadata: {name: session-greeting, project: mcpctl-system}\nspec: {content: x}\n"}), 403, "may not create"},
			{"deleted", tm.send(tm.root, "DELETE", path, nil), 403, "built in and cannot be deleted"},
			{"unknown name", tm.send(tm.root, "POST", "/api/v1/prompts", `{"name":"x","project":"mcpctl-system","content":"x"}`), 422, "is not a system prompt"},
			{"unknown variable", tm.send(tm.root, "PUT", path, `{"content":"{{x}}"}`), 422, "not a template variable"},
			{"changed", tm.send(tm.root, "PUT", path, `{"content":"Hello {{project_name}}"}`, "If-Match", tag), 200, "Hello {{project_name}}"},
		} {
			if c.r.status != c.status || !strings.Contains(c.r.problem(), c.want) {
				t.Errorf("%s: %d %s, want %d %s", c.name, c.r.status, c.r.problem(), c.status, c.want)
			}
		}
		if got := sources("/api/v1/prompts?project=mcpctl-system"); got != "session-greeting team;"+others {
			t.Errorf("after a change: %s", got)
		}
		if r := tm.send(tm.root, "DELETE", path, nil); r.status != 200 {
			t.Errorf("delete the change: %d %s", r.status, r.problem())
		}
		if r := tm.send(rudi, "GET", path, nil); r.status != 200 || strings.Contains(string(r.body), "Hello {{") {
			t.Errorf("after the deletion: %d %s", r.status, r.body)
		}
	})
}

// wiki is a fake MCP server that records the messages that it gets.
type wiki struct {
	mu  sync.Mutex
	got []string
	url string
}

func newWiki(t *testing.T) *wiki {
	w := &wiki{}
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		w.mu.Lock()
		w.got = append(w.got, string(b))
		w.mu.Unlock()
		rw.Header().Set("Content-Type", "application/json")
		fmt.Fprint(rw, `{"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"wiki://a","text":"secret page"}]}}`)
	}))
	t.Cleanup(s.Close)
	w.url = s.URL
	return w
}

func TestLinks(t *testing.T) {
	eachEngine(t, func(t *testing.T, tm *fixture) {
		wendy, dora, rudi := webTeam(tm)
		w := newWiki(t)
		tm.seed("kind: Server\nmetadata: {name: wiki}\nspec: {url: '" + w.url + "'}\n")
		if r := tm.send(wendy, "POST", "/api/v1/prompts", `{"name":"page","project":"web","linkTarget":"docs/wiki:wiki://a"}`); r.status != 200 {
			t.Fatalf("create: %d %s", r.status, r.problem())
		}
		status := func() string {
			var all []api.Prompt
			tm.get(rudi, "/api/v1/projects/web/prompts/visible", &all)
			return all[slices.IndexFunc(all, func(p api.Prompt) bool { return p.Name == "page" })].LinkStatus
		}
		read := func(token, server, link, body string) reply {
			return tm.send(token, "POST", "/api/v1/servers/"+server+"/mcp?project=web&link="+link, body)
		}
		const readPage = `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"wiki://a"}}`
		if status() != "pending" {
			t.Errorf("a new link is %s", status())
		}
		if r := read(rudi, "wiki", "page", readPage); r.status != 403 || !strings.Contains(r.problem(), `edit the project "docs"`) {
			t.Errorf("a pending link: %d %s", r.status, r.problem())
		}
		grant := func(token, project, name string, granted bool) reply {
			return tm.send(token, "PUT", "/api/v1/projects/"+project+"/links", api.LinkGrant{Project: "web", Name: name, Granted: granted})
		}
		tm.seed("kind: Prompt\nmetadata: {name: text, project: web}\nspec: {content: x}\n")
		for _, c := range []struct {
			name   string
			r      reply
			status int
		}{
			{"by an editor of the target", grant(wendy, "docs", "page", true), 404},
			{"by an editor of the target, for its own project", grant(wendy, "web", "page", true), 404},
			{"of a prompt that is no link", grant(dora, "docs", "text", true), 404},
			{"of none", grant(dora, "docs", "none", true), 404},
			{"of an invalid name", grant(dora, "docs", "A B", true), 400},
			{"list of another project", tm.send(wendy, "GET", "/api/v1/projects/docs/links", nil), 404},
			{"list without edit", tm.send(rudi, "GET", "/api/v1/projects/web/links", nil), 403},
			{"by an editor of the source", grant(dora, "docs", "page", true), 200},
		} {
			if c.r.status != c.status {
				t.Errorf("grant %s: %d %s, want %d", c.name, c.r.status, c.r.problem(), c.status)
			}
		}
		tm.seed("kind: Prompt\nmetadata: {name: else, project: web}\nspec: {linkTarget: 'web/wiki:wiki://a'}\n")
		want := grant(dora, "docs", "none", true).problem()
		for _, name := range []string{"text", "else"} {
			if got := grant(dora, "docs", name, true).problem(); strings.ReplaceAll(got, "web/"+name, "web/none") != want {
				t.Errorf("the answer about %s is %s, that about a missing prompt is %s", name, got, want)
			}
		}
		var links []api.TeamLink
		tm.get(dora, "/api/v1/projects/docs/links", &links)
		if len(links) != 1 || links[0] != (api.TeamLink{Project: "web", Name: "page", LinkTarget: "docs/wiki:wiki://a", LinkStatus: "unknown", GrantedBy: "user dora"}) {
			t.Errorf("links %+v", links)
		}
		if status() != "unknown" {
			t.Errorf("a granted link is %s", status())
		}
		if r := read(rudi, "wiki", "page", readPage); r.status != 200 || !strings.Contains(string(r.body), "secret page") {
			t.Errorf("a granted link: %d %s", r.status, r.body)
		}
		for name, c := range map[string]struct {
			r      reply
			status int
		}{
			"another resource":         {read(rudi, "wiki", "page", strings.Replace(readPage, "wiki://a", "wiki://b", 1)), 403},
			"two resources":            {read(rudi, "wiki", "page", strings.Replace(readPage, `"uri"`, `"uri":"wiki://a","URI"`, 1)), 200},
			"a tool":                   {read(rudi, "wiki", "page", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`), 403},
			"a method twice":           {read(rudi, "wiki", "page", `{"jsonrpc":"2.0","id":1,"method":"tools/call","method":"ping"}`), 200},
			"a batch":                  {read(rudi, "wiki", "page", "["+readPage+"]"), 400},
			"no JSON":                  {read(rudi, "wiki", "page", "x"), 400},
			"a stream":                 {tm.send(rudi, "GET", "/api/v1/servers/wiki/mcp?project=web&link=page", nil), 403},
			"a prompt that is no link": {read(rudi, "wiki", "text", readPage), 404},
			"another server":           {read(rudi, "other", "page", readPage), 404},
			"a caller without view":    {read(dora, "wiki", "page", readPage), 404},
			"without the link":         {tm.send(rudi, "POST", "/api/v1/servers/wiki/mcp?project=web", readPage), 404},
			"an invalid name":          {read(rudi, "wiki", "A+B", readPage), 400},
		} {
			if c.r.status != c.status {
				t.Errorf("%s: %d %s, want %d", name, c.r.status, c.r.problem(), c.status)
			}
		}
		for _, m := range w.got {
			if strings.Contains(m, "wiki://b") || strings.Contains(m, "tools/call") || !json.Valid([]byte(m)) {
				t.Errorf("the server got %s", m)
			}
		}

		// The grant holds as long as who gave it may give it.
		tm.seed("kind: RbacBinding\nmetadata: {name: docs-edits}\nspec: {subjects: [{user: dora}], verbs: [view], projects: [docs]}\n")
		if r := read(rudi, "wiki", "page", readPage); r.status != 403 || status() != "pending" {
			t.Errorf("after dora lost her rights: %d %s, %s", r.status, r.problem(), status())
		}
		if r := grant(tm.root, "docs", "page", true); r.status != 200 || status() != "unknown" {
			t.Errorf("granted again: %d %s", r.status, r.problem())
		}
		if r := grant(tm.root, "docs", "page", false); r.status != 200 || status() != "pending" {
			t.Errorf("withdrawn: %d %s", r.status, r.problem())
		}
		// Another change by who may grant it does not, and a new prompt of the name has no old grant.
		if r := tm.send(tm.root, "PUT", "/api/v1/prompts/page?project=web", `{"priority":3}`); r.status != 200 || status() != "pending" {
			t.Errorf("changed by an administrator: %d %s, %s", r.status, r.problem(), status())
		}
		grant(tm.root, "docs", "page", true)
		tm.send(wendy, "DELETE", "/api/v1/prompts/page?project=web", nil)
		r := tm.send(wendy, "POST", "/api/v1/apply", map[string]string{"file": "x.yaml", "yaml": "kind: Prompt\nmetadata: {name: page, project: web}\nspec: {linkTarget: 'docs/wiki:wiki://b'}\n"})
		if r.status != 200 || !strings.Contains(string(r.body), "the link is pending") || status() != "pending" {
			t.Errorf("a new link of the name: %d %s %s", r.status, r.body, status())
		}
		// Who may edit both projects needs no second step.
		tm.send(wendy, "DELETE", "/api/v1/prompts/page?project=web", nil)
		if r := tm.send(tm.root, "POST", "/api/v1/prompts", `{"name":"page","project":"web","linkTarget":"docs/wiki:wiki://a"}`); r.status != 200 || status() != "unknown" {
			t.Errorf("created by an administrator: %d %s, %s", r.status, r.problem(), status())
		}
		// The right to create prompts does not suffice for a link.
		tm.seed("kind: RbacBinding\nmetadata: {name: web-prompts}\nspec: {subjects: [{user: rudi}], verbs: [create], kinds: [Prompt], projects: [web]}\n")
		if r := tm.send(rudi, "POST", "/api/v1/prompts", `{"name":"l","project":"web","linkTarget":"docs/wiki:wiki://a"}`); r.status != 403 {
			t.Errorf("a link without edit: %d %s", r.status, r.problem())
		}
		if !tm.Access.HoldsGrant("user root", "docs") || tm.Access.HoldsGrant("root", "docs") || tm.Access.HoldsGrant("group root", "docs") || tm.Access.HoldsGrant("", "docs") {
			t.Error("HoldsGrant of invalid actors")
		}
	})
}
