package studiomcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// fake is a daemon with one project, home, and one event for each kind of content.
type fake struct {
	stages      []api.Stage
	reloads     int
	corrections []api.Correction
	bodies      map[uint64][2]string // original, shown
	model       string
	down        bool
}

func (f *fake) Sessions(_ context.Context, project string) ([]api.Session, error) {
	if f.down {
		return nil, problem.New(abi.ErrUnavailable, "the daemon is not running").WithHint("mcpctl daemon start")
	}
	return []api.Session{{ID: "S1", Project: project, Model: f.model, Open: true, Events: 3}}, nil
}

func (f *fake) Events(_ context.Context, q api.EventQuery) (list []api.Event, err error) {
	if q.Query == "wrong:" {
		return nil, problem.New(abi.ErrConfig, "query: unknown key %q", "wrong").WithHint("mcpctl explain query")
	}
	for id := uint64(1); id <= 30; id++ {
		e := api.Event{ID: id, Project: "home", Session: "S1", Type: "tool_call", Method: "tools/call", Source: "demo/get", In: 900, Out: 100, Changed: true,
			Runs: []api.Run{{Stages: []api.RunStage{{Role: "section-split", Outcome: "done"}, {Role: "paginate", Outcome: "pass"}}}}}
		if id%10 == 0 {
			e.Session = "S2"
		}
		if id == 3 {
			e.Method, e.Type = "initialize", "request"
		}
		isOf := func(key, value string) bool {
			return !strings.Contains(q.Query, key+":") || strings.Contains(q.Query, key+`:"`+value+`"`)
		}
		if id > q.After && isOf("session", e.Session) && isOf("method", e.Method) {
			list = append(list, e)
		}
	}
	return list, nil
}

func (f *fake) Body(_ context.Context, id uint64, kind api.BodyKind) (api.Body, error) {
	b, ok := f.bodies[id]
	if !ok {
		return api.Body{}, problem.New(abi.ErrNotFound, "the texts of event %d are no longer stored", id).WithHint("mcpctl get events")
	}
	text := b[0]
	if kind == api.BodyShown {
		text = b[1]
	}
	return api.Body{Event: id, Kind: kind, Parts: []api.BodyPart{{ContentType: "toolResult", Source: "demo/get", Text: text}}}, nil
}

func (f *fake) Corrections(_ context.Context, _, session string) (list []api.Correction, err error) {
	for _, c := range f.corrections {
		if session == "" || c.SessionID == session {
			list = append(list, c)
		}
	}
	return list, nil
}

func (f *fake) Correction(_ context.Context, id string) (api.Correction, error) {
	for _, c := range f.corrections {
		if c.ID == id {
			return c, nil
		}
	}
	return api.Correction{}, problem.New(abi.ErrNotFound, "correction %q not found", id).WithHint("mcpctl get corrections")
}

func (f *fake) Object(_ context.Context, kind, _, name string) (api.Object, error) {
	var details any = api.ProjectDetails{ProxyModel: f.model}
	if kind == "proxymodel" {
		details = api.ModelDetails{Controllers: []string{"gate"}, Stages: []api.ModelStage{{Type: "section-split", Config: map[string]any{"minSize": 5000}}}, RequiresLLM: "no"}
	}
	b, err := json.Marshal(details)
	return api.Object{Kind: kind, Name: name, Source: "built-in", Details: b}, err
}

func (f *fake) Objects(ctx context.Context, kind, _ string) ([]api.Object, error) {
	a, _ := f.Object(ctx, kind, "", "subindex")
	return []api.Object{a, {Kind: kind, Name: "broken", Source: "local", Problem: "stage \"x\" not found"}}, nil
}

func (f *fake) Stages(context.Context) ([]api.Stage, error) { return f.stages, nil }

func (f *fake) Reload(context.Context) error { f.reloads++; return nil }

// result is the result of a tool.
type result struct {
	Content []struct{ Type, Text string }
	IsError bool
	Data    map[string]any `json:"structuredContent"`
}

func (r result) text() string { return r.Content[0].Text }

// options are those of a server for the project home.
func options(f *fake) Options {
	return Options{Service: f, Traffic: f, Project: "home", Version: "1", Env: func(string) string { return "" },
		SwitchModel: func(_ context.Context, model string) (string, error) { f.model = model; return "warning: w\n", nil }}
}

// call calls a tool.
func call(t *testing.T, o Options, tool, args string) result {
	t.Helper()
	answer := New(o).HandleMessage(t.Context(), fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, args))
	b, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	var m struct {
		Result *result
		Error  json.RawMessage
	}
	if err := json.Unmarshal(b, &m); err != nil || m.Result == nil || len(m.Result.Content) != 1 {
		t.Fatalf("%s: %s, %v", tool, b, err)
	}
	return *m.Result
}

func TestTools(t *testing.T) {
	always := []string{"get_active_model", "get_content_diff", "get_corrections", "get_stage_source", "get_traffic", "list_models", "list_sessions", "list_stages"}
	for _, c := range []struct {
		name     string
		readOnly bool
		want     []string
	}{
		{"model studio has the ten tools", false, append([]string{"reload_stages", "switch_model"}, always...)},
		{"inspect has only those that read", true, always},
	} {
		o := options(&fake{})
		o.ReadOnly = c.readOnly
		b, err := json.Marshal(New(o).HandleMessage(t.Context(), []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)))
		if err != nil {
			t.Fatal(err)
		}
		var m struct {
			Result struct {
				Tools []struct {
					Name, Description string
					Annotations       struct{ ReadOnlyHint, DestructiveHint, OpenWorldHint *bool }
				}
			}
		}
		if err := json.Unmarshal(b, &m); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range m.Result.Tools {
			names = append(names, tool.Name)
			a := tool.Annotations
			changes := tool.Name == "switch_model" || tool.Name == "reload_stages"
			if a.ReadOnlyHint == nil || *a.ReadOnlyHint == changes || a.DestructiveHint == nil || *a.DestructiveHint != (tool.Name == "switch_model") || *a.OpenWorldHint {
				t.Errorf("%s: annotations %+v", tool.Name, a)
			}
			hasTexts := slices.Contains([]string{"get_traffic", "get_content_diff", "get_corrections", "get_stage_source"}, tool.Name)
			if hasTexts != strings.Contains(tool.Description, "untrusted") {
				t.Errorf("%s: description %q", tool.Name, tool.Description)
			}
		}
		slices.Sort(names)
		want := slices.Sorted(slices.Values(c.want))
		if !slices.Equal(names, want) {
			t.Errorf("%s: %v, want %v", c.name, names, want)
		}
	}
}

func TestTraffic(t *testing.T) {
	for _, c := range []struct {
		name, args string
		matching   int
		first      float64 // eventId
		rows       int
	}{
		{"the newest events, oldest first", `{}`, 30, 11, 20},
		{"of a session", `{"sessionId":"S2"}`, 3, 10, 3},
		{"of a method", `{"method":"initialize"}`, 1, 3, 1},
		{"a limit", `{"sessionId":"S1","limit":2}`, 27, 28, 2},
		{"after an event", `{"after":28}`, 2, 29, 2},
		{"none", `{"sessionId":"S3"}`, 0, 0, 0},
	} {
		r := call(t, options(&fake{}), "get_traffic", c.args)
		rows, _ := r.Data["events"].([]any)
		if r.IsError || r.Data["matching"] != float64(c.matching) || len(rows) != c.rows {
			t.Errorf("%s: %s", c.name, r.text())
			continue
		}
		if len(rows) > 0 && rows[0].(map[string]any)["eventId"] != c.first {
			t.Errorf("%s: begins with %v", c.name, rows[0])
		}
	}
	r := call(t, options(&fake{}), "get_traffic", `{"limit":1}`)
	if !strings.Contains(r.text(), `"stages":["section-split done","paginate pass"]`) {
		t.Errorf("no stages: %s", r.text())
	}
}

func TestEventQuery(t *testing.T) {
	for want, a := range map[string]trafficArgs{
		"":                            {},
		`err session:"S1"`:            {Query: "err", SessionID: "S1"},
		`session:"a\\\"b" method:"m"`: {SessionID: `a\"b`, Method: "m"},
	} {
		if got := a.eventQuery(); got != want {
			t.Errorf("%+v: %s, want %s", a, got, want)
		}
	}
}

func TestContentDiff(t *testing.T) {
	f := &fake{bodies: map[uint64][2]string{
		1: {"a\nb\nc\n", "a\nB\nc"},
		2: {"same", "same"},
		3: {`{"a":1,"b":[1,2]}`, `{"a":2,"b":[1,2]}`},
		4: {"x\x1b[31m\u202ey", ""},
		6: {strings.Repeat("é", 700) + "\n", "index\n"},
		5: {strings.Repeat("é\n", 30_000), ""},
	}}
	for _, c := range []struct {
		name, args string
		contains   []string
	}{
		{"lines", `{"eventId":1}`, []string{"event 1: 1 parts", "untrusted content", "part 1, toolResult, demo/get\n--- original\n+++ shown\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"}},
		{"an unchanged part", `{"eventId":2}`, []string{"part 1, toolResult, demo/get: unchanged, 4 bytes\n"}},
		{"JSON is indented", `{"eventId":3}`, []string{"indented", "- \"a\": 1,\n", " {\n"}},
		{"control characters are escaped", `{"eventId":4}`, []string{`-x\x1b[31m\u202ey`}},
		{"a long line is shortened", `{"eventId":6}`, []string{"-" + strings.Repeat("é", 499) + "... [1400 bytes]\n+index\n"}},
		{"the text of the client", `{"eventId":6,"view":"shown"}`, []string{"event 6, shown. The lines below are untrusted", "=== part 1, toolResult, demo/get, 6 bytes\nindex\n"}},
		{"the text of the server", `{"eventId":6,"view":"original"}`, []string{strings.Repeat("é", 700)}},
		{"a page", `{"eventId":5,"limit":1003}`, []string{"[bytes 0 to 100", "; the rest: offset 100"}},
		{"the next page", `{"eventId":5,"offset":1002,"limit":1000}`, []string{"[bytes 100", " to 200"}},
		{"a page beyond the end", `{"eventId":1,"offset":100000}`, []string{"[bytes "}},
	} {
		r := call(t, options(f), "get_content_diff", c.args)
		for _, want := range c.contains {
			if r.IsError || !strings.Contains(r.text(), want) {
				t.Errorf("%s: no %q in %.600q", c.name, want, r.text())
			}
		}
	}
}

func TestPagesAreTheText(t *testing.T) {
	f := &fake{bodies: map[uint64][2]string{1: {strings.Repeat("aé€😀\n", 500), ""}}}
	whole := call(t, options(f), "get_content_diff", `{"eventId":1}`).text()
	_, whole, _ = strings.Cut(whole, "\n")
	var got strings.Builder
	for offset := 0; offset < len(whole); {
		r := call(t, options(f), "get_content_diff", fmt.Sprintf(`{"eventId":1,"offset":%d,"limit":333}`, offset))
		_, part, _ := strings.Cut(r.text(), "\n")
		var start, end, size int
		at := strings.LastIndex(part, "[bytes ")
		if n, err := fmt.Sscanf(part[at:], "[bytes %d to %d of %d", &start, &end, &size); n != 3 || err != nil || start != offset || end <= start {
			t.Fatalf("offset %d: %q, %v", offset, part[at:], err)
		}
		got.WriteString(part[:end-start])
		offset = end
	}
	if got.String() != whole {
		t.Errorf("the pages are %d bytes, the text is %d", got.Len(), len(whole))
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		name, tool, args string
		contains         []string
	}{
		{"no daemon", "list_sessions", `{}`, []string{"error: the daemon is not running\nhint: mcpctl daemon start"}},
		{"an argument of another type", "get_content_diff", `{"eventId":"x"}`, []string{"invalid arguments of get_content_diff: eventId is a string, want a positive integer"}},
		{"a page of another type", "get_content_diff", `{"eventId":1,"limit":"x"}`, []string{"limit is a string, want an integer"}},
		{"an unknown argument", "get_traffic", `{"session":"x"}`, []string{`unknown field "session"`}},
		{"an unknown view", "get_content_diff", `{"eventId":1,"view":"x"}`, []string{`view "x", want diff, original or shown`}},
		{"an event of another project, or none", "get_content_diff", `{"eventId":31}`, []string{`project "home" has no event 31`, "hint: mcpctl get events --project home"}},
		{"no event", "get_content_diff", `{}`, []string{`project "home" has no event 0`}},
		{"a text that is not stored", "get_content_diff", `{"eventId":9}`, []string{"no longer stored"}},
		{"a query that is not valid", "get_traffic", `{"query":"wrong:"}`, []string{`unknown key "wrong"`, "hint: mcpctl explain query"}},
		{"another project", "switch_model", `{"project":"other","model":"x"}`, []string{`this studio serves project "home", not "other"`, "hint: mcpctl console --model-studio other --stdin-mcp"}},
		{"the model of another project", "get_active_model", `{"project":"other"}`, []string{`not "other"`}},
		{"an unknown stage", "get_stage_source", `{"name":"shuot"}`, []string{`stage "shuot" not found, did you mean "shout"?`, "hint: mcpctl get stages"}},
		{"a correction of another project", "get_corrections", `{"id":"other"}`, []string{`project "home" has no correction "other"`}},
	} {
		f := &fake{down: true, stages: []api.Stage{{Name: "shout"}}, corrections: []api.Correction{{ID: "other", Project: "other"}}}
		r := call(t, options(f), c.tool, c.args)
		for _, want := range c.contains {
			if !r.IsError || !strings.Contains(r.text(), want) {
				t.Errorf("%s: no %q in %v %q", c.name, want, r.IsError, r.text())
			}
		}
	}
}

func TestCorrections(t *testing.T) {
	long := strings.Repeat("line\n", 2000)
	f := &fake{corrections: []api.Correction{
		{ID: "c1", Project: "home", SessionID: "S1", SourceName: "demo/get", Original: "original", Transformed: "a\nb\n", Edited: "a\nc\n", ActiveModel: "subindex", Stages: []api.UsedStage{{Role: "section-split"}}},
		{ID: "c2", Project: "home", SessionID: "S2", Edited: long},
	}}
	r := call(t, options(f), "get_corrections", `{"sessionId":"S1"}`)
	if list := r.Data["corrections"].([]any); len(list) != 1 || !strings.Contains(list[0].(map[string]any)["edit"].(string), "-b\n+c\n") {
		t.Errorf("%s", r.text())
	}
	r = call(t, options(f), "get_corrections", `{}`)
	if list := r.Data["corrections"].([]any); len(list) != 2 || list[1].(map[string]any)["editShortened"] != true || len(r.text()) > 2*maxEdit {
		t.Errorf("%d bytes: %s", len(r.text()), r.text())
	}
	r = call(t, options(f), "get_corrections", `{"id":"c1"}`)
	if want := "=== original, 8 bytes\noriginal\n=== transformed, 4 bytes\na\nb\n=== edited, 4 bytes\na\nc\n"; !strings.HasSuffix(r.text(), want) {
		t.Errorf("%s", r.text())
	}
}

func TestModels(t *testing.T) {
	f := &fake{model: "subindex"}
	r := call(t, options(f), "get_active_model", `{"project":"home"}`)
	if want := `{"project":"home","model":"subindex","source":"built-in","controllers":["gate"],"stages":[{"type":"section-split","config":{"minSize":5000}}],"requiresLLM":"no"}`; r.text() != want {
		t.Errorf("%s\nwant %s", r.text(), want)
	}
	r = call(t, options(f), "list_models", `{}`)
	if want := `{"models":[{"name":"subindex","source":"built-in","active":true,"controllers":["gate"],"stages":["section-split"],"requiresLLM":"no"},{"name":"broken","source":"local","stages":[],"problem":"stage \"x\" not found"}]}`; r.text() != want {
		t.Errorf("%s\nwant %s", r.text(), want)
	}
	r = call(t, options(f), "switch_model", `{"model":"default"}`)
	if want := `{"project":"home","previous":"subindex","model":"default","warnings":"warning: w"}`; r.text() != want {
		t.Errorf("%s\nwant %s", r.text(), want)
	}
}

func TestStageSource(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"plugin.yaml": "name: shout", "main.go": "package main\x1b[2J\n", "testdata/a.txtar": "-- in --\n", "target/x.rs": "built", "notes.md": "notes", "long.go": strings.Repeat("x", maxSource+1),
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(outside, "key"), []byte("SECRET"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(outside, "key"), filepath.Join(dir, "key.go")); err != nil {
		t.Skip(err)
	}
	f := &fake{stages: []api.Stage{
		{Name: "shout", Source: "local", Plugin: &api.PluginDir{Path: dir}},
		{Name: "moved", Source: "local", Plugin: &api.PluginDir{Path: dir, Problem: "the directory was moved or deleted"}, Role: &abi.Role{Name: "moved", Kind: abi.KindStage}},
		{Name: "gate", Source: "built-in", Role: &abi.Role{Name: "gate", Kind: abi.KindController}},
	}}
	got := call(t, options(f), "get_stage_source", `{"name":"shout"}`).text()
	want := "stage shout was built from " + dir + "\n=== key.go: path escapes from parent\n=== long.go: not a text file of at most 256 KiB\n" +
		"=== main.go, 17 bytes\npackage main\\x1b[2J\n=== plugin.yaml, 11 bytes\nname: shout\n=== testdata/a.txtar, 9 bytes\n-- in --\n"
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	for name, why := range map[string]string{"moved": "the directory was moved or deleted", "gate": "it is built in"} {
		got := call(t, options(f), "get_stage_source", fmt.Sprintf(`{"name":%q}`, name)).text()
		if !strings.HasPrefix(got, "stage "+name+" has no source here: "+why+". Its manifest:\n{") || !strings.Contains(got, `"name": "`+name+`"`) {
			t.Errorf("%s", got)
		}
	}
}

func TestReloadStages(t *testing.T) {
	broken := t.TempDir()
	if err := os.WriteFile(filepath.Join(broken, "plugin.yaml"), []byte("name: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	current, home := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(current, "plugin.yaml"), []byte("name: current\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(home, "stages"), 0o700); err != nil {
		t.Fatal(err)
	}
	module := filepath.Join(home, "stages", "current.wasm")
	if err := os.WriteFile(module, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(module, time.Time{}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	f := &fake{stages: []api.Stage{
		{Name: "broken", Source: "local", Status: "ready", File: "broken.wasm", Plugin: &api.PluginDir{Path: broken}},
		{Name: "bare", Source: "local", Status: "ready", File: "bare.wasm"},
		{Name: "moved", Source: "local", Status: "ready", Plugin: &api.PluginDir{Path: "/x", Problem: "the directory was moved or deleted"}},
		{Name: "current", Source: "local", Status: "ready", File: module, Plugin: &api.PluginDir{Path: current}},
		{Name: "gate", Source: "built-in", Status: "ready"},
	}}
	o := options(f)
	o.Home = home
	r := call(t, o, "reload_stages", `{}`)
	var got struct{ Stages []built }
	if err := json.Unmarshal([]byte(r.text()), &got); err != nil {
		t.Fatal(err)
	}
	actions := map[string]string{}
	for _, b := range got.Stages {
		actions[b.Name] = b.Action + " " + b.Status
	}
	want := map[string]string{"broken": "failed ready", "bare": "skipped ready", "moved": "skipped ready", "current": "current ready"}
	if fmt.Sprint(actions) != fmt.Sprint(want) || !r.IsError || f.reloads != 1 || !strings.Contains(got.Stages[0].Reason, "plugin.yaml:1") {
		t.Errorf("%s, %d reloads", r.text(), f.reloads)
	}
}

// TestServeAnswersBeforeItEnds checks that requests in a pipe are answered, although the
// input ends at once and its last line has no end.
func TestServeAnswersBeforeItEnds(t *testing.T) {
	var in strings.Builder
	in.WriteString(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n")
	in.WriteString("not JSON\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")
	for id := 1; id <= 20; id++ {
		fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"list_sessions"}}`, id)
		if id < 20 {
			in.WriteByte('\n')
		}
	}
	var out bytes.Buffer
	if err := Serve(t.Context(), options(&fake{}), io.Reader(strings.NewReader(in.String())), &out); err != nil {
		t.Fatal(err)
	}
	for id := range 21 {
		if !strings.Contains(out.String(), fmt.Sprintf(`"id":%d,`, id)) {
			t.Errorf("request %d was not answered", id)
		}
	}
}
