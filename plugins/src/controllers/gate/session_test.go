package gate

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/controllertest"
	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

const (
	five    = `{"tags":["zigbee","lights","mqtt","pairing","automation"]}`
	changed = "notifications/tools/list_changed"
)

// home returns a session of a project with two tools and five prompts.
func home() *controllertest.Session {
	return &controllertest.Session{
		Role: "gate", Project: "home",
		Client: controller.ClientInfo{ListChanged: true},
		Tools: []controllertest.Tool{
			{Name: "home-assistant/get_entities", Definition: `{"name":"home-assistant__get_entities","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}`},
			{Name: "node-red/get_flows"},
		},
		Prompts: []controllertest.Prompt{
			{Name: "common-mistakes", Priority: 10, Summary: "What has gone wrong before", Body: "NEVER reset the coordinator.\n"},
			{Name: "security-policy", Priority: 8, Summary: "Firewall, VPN and who may open what", Body: "All devices live in VLAN 30."},
			{Name: "stack", Priority: 5, Summary: "Zigbee2MQTT beside Home Assistant", Chapters: []string{"MQTT broker", "Pairing lights"}, Body: "The broker is mosquitto."},
			{Name: "naming", Priority: 5, Summary: "How rooms and devices are named", Body: "room_device_function"},
			{Name: "old-notes", Priority: 2, Summary: "Notes of 2021 on automation", Body: "See stack."},
		},
	}
}

func listed(e controllertest.Effects) string {
	var names []string
	for _, t := range e.Listed {
		names = append(names, t.Name)
	}
	return strings.Join(names, " ")
}

// inOrder fails unless all parts occur in a text in this order.
func inOrder(t *testing.T, text string, parts ...string) {
	t.Helper()
	rest := text
	for _, p := range parts {
		_, after, ok := strings.Cut(rest, p)
		if !ok {
			t.Fatalf("no %q at its place in\n%s", p, text)
		}
		rest = after
	}
}

// lacks fails if a part occurs in a text.
func lacks(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if strings.Contains(text, p) {
			t.Errorf("%q in\n%s", p, text)
		}
	}
}

// done fails unless a call was answered without an error.
func done(t *testing.T, e controllertest.Effects) string {
	t.Helper()
	if e.Outcome != stagetest.Done || e.Kind != 0 {
		t.Fatalf("%s %s, kind %d: %s", e.Outcome, e.Reason, e.Kind, e.Answer)
	}
	return e.Answer
}

// refused fails unless a call was answered with an error that contains all parts.
func refused(t *testing.T, e controllertest.Effects, parts ...string) {
	t.Helper()
	if e.Outcome != stagetest.Done || e.Kind != controller.IsError {
		t.Fatalf("%s %s, kind %d: %s", e.Outcome, e.Reason, e.Kind, e.Answer)
	}
	inOrder(t, e.Answer, parts...)
}

func passed(t *testing.T, e controllertest.Effects) {
	t.Helper()
	if e.Outcome != stagetest.Pass {
		t.Fatalf("%s %s: %s", e.Outcome, e.Reason, e.Answer)
	}
}

func notes(e controllertest.Effects) string {
	var methods []string
	for _, n := range e.Notes {
		methods = append(methods, n.Method)
	}
	return strings.Join(methods, " ")
}

// Tools hidden by a controller before the gate stay hidden, so begin_session names
// the tools that this controller adds instead.
func TestBeginNamesVisibleTools(t *testing.T) {
	for _, listChanged := range []bool{true, false} {
		s := home()
		s.Client.ListChanged = listChanged
		for i := range s.Tools {
			s.Tools[i].Hidden = true
		}
		s.Tools = append(s.Tools, controllertest.Tool{Name: "proxy-dispatch"})
		s.ToolsList()
		got := done(t, s.Call("begin_session", five))
		if !strings.HasSuffix(got, "Tools open now: read_prompts, propose_prompt, proxy-dispatch, read_section") {
			t.Errorf("list changed %v: %s", listChanged, got[strings.LastIndex(got, "\n")+1:])
		}
		s.ToolsList()
		again := done(t, s.Call("begin_session", five))
		if !strings.HasSuffix(again, "read_prompts, propose_prompt, proxy-dispatch, read_section") {
			t.Errorf("list changed %v, again: %s", listChanged, again[strings.LastIndex(again, "\n")+1:])
		}
	}
}

// If a session has no state, as after a restart of the daemon, begin_session names
// all tools.
func TestBeginNamesAllToolsWhereNothingIsKept(t *testing.T) {
	s := home()
	s.ToolsList()
	s.State = nil
	if got := done(t, s.Call("begin_session", five)); !strings.HasSuffix(got, "home-assistant__get_entities, node-red__get_flows, read_section") {
		t.Errorf("%s", got[strings.LastIndex(got, "\n")+1:])
	}
}
