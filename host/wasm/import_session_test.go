package wasm

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/hosttest"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// Further codes as ints.
const conflict = int32(abi.CodeConflict)

// newSession returns a project with a tool of each kind, a prompt and a result.
func newSession() *hosttest.Session {
	return &hosttest.Session{
		Role: "script",
		Known: []flow.ListedTool{
			{Label: "files/read", Wire: "files__read", Kind: abi.ToolUpstream, Definition: []byte(`{"name":"files__read"}`)},
			{Label: "begin", Wire: "begin", Kind: abi.ToolVirtual, Owner: "script", Definition: []byte(`{"name":"begin"}`)},
			{Label: "foreign", Wire: "foreign", Kind: abi.ToolVirtual, Owner: "other", Definition: []byte(`{"name":"foreign"}`)},
			{Label: "read_section", Wire: "read_section", Kind: abi.ToolHost, Definition: []byte(`{"name":"read_section"}`)},
		},
		ServerStore: []flow.ServerState{{Name: "files", State: "ready", Tools: 1}},
		PromptList:  `[{"name":"tone"}]`,
		Bodies:      map[string]string{"tone": "be brief"},
		Contents:    map[string]string{"k7m2q9x4t6b8w3n5": "line one\nline two\n"},
	}
}

// hookResult is the result of a script that ran as a hook.
type hookResult struct {
	results []int32
	out     abi.HookOutput
	err     error
}

// runHook runs a script as the hook of a call.
func (b *bench) runHook(t testing.TB, s *script, c abi.HookCall) hookResult {
	t.Helper()
	s.entry = module.HookExport(c.Context.Hook)
	steer := b.controller(t, "script", s.wasm())
	b.kv.forget()
	var r hookResult
	r.out, r.err = steer.Hook(t.Context(), c)
	if left := b.kv.results(); len(left) >= resultsAt {
		for rest := left[resultsAt:]; len(rest) >= 4; rest = rest[4:] {
			r.results = append(r.results, int32(binary.LittleEndian.Uint32(rest)))
		}
	}
	return r
}

// hookCase is a hook with calls in sequence, and its expected output.
type hookCase struct {
	rule  string
	hook  abi.Hook // default: on_tool_call
	with  func(*hosttest.Session)
	steps []step
	leave func(abi.HookOutput) string // formats the relevant part
	want  string
}

const object = `{"name":"n","inputSchema":{"type":"object"}}`

var sessionCases = []hookCase{
	{rule: "state: written values hide committed ones, deleted values are missing",
		with: func(s *hosttest.Session) {
			s.Commit(abi.HookOutput{State: map[string][]byte{"old": []byte("1"), "gone": []byte("2")}})
		},
		steps: []step{
			{"state_get", []any{"old"}, 16}, {"buf_len", []any{16}, 1}, {"state_get", []any{"new"}, notFound},
			{"state_set", []any{"new", "abc"}, 0}, {"state_get", []any{"new"}, 17}, {"buf_len", []any{17}, 3},
			{"state_set", []any{"empty", ""}, 0}, {"state_get", []any{"empty"}, 18}, {"buf_len", []any{18}, 0},
			{"state_del", []any{"gone"}, 0}, {"state_get", []any{"gone"}, notFound}, {"state_del", []any{"gone"}, notFound},
			{"state_set", []any{"mine", "x"}, 0}, {"state_del", []any{"mine"}, 0}, {"state_get", []any{"mine"}, notFound},
			{"state_set", []any{"", "x"}, badArg}, {"state_set", []any{"\xff", "x"}, badArg},
			{"state_set", []any{strings.Repeat("k", 256), ""}, 0}, {"state_set", []any{strings.Repeat("k", 257), ""}, limit},
		},
		leave: func(o abi.HookOutput) string {
			gone, deleted := o.State["gone"]
			_, touched := o.State["mine"]
			return fmt.Sprintf("%d new %s, gone %v %v, mine %v, empty %v", len(o.State), o.State["new"], gone == nil, deleted, touched, o.State["empty"] != nil)
		}, want: "4 new abc, gone true true, mine false, empty true"},
	{rule: "the list is edited by label or wire name", hook: abi.OnToolsList, steps: []step{
		{"tool_hide", []any{"files/read"}, 0}, {"tool_hide", []any{"files/read"}, 0}, {"tool_hide", []any{"read_section"}, 0}, {"tool_hide", []any{"missing"}, notFound},
		{"tool_patch", []any{"files__read", `{"outputSchema":null}`}, 0}, {"tool_patch", []any{"missing", `{}`}, notFound},
		{"tool_patch", []any{"begin", `[]`}, badArg}, {"tool_patch", []any{"begin", `{"name":"x"}`}, badArg}, {"tool_patch", []any{"begin", `{"a":1,"a":2}`}, badArg},
		{"tool_patch", []any{"begin", `{"n\u0061me":null}`}, badArg}, {"tool_patch", []any{"begin", `{"inputSchema":null}`}, badArg},
		{"tool_patch", []any{"begin", `{"d":"` + strings.Repeat("x", 65_536) + `"}`}, limit}, {"tool_patch", []any{"begin", "{\n}"}, 0},
	}, leave: func(o abi.HookOutput) string { return fmt.Sprintf("%q %s", o.Hidden, o.Patches) },
		want: `["files/read" "read_section"] [{files__read {"outputSchema":null}} {begin { }}]`},
	{rule: "virtual tools have a valid definition and an unused name", hook: abi.OnToolsList, steps: []step{
		{"tool_add", []any{"\n " + object + " "}, 0}, {"tool_add", []any{`{"name":"begin","inputSchema":{}}`}, 0}, {"tool_hide", []any{"n"}, 0},
		{"tool_add", []any{`{"name":"n","inputSchema":{},"description":"again"}`}, 0},
		{"tool_add", []any{`{"name":"files__read","inputSchema":{}}`}, 0}, // the server's tool has a prefixed name
		{"tool_add", []any{`{"name":"foreign","inputSchema":{}}`}, conflict}, {"tool_add", []any{`{"name":"read_section","inputSchema":{}}`}, conflict},
		{"tool_add", []any{`{"name":"a.b","inputSchema":{}}`}, badArg}, {"tool_add", []any{`{"name":"` + strings.Repeat("n", 49) + `","inputSchema":{}}`}, badArg},
		{"tool_add", []any{`{"name":"","inputSchema":{}}`}, badArg}, {"tool_add", []any{`{"name":"a\n","inputSchema":{}}`}, badArg},
		{"tool_add", []any{`{"name":1,"inputSchema":{}}`}, badArg}, {"tool_add", []any{`{"inputSchema":{}}`}, badArg}, {"tool_add", []any{`{"name":"n"}`}, badArg},
		{"tool_add", []any{`{"name":"n","inputSchema":"string"}`}, badArg}, {"tool_add", []any{`{"name":"n","inputSchema":{"a":1,"a":2}}`}, badArg},
		{"tool_add", []any{`{"name":"n","inputSchema":{},"description":1}`}, badArg}, {"tool_add", []any{`[]`}, badArg}, {"tool_add", []any{``}, badArg},
		{"tool_add", []any{object + "x"}, badArg}, {"tool_add", []any{"{\"name\":\"n\",\"inputSchema\":{},\"d\":\"\xff\"}"}, badArg},
		{"tool_add", []any{`{"name":"n","inputSchema":` + strings.Repeat(`{"a":`, 200) + `1` + strings.Repeat(`}`, 201)}, badArg},
		{"tool_add", []any{`{"name":"n","inputSchema":{},"d":"` + strings.Repeat("x", 65_536) + `"}`}, limit},
	}, leave: func(o abi.HookOutput) string { return fmt.Sprintf("%s %q", o.Tools, o.Hidden) },
		want: `[{n {"name":"n","inputSchema":{},"description":"again"}} {begin {"name":"begin","inputSchema":{}}} {files__read {"name":"files__read","inputSchema":{}}}] ["n"]`},
	{rule: "output goes to the answer or to a block", steps: []step{
		{"out_write", []any{"a"}, 0}, {"out_to", []any{1}, 0}, {"out_write", []any{"b1"}, 0}, {"out_span", []any{0, 0, -1}, 0}, {"out_to", []any{2}, 0},
		{"out_to", []any{1}, 0}, {"out_write", []any{"b2"}, 0}, {"out_to", []any{2}, 0}, {"out_write", []any{"after"}, 0},
		{"out_to", []any{0}, 0}, {"out_write", []any{"z"}, 0}, {"out_to", []any{3}, badArg}, {"out_to", []any{-1}, badArg}, {"out_kind", []any{2 + 4}, 0}, {"out_kind", []any{8}, badArg},
	}, leave: func(o abi.HookOutput) string {
		return fmt.Sprintf("%s before %s after %s error %v stages %v whole %v", o.Answer, o.Before, o.After, o.Error, o.Stages, o.Whole)
	}, want: `az before [b1{"to":{"a":[1]}} b2] after [after] error true stages true whole false`},
	{rule: "calls can be rewritten to tools of servers, with an object from a span", steps: []step{
		{"call_rewrite", []any{"files/read", 0, 6, 9}, 0}, {"call_rewrite", []any{"missing", 0, 6, 9}, notFound}, {"call_rewrite", []any{"begin", 0, 6, 9}, notFound},
		{"call_rewrite", []any{"read_section", 0, 6, 9}, notFound}, {"call_rewrite", []any{"files/read", 0, 0, 3}, badArg}, {"call_rewrite", []any{"files/read", 0, 10, 3}, badArg},
		{"call_rewrite", []any{"files/read", 99, 0, 0}, badArg}, {"call_rewrite", []any{"files/read", 0, 6, 99}, badArg},
		{"buf_put", []any{`{"a":1,"\u0061":2}`}, 16}, {"call_rewrite", []any{"files/read", 16, 0, -1}, badArg}, {"buf_put", []any{"{\"p\":\n1}"}, 17}, {"call_rewrite", []any{"files__read", 17, 0, -1}, 0},
	}, leave: func(o abi.HookOutput) string {
		if o.Rewrite != nil {
			return "a rewrite takes effect with PASS only"
		}
		return ""
	}},
	{rule: "list_changed and message need no grant", steps: []step{
		{"notify", []any{"notifications/tools/list_changed", ""}, 0}, {"notify", []any{"notifications/prompts/list_changed", `{}`}, 0},
		{"notify", []any{"notifications/resources/list_changed", ""}, 0}, {"notify", []any{"notifications/message", "{\"level\":\"info\",\r\n\"data\":1}"}, 0},
		{"notify", []any{"notifications/cancelled", ""}, denied}, {"notify", []any{"tools/call", `{}`}, denied}, {"notify", []any{"", ""}, denied},
		{"notify", []any{"notifications/message", `[]`}, badArg}, {"notify", []any{"notifications/message", `{`}, badArg}, {"notify", []any{"notifications/message", `{"a":1,"a":1}`}, badArg},
		{"notify", []any{"notifications/message", `{"data":"` + strings.Repeat("x", abi.LimitNotificationBytes) + `"}`}, limit},
	}, leave: func(o abi.HookOutput) string { return fmt.Sprintf("%s", o.Notes) },
		want: `[{notifications/tools/list_changed } {notifications/prompts/list_changed {}} {notifications/resources/list_changed } {notifications/message {"level":"info",  "data":1}}]`},
	{rule: "prompts, contents and sections are read", steps: []step{
		{"prompt_body", []any{"tone", 0}, 16}, {"buf_len", []any{16}, 8}, {"prompt_body", []any{"tone", 1}, 17}, {"buf_len", []any{17}, 16},
		{"prompt_body", []any{"missing", 0}, notFound}, {"prompt_body", []any{"tone", 2}, badArg},
		{"content_open", []any{"k7m2q9x4t6b8w3n5"}, 18}, {"buf_len", []any{18}, 18}, {"content_open", []any{"aaaaaaaaaaaaaaaa"}, notFound},
		{"content_meta", []any{"k7m2q9x4t6b8w3n5"}, 19}, {"json_kind", []any{19, "/ref"}, abi.JSONString}, {"content_meta", []any{"a"}, notFound},
		{"section_read", []any{"k7m2q9x4t6b8w3n5", "?two"}, 20}, {"section_read", []any{"a", ""}, notFound},
		{"prompt_propose", []any{`{"name":"n","content":"c"}`}, 21}, {"buf_len", []any{21}, 9}, {"prompt_propose", []any{`{"name":1,"name":2}`}, badArg},
		{"prompt_propose", []any{`{"content":"` + strings.Repeat("x", abi.LimitProposalBytes) + `"}`}, limit}}},
	{rule: "a hook has the buffers of a call", steps: []step{
		{"buf_len", []any{abi.BufInput}, 16}, {"buf_len", []any{abi.BufOriginal}, 2}, {"buf_len", []any{abi.BufConfig}, 7}, {"buf_len", []any{abi.BufName}, 5},
		{"buf_len", []any{abi.BufSections}, 0}, {"buf_len", []any{abi.BufSession}, 4}, {"buf_len", []any{abi.BufCall}, 16},
		{"json_i64", []any{abi.BufContext, "/gated", 0}, 0}, {"json_kind", []any{abi.BufContext, "/result/contents"}, abi.JSONArray}, {"json_kind", []any{abi.BufContext, "/source"}, notFound}}},
	{rule: "sections and indexes are for stages", steps: []step{
		{"out_index", []any{-1, 0, 0}, unsupported}, {"section_add", []any{-1, 0, 0, 1, 0, 0}, unsupported}, {"sections_add", []any{0, 0, 0, 0, 0}, unsupported}, {"section_title", []any{0, 0, 0, 1}, unsupported},
		{"section_summary", []any{0, 0, 0, 1}, unsupported}, {"section_id", []any{0, 0, 1}, unsupported}, {"section_text", []any{0, 0}, unsupported}}},
}

func TestSessionImports(t *testing.T) {
	for _, c := range sessionCases {
		t.Run(c.rule, func(t *testing.T) {
			session := newSession()
			if c.with != nil {
				c.with(session)
			}
			s := &script{}
			for _, st := range c.steps {
				s.call(st.name, st.args...)
			}
			s.call("out_write", 0, 0)
			call := hookCall(cmp.Or(c.hook, abi.OnToolCall), session, `{"to":{"a":[1]}}`)
			call.Original, call.Config, call.Name, call.Session, call.Client = []byte("{}"), []byte(`{"n":1}`), "begin", "s123", []byte(`{"name":"begin"}`)
			call.Context.Result = &abi.HookResult{}
			got := newBench(t, nil).runHook(t, s, call)
			if got.err != nil {
				t.Fatal(got.err)
			}
			for i, st := range c.steps {
				if got.results[i] != st.want {
					t.Errorf("%s%.100q = %d, want %d", st.name, st.args, got.results[i], st.want)
				}
			}
			if c.leave == nil {
				return
			}
			if left := c.leave(got.out); left != c.want {
				t.Errorf("left\n%s, want\n%s", left, c.want)
			}
		})
	}
}

// TestFunctionsOfHooks verifies that each function works only in the hooks of the ABI.
func TestFunctionsOfHooks(t *testing.T) {
	calls := []abi.Hook{abi.OnToolCall, abi.OnToolResult}
	list := []abi.Hook{abi.OnToolsList}
	for _, c := range []struct {
		step
		in []abi.Hook
	}{
		{step{"tool_hide", []any{"begin"}, 0}, list}, {step{"tool_patch", []any{"begin", "{}"}, 0}, list}, {step{"tool_add", []any{object}, 0}, list},
		{step{"out_to", []any{1}, 0}, calls}, {step{"out_to", []any{2}, 0}, calls}, {step{"out_kind", []any{2}, 0}, calls},
		{step{"call_rewrite", []any{"files/read", 0, 0, -1}, 0}, calls[:1]},
	} {
		for _, h := range module.Hooks() {
			want := unsupported
			if slices.Contains(c.in, h) {
				want = c.want
			}
			s := &script{}
			s.call(c.name, c.args...)
			got := newBench(t, nil).runHook(t, s.returns(abi.ReturnPass), hookCall(h, newSession(), "{}"))
			if got.err != nil || got.results[0] != want {
				t.Errorf("%s%v in %s: %v, %v, want %d", c.name, c.args, h, got.results, got.err, want)
			}
		}
	}
}

// TestRewriteTakesEffectWithPass verifies that the last rewrite has effect.
func TestRewriteTakesEffectWithPass(t *testing.T) {
	s := &script{}
	s.call("call_rewrite", "files/read", 0, 0, 2)
	s.call("call_rewrite", "files__read", 0, 2, -1)
	got := newBench(t, nil).runHook(t, s.returns(abi.ReturnPass), hookCall(abi.OnToolCall, newSession(), "{}{\"a\":\n1}"))
	if r := got.out.Rewrite; got.err != nil || r == nil || r.Tool != "files__read" || string(r.Arguments) != `{"a": 1}` {
		t.Errorf("%+v, %v", r, got.err)
	}
}

// TestNotificationInManifest verifies that a listed notification is allowed.
func TestNotificationInManifest(t *testing.T) {
	s := &script{manifest: `{"name":"m","abi":"1.0","roles":[{"name":"script","kind":"controller","capabilities":["session","cache"],"notifications":["notifications/x"]}]}`}
	s.call("notify", "notifications/x", "")
	s.call("notify", "notifications/y", "")
	got := newBench(t, nil).runHook(t, s.returns(abi.ReturnPass), hookCall(abi.OnClose, newSession(), "{}"))
	if got.err != nil || !slices.Equal(got.results, []int32{0, denied}) {
		t.Errorf("%v, %v", got.results, got.err)
	}
}

// sessionImports calls all functions of the namespace with zeros.
func sessionImports() []step {
	var steps []step
	for _, i := range abi.Imports {
		if i.Namespace == abi.NSSession {
			steps = append(steps, step{name: i.Name, args: slices.Repeat([]any{0}, len(i.Params)), want: denied})
		}
	}
	return steps
}

func TestSessionIsDenied(t *testing.T) {
	steps := sessionImports()
	if len(steps) != 19 {
		t.Errorf("%d functions, want 19", len(steps))
	}
	for _, st := range steps {
		if got := runStep(t, newBench(t, nil), sessionManifest, st); got != denied {
			t.Errorf("a stage gets %d from %s", got, st.name)
		}
	}
	s := &script{manifest: `{"name":"m","abi":"1.0","roles":[{"name":"script","kind":"controller","capabilities":["cache"]},{"name":"other","kind":"controller","capabilities":["session"]}]}`}
	for _, st := range steps {
		s.call(st.name, st.args...)
	}
	got := newBench(t, nil).runHook(t, s.returns(abi.ReturnPass), hookCall(abi.OnToolsList, newSession(), "{}"))
	for i, st := range steps {
		if got.err != nil || got.results[i] != denied {
			t.Errorf("a controller without the capability gets %v from %s, %v", got.results, st.name, got.err)
		}
	}
}

// TestErrorCodes verifies the code for each kind of error of the host.
func TestErrorCodes(t *testing.T) {
	asks := []step{
		{name: "prompt_body", args: []any{"tone", 0}}, {name: "prompt_propose", args: []any{"{}"}}, {name: "content_open", args: []any{"r"}},
		{name: "content_meta", args: []any{"r"}}, {name: "section_read", args: []any{"r", "s"}},
	}
	for _, c := range []struct {
		err  error
		want int32
	}{
		{abi.ErrNotFound, notFound}, {abi.ErrConfig, badArg}, {abi.ErrLimit, limit}, {abi.ErrConflict, conflict}, {abi.ErrDenied, denied},
		{abi.ErrUnavailable, unavailable}, {fmt.Errorf("disk on fire"), unavailable},
	} {
		session := newSession()
		session.Err = fmt.Errorf("it is so: %w", c.err)
		s := &script{}
		for _, st := range asks {
			s.call(st.name, st.args...)
		}
		why := s.call("last_error")
		s.call("log", 1, "x")
		got := newBench(t, nil).runHook(t, s.returns(abi.ReturnPass), hookCall(abi.OnToolCall, session, "{}"))
		for i, st := range asks {
			if got.err != nil || got.results[i] != c.want {
				t.Errorf("%v: %s = %v, %v, want %d", c.err, st.name, got.results, got.err, c.want)
			}
		}
		if got.results[why] != abi.FirstHandle {
			t.Errorf("last_error = %d", got.results[why])
		}
	}
}
