package controllertest_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/controllertest"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

// The result of a hook determines the outcome, in each hook.
func TestOutcome(t *testing.T) {
	writes := func(c *controller.Ctx) error { _, err := c.Answer.WriteString("hello"); return err }
	tests := []struct {
		name    string
		hook    func(c *controller.Ctx) error
		outcome map[string]string // by hook; "other" is for all other hooks
	}{
		{"nil with output answers where there is an answer", writes, map[string]string{controller.OnToolsList: "pass", controller.OnClose: "pass", "other": "done hello"}},
		{"nil without output needs it for a call only", func(*controller.Ctx) error { return nil },
			map[string]string{controller.OnToolCall: "fail returned DONE without output", controller.OnToolResult: "fail returned DONE without output", controller.OnInitialize: "done ", "other": "pass"}},
		{"pass drops the answer", func(c *controller.Ctx) error { writes(c); return controller.Pass }, map[string]string{"other": "pass"}},
		{"an error is the reason", func(*controller.Ctx) error { return stage.Fail("no %d", 3) }, map[string]string{"other": "fail no 3"}},
		{"a panic is the reason", func(*controller.Ctx) error { panic("lost") }, map[string]string{"other": "fail panic: lost"}},
		{"a misuse fails a pass", func(c *controller.Ctx) error { c.Input.FindFrom(-5, "x"); return controller.Pass }, map[string]string{"other": "fail span"}},
	}
	for _, tt := range tests {
		for _, name := range hooks {
			t.Run(tt.name+"/"+name, func(t *testing.T) {
				s := register(new(controllertest.Session), all(name, tt.hook))
				e := run(name, s)
				want, ok := tt.outcome[name]
				if !ok {
					want = tt.outcome["other"]
				}
				got := string(e.Outcome)
				switch e.Outcome {
				case stagetest.Done:
					got += " " + e.Answer
				case stagetest.Fail:
					got += " " + e.Reason
				}
				if got != want && !(strings.HasSuffix(want, "span") && strings.HasPrefix(got, want)) {
					t.Errorf("%s, want %s", got, want)
				}
			})
		}
	}
}

// all returns Hooks with f as one of them.
func all(name string, f func(*controller.Ctx) error) controller.Hooks {
	var h controller.Hooks
	switch name {
	case controller.OnInitialize:
		h.Initialize = f
	case controller.OnToolsList:
		h.ToolsList = f
	case controller.OnToolCall:
		h.ToolCall = f
	case controller.OnToolResult:
		h.ToolResult = f
	case controller.OnClose:
		h.Close = f
	}
	return h
}

// A cache may be full or missing: the hook gets an error and continues.
func TestFullOrMissingCache(t *testing.T) {
	var refused error
	s := register(&controllertest.Session{Tools: []controllertest.Tool{{Name: "files/read"}}, Cache: map[string]string{"k": "v"}}, controller.Hooks{
		ToolCall: func(c *controller.Ctx) error {
			value, _ := c.Cache.Get("k")
			refused = c.Cache.Set("k", append(value, "!"...))
			return stage.Pass
		},
	})
	for _, tt := range []struct {
		way   stagetest.CacheWay
		kept  string
		error error
	}{
		{stagetest.CacheFull, "map[]", stage.Limit},
		{stagetest.CacheOff, "map[]", stage.Unavailable},
		{stagetest.CacheWorks, "map[k:v!]", nil},
	} {
		s.CacheWay = tt.way
		e := s.Call("files/read", "")
		if fmt.Sprint(e.Kept) != tt.kept || !errors.Is(refused, tt.error) {
			t.Errorf("%q: kept %v, error %v; want %s, %v", tt.way, e.Kept, refused, tt.kept, tt.error)
		}
	}
}

// A hook that fails changes nothing except effects that apply at once.
func TestAllOrNothing(t *testing.T) {
	everything := func(c *controller.Ctx) error {
		for _, err := range []error{
			c.State.Set("new", "x"), c.State.Delete("old"), c.ToolsChanged(), c.Cache.Set("k", []byte("v")),
		} {
			if err != nil {
				t.Error(err)
			}
		}
		if c.Hook() == controller.OnToolsList {
			if err := errors.Join(c.HideTool("files/read"), c.AddTool(`{"name":"own","inputSchema":{}}`)); err != nil {
				t.Error(err)
			}
		}
		if c.Hook() == controller.OnToolCall {
			b, err := c.Before()
			b.WriteString("before")
			if err = errors.Join(err, c.Rewrite("files/write", c.Input, 0, -1)); err != nil {
				t.Error(err)
			}
		}
		if _, err := c.ProposePrompt(`{"name":"p","content":"c"}`); err != nil && !errors.Is(err, stage.Conflict) {
			t.Error(err)
		}
		c.Log.Info("was here")
		return errors.New("changed my mind")
	}
	s := register(&controllertest.Session{
		Tools: []controllertest.Tool{{Name: "files/read"}, {Name: "files/write"}},
		State: map[string]string{"old": "value"},
	}, controller.Hooks{ToolsList: everything, ToolCall: everything})
	for name, e := range map[string]controllertest.Effects{"list": s.ToolsList(), "call": s.Call("files/read", "")} {
		if e.Outcome != stagetest.Fail || e.Before != nil || e.Notes != nil || e.Rewrite != nil {
			t.Errorf("%s left %+v, want nothing", name, e)
		}
		want(t, "log", fmt.Sprint(e.Log), "[{info was here}]")
	}
	want(t, "state", fmt.Sprint(s.State), "map[old:value]")
	want(t, "list", labels(s.ToolsList()), "files/read files/write read_section")
	want(t, "cache", s.Cache["k"], "v")
	want(t, "proposals", len(s.Proposals), 1)
	if e := s.Result(`{"content":[]}`); e.Outcome != stagetest.Pass {
		t.Errorf("a call whose hook has failed is routed, but its result: %s %s", e.Outcome, e.Reason)
	}
}

func labels(e controllertest.Effects) string {
	var list []string
	for _, t := range e.Listed {
		list = append(list, t.Name)
	}
	return strings.Join(list, " ")
}

// Each function works in its hooks and is refused in the others.
func TestFunctionsByHook(t *testing.T) {
	calls, list, call := []string{controller.OnToolCall, controller.OnToolResult}, []string{controller.OnToolsList}, []string{controller.OnToolCall}
	functions := map[string]struct {
		in []string
		do func(c *controller.Ctx) error
	}{
		"HideTool":  {list, func(c *controller.Ctx) error { return c.HideTool("files/read") }},
		"PatchTool": {list, func(c *controller.Ctx) error { return c.PatchTool("files__read", `{"outputSchema":null}`) }},
		"AddTool":   {list, func(c *controller.Ctx) error { return c.AddTool(`{"name":"own","inputSchema":{}}`) }},
		"Before":    {calls, func(c *controller.Ctx) error { _, err := c.Before(); return err }},
		"After":     {calls, func(c *controller.Ctx) error { _, err := c.After(); return err }},
		"AnswerIs":  {calls, func(c *controller.Ctx) error { return c.AnswerIs(controller.Stages) }},
		"Rewrite":   {call, func(c *controller.Ctx) error { return c.Rewrite("files/read", c.Input, 0, -1) }},
		"State.Set": {hooks, func(c *controller.Ctx) error { return c.State.Set("k", "v") }},
		"Notify":    {hooks, func(c *controller.Ctx) error { return c.ToolsChanged() }},
		"Section":   {hooks, func(c *controller.Ctx) error { _, err := c.Section(controllertest.Ref("x"), ""); return err }},
	}
	for name, f := range functions {
		for _, hook := range hooks {
			in(t, hook, &controllertest.Session{Contents: []controllertest.Content{{Text: "x"}}}, func(c *controller.Ctx) {
				err := f.do(c)
				if ok := slices.Contains(f.in, hook); ok && err != nil || !ok && !errors.Is(err, stage.Unsupported) {
					t.Errorf("%s in %s: %v", name, hook, err)
				}
			})
		}
	}
}

// A list has hidden, patched and virtual tools, and virtual tools keep their owner during
// a session.
func TestList(t *testing.T) {
	gated := true
	s := register(&controllertest.Session{Tools: []controllertest.Tool{
		{Name: "files/read", Definition: `{"name":"files__read","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}`}, {Name: "begin"},
	}}, controller.Hooks{ToolsList: func(c *controller.Ctx) error {
		if !gated {
			return controller.Pass
		}
		for _, err := range []error{c.HideTool("read_section"), c.AddTool(`{"name":"own","inputSchema":{"type":"object"}}`), c.PatchTool("files/read", `{"outputSchema":null,"title":"Read"}`)} {
			want(t, "error", err, nil)
		}
		for name, code := range map[string]error{
			c.AddTool(`{"name":"begin","inputSchema":{}}`).Error():        stage.Conflict,
			c.AddTool(`{"name":"read_section","inputSchema":{}}`).Error(): stage.Conflict,
		} {
			want(t, name, code, error(stage.Conflict))
		}
		return controller.Pass
	}})
	e := s.ToolsList()
	want(t, "gated", labels(e), "own begin files/read")
	want(t, "patched", e.Listed[2].Definition, `{"inputSchema":{"type":"object"},"name":"files__read","title":"Read"}`)
	gated = false
	want(t, "open", labels(s.ToolsList()), "begin files/read read_section")
	if e := s.Call("own", ""); e.Outcome != stagetest.Pass {
		t.Errorf("a tool that is not listed any more: %s %s, want it to be callable", e.Outcome, e.Reason)
	}
	want(t, "unknown tool", s.Call("nobody", "").Reason, `unknown tool "nobody"`)
}

// Virtual tools of earlier lists count towards the limit.
func TestSixtyFourToolsOfASession(t *testing.T) {
	next := 0
	s := register(new(controllertest.Session), controller.Hooks{ToolsList: func(c *controller.Ctx) error {
		for range 40 {
			if err := c.AddTool(fmt.Sprintf(`{"name":"own-%d","inputSchema":{}}`, next)); err != nil {
				return err
			}
			next++
		}
		if err := c.State.Set("list", fmt.Sprint(next)); err != nil {
			return err
		}
		return controller.Pass
	}})
	want(t, "the first 40", s.ToolsList().Outcome, stagetest.Pass)
	e := s.ToolsList()
	want(t, "40 more", e.Reason, "adds 80 virtual tools to the session (limit 64)")
	want(t, "listed", labels(e), "read_section")
	want(t, "state", s.State["list"], "40")
}

// The list starts with the controller's tools in the order of the latest hook.
func TestOrderOfTools(t *testing.T) {
	names := []string{"a", "b"}
	s := register(&controllertest.Session{Tools: []controllertest.Tool{{Name: "files/read"}, {Name: "other"}}}, controller.Hooks{ToolsList: func(c *controller.Ctx) error {
		for _, name := range names {
			want(t, name, c.AddTool(`{"name":"`+name+`","inputSchema":{}}`), nil)
		}
		return nil
	}})
	want(t, "first list", labels(s.ToolsList()), "a b other files/read read_section")
	names = []string{"c", "b"}
	want(t, "second list", labels(s.ToolsList()), "c b other files/read read_section")
}

// The first call of a tool that was not listed creates a list.
func TestLookup(t *testing.T) {
	var reasons []string
	s := register(&controllertest.Session{Tools: []controllertest.Tool{{Name: "files/read"}}}, controller.Hooks{
		ToolsList: func(c *controller.Ctx) error {
			reasons = append(reasons, c.Input.String())
			return c.AddTool(`{"name":"own","inputSchema":{}}`)
		},
		ToolCall: func(c *controller.Ctx) error {
			want(t, "listed", c.Called().Listed, false)
			want(t, "virtual", c.Called().Virtual, true)
			_, err := c.Answer.WriteString("mine")
			return err
		},
	})
	want(t, "answer", s.Call("own", "").Answer, "mine")
	want(t, "lists", fmt.Sprint(reasons), `[{"reason":"lookup"}]`)
}

// A rewritten call goes to another tool with other arguments; the client's call is
// unchanged.
func TestRewrite(t *testing.T) {
	s := register(&controllertest.Session{Tools: []controllertest.Tool{{Name: "files/read"}, {Name: "other"}}}, controller.Hooks{
		ToolsList: func(c *controller.Ctx) error { return c.AddTool(`{"name":"dispatch","inputSchema":{}}`) },
		ToolCall: func(c *controller.Ctx) error {
			for _, name := range []string{"nobody", "other", "dispatch", "read_section"} {
				if err := c.Rewrite(name, c.Input, 0, -1); !errors.Is(err, stage.NotFound) {
					t.Errorf("%s: %v, want not found", name, err)
				}
			}
			twice, _ := c.Put(`{"a":1,"a":2}`)
			if err := c.Rewrite("files/read", twice, 0, -1); !errors.Is(err, stage.BadArg) {
				t.Errorf("a key twice: %v, want an argument not allowed", err)
			}
			at, _, err := c.Input.JSON().Span("/arguments")
			if err != nil {
				return err
			}
			if err := c.Rewrite("files__read", c.Input, at.Start, at.Len()); err != nil {
				return err
			}
			return controller.Pass
		},
		ToolResult: func(c *controller.Ctx) error {
			want(t, "tool", c.Called().Tool, "files/read")
			want(t, "rewritten", c.Called().Rewritten, true)
			want(t, "client", c.Client.String(), `{"name":"dispatch","arguments":{"tool":"read","arguments":{"path":"a"}}}`)
			b, err := c.OpenContent(c.Result().Contents[1].Ref)
			want(t, "stored", b.String(), "two")
			return err
		},
	})
	s.ToolsList()
	e := s.Call("dispatch", `{"tool":"read","arguments":{"path":"a"}}`)
	if e.Rewrite == nil || *e.Rewrite != (controllertest.Rewrite{Tool: "files/read", Arguments: `{"path":"a"}`}) {
		t.Fatalf("rewritten to %+v", e.Rewrite)
	}
	e = s.Result(`{"content":[{"type":"text","text":"one"},{"type":"text","text":"two"}]}`)
	want(t, "reason", e.Reason, "returned DONE without output")
	want(t, "a second result", s.Result(`{}`).Reason, "no call that a server answers")
}

// The manifest must list notifications, except for four of them.
func TestNotify(t *testing.T) {
	e := in(t, controller.OnToolCall, &controllertest.Session{Notifications: []string{"notifications/mine"}}, func(c *controller.Ctx) {
		want(t, "granted", c.Notify("notifications/mine", `{"a":1}`), nil)
		want(t, "free", c.Notify("notifications/message", ""), nil)
		if err := c.Notify("notifications/other", ""); !errors.Is(err, stage.Denied) {
			t.Errorf("not granted: %v", err)
		}
		if err := c.Notify("notifications/message", "[]"); !errors.Is(err, stage.BadArg) {
			t.Errorf("no object: %v", err)
		}
		for range 14 {
			want(t, "up to 16", c.ToolsChanged(), nil)
		}
		if err := c.ToolsChanged(); !errors.Is(err, stage.Limit) {
			t.Errorf("the 17th: %v", err)
		}
	})
	want(t, "notes", fmt.Sprint(e.Notes[:2]), `[{notifications/mine {"a":1}} {notifications/message }]`)
}

// The state has limits.
func TestState(t *testing.T) {
	s := &controllertest.Session{}
	in(t, controller.OnToolCall, s, func(c *controller.Ctx) {
		for i := range 1000 {
			want(t, "set", c.State.Set(fmt.Sprint(i), "x"), nil)
		}
		for what, err := range map[string]error{
			"1,001 keys":   c.State.Set("more", "x"),
			"1 MiB":        c.State.Set("1", strings.Repeat("x", 1<<20)),
			"a key of 257": c.State.Set(strings.Repeat("k", 257), ""),
		} {
			if !errors.Is(err, stage.Limit) {
				t.Errorf("%s: %v, want limit", what, err)
			}
		}
		if err := c.State.Set("", "x"); !errors.Is(err, stage.BadArg) {
			t.Errorf("no key: %v", err)
		}
		want(t, "delete", c.State.Delete("7"), nil)
		if err := c.State.Delete("7"); !errors.Is(err, stage.NotFound) {
			t.Errorf("deleted twice: %v", err)
		}
		v, ok := c.State.Get("1")
		want(t, "kept", v, "x")
		want(t, "its own write", ok, true)
	})
	want(t, "keys", len(s.State), 999)
	s.Close("")
	want(t, "keys of a session that has ended", len(s.State), 0)
}

// The reason names an unknown tool, because authors usually return the error.
func TestReasonNamesUnknownTool(t *testing.T) {
	for hook, h := range map[string]controller.Hooks{
		controller.OnToolCall: {ToolCall: func(c *controller.Ctx) error { return c.Rewrite("files/raed", c.Input, 0, -1) }},
		controller.OnToolsList: {ToolsList: func(c *controller.Ctx) error {
			if err := c.PatchTool("files/raed", `{}`); !errors.Is(err, stage.NotFound) {
				return err
			}
			return c.HideTool("files/raed")
		}},
	} {
		e := run(hook, register(&controllertest.Session{}, h))
		if e.Outcome != stagetest.Fail || !strings.Contains(e.Reason, "tool files/raed not found") {
			t.Errorf("%s: %s %q", hook, e.Outcome, e.Reason)
		}
	}
}
