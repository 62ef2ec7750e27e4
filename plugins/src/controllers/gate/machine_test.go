package gate

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
)

// begin_session opens a gated session.
func TestBeginSessionOpensSession(t *testing.T) {
	s := home()
	passed(t, s.ToolsList())
	e := s.Call("begin_session", five)
	done(t, e)
	if s.State["gated"] != "0" || notes(e) != changed {
		t.Errorf("gated %q, notifications %q", s.State["gated"], notes(e))
	}
	e = s.Call("node-red/get_flows", `{}`)
	passed(t, e)
	if len(e.Before)+len(e.After)+len(e.Notes) > 0 {
		t.Errorf("an open session is not left alone: %+v", e)
	}
}

// An intercepted tools/call opens a gated session.
func TestInterceptedCallOpensSession(t *testing.T) {
	s := home()
	e := s.Call("home-assistant/get_entities", `{"domain":"light"}`)
	passed(t, e)
	if len(e.Before) != 1 || notes(e) != changed || s.State["gated"] != "0" {
		t.Fatalf("%d blocks, notifications %q, gated %q", len(e.Before), notes(e), s.State["gated"])
	}
	inOrder(t, e.Before[0], "This call was made", "NEVER reset the coordinator.", "The broker is mosquitto.", "- security-policy: ")
	if got := s.State["tags"]; got != "home-assistant\nentities\nlight" {
		t.Errorf("keywords %q", got)
	}
	e = s.Call("home-assistant/get_entities", `{"domain":"light"}`)
	passed(t, e)
	if len(e.Before) > 0 {
		t.Error("a second briefing")
	}
}

// A project without a gate is not affected.
func TestProjectWithoutGate(t *testing.T) {
	s := home()
	s.NotGated = true
	e := s.Initialize("")
	passed(t, e)
	if got := listed(s.ToolsList()); got != "home-assistant/get_entities node-red/get_flows read_section" {
		t.Errorf("listed %s", got)
	}
	e = s.Call("node-red/get_flows", `{}`)
	passed(t, e)
	if len(e.Before)+len(e.Notes)+len(s.State) > 0 {
		t.Errorf("%+v, state %v", e, s.State)
	}
}

// A gated session lists only begin_session.
func TestGatedSessionListsOnlyBeginSession(t *testing.T) {
	s := home()
	e := s.ToolsList()
	if got := listed(e); got != "begin_session" {
		t.Fatalf("listed %s", got)
	}
	for _, part := range []string{`"anthropic/alwaysLoad":true`, `"maxItems":10`, `"required":["tags"]`} {
		if !strings.Contains(e.Listed[0].Definition, part) {
			t.Errorf("no %s in %s", part, e.Listed[0].Definition)
		}
	}
	if len(e.Listed[0].Definition) > 2048 {
		t.Errorf("definition of %d bytes", len(e.Listed[0].Definition))
	}
}

// An open session lists read_prompts and all upstream tools instead of begin_session.
func TestOpenSessionListsTools(t *testing.T) {
	s := home()
	s.ToolsList()
	s.Call("begin_session", five)
	e := s.ToolsList()
	if got := listed(e); got != "read_prompts propose_prompt home-assistant/get_entities node-red/get_flows read_section" {
		t.Errorf("listed %s", got)
	}
	for _, tool := range e.Listed {
		own := tool.Name == toolRead || tool.Name == toolPropose
		if own != strings.Contains(tool.Definition, `"anthropic/alwaysLoad":true`) {
			t.Errorf("%s: %s", tool.Name, tool.Definition)
		}
		if tool.Name == "home-assistant/get_entities" && !strings.Contains(tool.Definition, "outputSchema") {
			t.Error("an open session lacks the schema of results")
		}
	}
}

// A client that does not reload the list sees all tools at once, with those of the gate and
// without output schemas, because the first result may include a block of prompts.
func TestClientThatDoesNotReloadTheList(t *testing.T) {
	s := home()
	s.Client.ListChanged, s.Client.Name = false, "old"
	e := s.ToolsList()
	if got := listed(e); got != "begin_session read_prompts propose_prompt home-assistant/get_entities node-red/get_flows read_section" {
		t.Errorf("listed %s", got)
	}
	for _, tool := range e.Listed {
		if strings.Contains(tool.Definition, "outputSchema") {
			t.Errorf("%s", tool.Definition)
		}
	}
}

// Without interception a call in a gated session is refused with a reference to
// begin_session.
func TestCallBeforeBeginSessionIsRefused(t *testing.T) {
	s := home()
	s.Config = `{"interceptEnabled":false}`
	for _, tool := range []string{"node-red/get_flows", "read_prompts"} {
		e := s.Call(tool, five)
		refused(t, e, "begin_session", `{"tags":[`, strings.ReplaceAll(tool, "/", "__")+" was not called")
		if s.State["gated"] == "0" || len(e.Notes) > 0 {
			t.Error("a refused call opens the session")
		}
	}
	done(t, s.Call("begin_session", five))
	passed(t, s.Call("node-red/get_flows", `{}`))
}

// Opening a session sends tools/list_changed.
func TestOpeningSendsListChanged(t *testing.T) {
	for _, first := range []string{"begin_session", "read_prompts", "node-red/get_flows"} {
		s := home()
		if e := s.Call(first, five); notes(e) != changed {
			t.Errorf("%s: notifications %q", first, notes(e))
		}
		for _, second := range []string{"begin_session", "read_prompts", "node-red/get_flows"} {
			if e := s.Call(second, five); notes(e) != "" {
				t.Errorf("%s, then %s: notifications %q", first, second, notes(e))
			}
		}
	}
}

// A client that lost its session repeats its call without tools/list. The new
// session answers any call.
func TestCallRepeatedAfterALostSession(t *testing.T) {
	s := home()
	e := s.Call("read_prompts", `{"tags":["vpn"]}`)
	inOrder(t, done(t, e), "All devices live in VLAN 30.")
	if len(e.Before) != 1 || s.State["gated"] != "0" {
		t.Fatalf("%d blocks, gated %q", len(e.Before), s.State["gated"])
	}
	inOrder(t, e.Before[0], "NEVER reset")
	lacks(t, e.Before[0]+e.Answer[strings.Index(e.Answer, "VLAN")+4:], "VLAN")

	s = home()
	inOrder(t, done(t, s.Call("propose_prompt", `{"name":"lesson","content":"x"}`)), "Proposed as request-1")
	if len(s.Proposals) != 1 || s.State["gated"] != "0" {
		t.Errorf("%v, gated %q", s.Proposals, s.State["gated"])
	}
}

// A project without prompts has no gate, and its calls do no extra work.
func TestNoPromptsNoGate(t *testing.T) {
	s := home()
	s.Prompts = nil
	passed(t, s.Initialize(""))
	if got := listed(s.ToolsList()); got != "home-assistant/get_entities node-red/get_flows read_section" {
		t.Errorf("listed %q", got)
	}
	e := s.Call("node-red/get_flows", `{}`)
	passed(t, e)
	if len(e.Before) > 0 || notes(e) != "" || s.State["gated"] != "" {
		t.Errorf("%q, %s, gated %q", e.Before, notes(e), s.State["gated"])
	}
	inOrder(t, done(t, s.Call("begin_session", five)), "Project home has no prompts.", "node-red__get_flows")
}

// A prompt added during a session without a gate is sent before the result of the
// next call, and no tool is hidden.
func TestPromptAddedToASessionWithoutGate(t *testing.T) {
	for _, c := range []struct {
		rule, config string
		client       controller.ClientInfo
		relisted     bool
		listed, call string
	}{
		{"the next call", "", controller.ClientInfo{ListChanged: true}, false, "", "rules"},
		{"the next call after the list", "", controller.ClientInfo{ListChanged: true}, true,
			"read_prompts propose_prompt home-assistant/get_entities node-red/get_flows read_section", "rules"},
		{"a client that shows only structured content reloads the list before it calls a tool with an output schema", "", controller.ClientInfo{ListChanged: true, StructuredOnly: true}, false,
			"", "list"},
		{"and gets the rules then", "", controller.ClientInfo{ListChanged: true, StructuredOnly: true}, true,
			"read_prompts propose_prompt home-assistant/get_entities node-red/get_flows read_section", "rules"},
		{"without interception the gate closes", `{"interceptEnabled":false}`, controller.ClientInfo{ListChanged: true}, true,
			"begin_session", "refused"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			s := home()
			prompts := s.Prompts
			s.Prompts, s.Client, s.Config = nil, c.client, c.config
			s.ToolsList()
			s.Prompts = prompts
			if c.relisted {
				e := s.ToolsList()
				if got := listed(e); got != c.listed {
					t.Errorf("listed %q", got)
				}
				for _, tool := range e.Listed {
					if c.call == "rules" && strings.Contains(tool.Definition, `"outputSchema":{`) {
						t.Errorf("a result of %s could not show a block", tool.Name)
					}
				}
			}
			e := s.Call("home-assistant/get_entities", `{"area":"pairing"}`)
			switch c.call {
			case "rules":
				passed(t, e)
				if len(e.Before) != 1 || s.State["gated"] != "0" {
					t.Fatalf("%d blocks, gated %q", len(e.Before), s.State["gated"])
				}
				inOrder(t, e.Before[0], "NEVER reset")
			case "list":
				passed(t, e)
				if len(e.Before) > 0 || notes(e) != changed {
					t.Errorf("%d blocks, notes %q", len(e.Before), notes(e))
				}
			case "refused":
				refused(t, e, "begin_session")
			}
			if c.call == "rules" {
				lacks(t, strings.Join(s.Call("node-red/get_flows", `{}`).Before, ""), "NEVER")
			}
		})
	}
}

// A client that shows only structured content shows the block before the result of
// a tool without an output schema.
func TestPromptAddedBeforeACallWithoutSchema(t *testing.T) {
	s := home()
	prompts := s.Prompts
	s.Prompts, s.Client = nil, controller.ClientInfo{ListChanged: true, StructuredOnly: true}
	s.ToolsList()
	s.Prompts = prompts
	e := s.Call("node-red/get_flows", `{}`)
	passed(t, e)
	if len(e.Before) != 1 || s.State["gated"] != "0" {
		t.Fatalf("%d blocks, gated %q", len(e.Before), s.State["gated"])
	}
	inOrder(t, e.Before[0], "NEVER reset")
}

// A second begin_session is answered although it is not listed any more. The answer
// has only prompts that are new or changed.
func TestSecondBeginSession(t *testing.T) {
	s := home()
	done(t, s.Call("begin_session", five))
	got := done(t, s.Call("begin_session", `{"tags":["mqtt","vpn"]}`))
	inOrder(t, got, "All devices live in VLAN 30.", "not again: common-mistakes, stack", "Tools open now: ")
	lacks(t, got, "NEVER reset", "mosquitto")
}
