package gate

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/sdk-go/controllertest"
)

// read_prompts sends further matches, without prompts already sent.
func TestReadPromptsResponse(t *testing.T) {
	for _, opening := range []string{"begin_session", "home-assistant/get_entities"} {
		s := home()
		s.Call(opening, `{"tags":["mqtt"]}`)
		e := s.Call("read_prompts", `{"tags":["vpn","mqtt"]}`)
		got := done(t, e)
		inOrder(t, got, "==== security-policy, priority 8", "VLAN 30", "not again: stack", "call `read_prompts`")
		lacks(t, got, "mosquitto", "NEVER reset", "Tools open now")
		if len(e.Notes) > 0 || s.State["tags"] != "mqtt\nvpn" && !strings.HasSuffix(s.State["tags"], "mqtt\nvpn") {
			t.Errorf("notifications %v, tags %q", e.Notes, s.State["tags"])
		}
		got = done(t, s.Call("read_prompts", `{"tags":"security-policy"}`))
		inOrder(t, got, "not again: security-policy")
		lacks(t, got, "VLAN")
	}
}

func TestReadPromptsWithoutMatch(t *testing.T) {
	s := home()
	done(t, s.Call("begin_session", five))
	inOrder(t, done(t, s.Call("read_prompts", `{"tags":["kubernetes"]}`)), "No prompt matches", "- security-policy: ", "call `read_prompts`")
}

func TestReadPromptsWithoutMatchAfterAllWereSent(t *testing.T) {
	s := home()
	done(t, s.Call("begin_session", five))
	done(t, s.Call("read_prompts", `{"tags":["security-policy","naming","old-notes"]}`))
	got := done(t, s.Call("read_prompts", `{"tags":["kubernetes"]}`))
	inOrder(t, got, "No prompt matches, and this session has been sent all of them.\n\nWhen the work moves on")
	s.Prompts = nil
	inOrder(t, done(t, s.Call("read_prompts", `{"tags":["kubernetes"]}`)), "Project home has no prompts.\n\n")
}

// A section of a dead link is refused without a hint to ask again.
func TestSectionOfADeadLink(t *testing.T) {
	s := home()
	done(t, s.Call("begin_session", `{"tags":["vpn"]}`))
	s.Prompts[2].Link, s.Prompts[2].LinkStatus = "other/docs:docs://stack", "dead"
	e := s.Call("read_prompts", `{"tags":["stack"],"section":""}`)
	refused(t, e, "prompt stack cannot be read now")
	lacks(t, e.Answer, "ask for it", "docs://")
}

func TestReadPromptsOverTheBudget(t *testing.T) {
	s := long(5, 5, 5)
	s.Config = `{"byteBudget":1000}`
	done(t, s.Call("begin_session", `{"tags":["none"]}`))
	for _, want := range []string{"p0", "p1", "p2"} { // each answer has one that was not sent yet
		if got := inFull(done(t, s.Call("read_prompts", `{"tags":["mqtt"]}`))); got != want {
			t.Errorf("%q in full, want %q", got, want)
		}
	}
}

// A section of any prompt can be read, sent or not, critical or not. Unless the only
// keyword is the name of the prompt, the answer names the prompt.
func TestReadPromptsBySection(t *testing.T) {
	s := home()
	s.Section = func(ref, section string) string { return ref + " " + section }
	done(t, s.Call("begin_session", five))
	for _, c := range []struct{ arguments, want string }{
		{`{"tags":["stack"],"section":"pairing/zigbee"}`, controllertest.Ref("The broker is mosquitto.") + " pairing/zigbee"},
		{`{"tags":["vpn"],"section":"?vlan \"30\""}`, "From security-policy, which matches best:\n" + controllertest.Ref("All devices live in VLAN 30.") + ` ?vlan "30"`},
		{`{"tags":["common-mistakes"],"section":"!"}`, controllertest.Ref("NEVER reset the coordinator.\n") + " !"},
		{`{"tags":["naming"],"section":""}`, controllertest.Ref("room_device_function") + " "},
		{`{"tags":["naming","stack"],"section":"?x"}`, "From naming, which matches best:\n" + controllertest.Ref("room_device_function") + " ?x"},
	} {
		if got := done(t, s.Call("read_prompts", c.arguments)); got != c.want {
			t.Errorf("%s: %q, want %q", c.arguments, got, c.want)
		}
	}
	if got := done(t, s.Call("read_prompts", `{"tags":["vpn"]}`)); !strings.Contains(got, "VLAN 30") {
		t.Errorf("a section that was read keeps its prompt from being sent:\n%s", got)
	}
}

// An error describes the invalid argument to the model.
func TestInvalidArguments(t *testing.T) {
	for _, c := range []struct {
		tool, arguments string
		want            []string
	}{
		{"begin_session", `{}`, []string{"tags is missing", `{"tags":["zigbee"`}},
		{"begin_session", `{"tags":[]}`, []string{"holds 0 keywords, want 1 to 10", "about 5 keywords"}},
		{"begin_session", `{"tags":["a1","b1","c1","d1","e1","f1","g1","h1","i1","j1","k1"]}`, []string{"holds 11 keywords, want 1 to 10"}},
		{"begin_session", `{"tags":["mqtt",5]}`, []string{"tags[1] is number, want string"}},
		{"begin_session", `{"tags":{"a":1}}`, []string{"tags is object, want an array of strings"}},
		{"begin_session", `{"tags":null}`, []string{"tags is null"}},
		{"begin_session", `{"tags":["", " ", "!"]}`, []string{"tags holds no word"}},
		{"read_prompts", `{}`, []string{"read_prompts: tags is missing", `read_prompts({"tags"`}},
		{"read_prompts", `{"tags":["mqtt"],"section":5}`, []string{"section is number, want string"}},
		{"read_prompts", `{"tags":["kubernetes"],"section":"x"}`, []string{"no prompt matches kubernetes"}},
		{"propose_prompt", `{"content":"x"}`, []string{"name is missing"}},
		{"propose_prompt", `{"name":5,"content":"x"}`, []string{"name is number, want string"}},
		{"propose_prompt", `{"name":"A b","content":"x"}`, []string{"name must be 1 to 63 of a-z"}},
		{"propose_prompt", `{"name":"../x","content":"x"}`, []string{"name must be"}},
		{"propose_prompt", `{"name":"","content":"x"}`, []string{"name must be"}},
		{"propose_prompt", `{"name":"a","content":""}`, []string{"content is empty"}},
		{"propose_prompt", `{"name":"a","content":"x","priority":11}`, []string{"priority must be a whole number from 1 to 10"}},
		{"propose_prompt", `{"name":"a","content":"x","priority":"5"}`, []string{"priority must be"}},
		{"propose_prompt", `{"name":"a","content":"x","priority":5.5}`, []string{"priority must be"}},
	} {
		s := home()
		s.State = map[string]string{stateGated: "0"}
		if c.tool == toolBegin {
			s.State = nil
		}
		refused(t, s.Call(c.tool, c.arguments), c.want...)
		if c.tool == toolBegin && s.State[stateGated] == "0" || len(s.Proposals) > 0 {
			t.Errorf("%s %s: state %v, proposals %v", c.tool, c.arguments, s.State, s.Proposals)
		}
	}
}

func TestProposePrompt(t *testing.T) {
	s := home()
	done(t, s.Call("begin_session", five))
	got := done(t, s.Call("propose_prompt", `{"name":"pairing-order","content":"Pair \"routers\"\nfirst. \u00fc","priority":7}`))
	inOrder(t, got, "Proposed as request-1", "not in force", "a person")
	done(t, s.Call("propose_prompt", `{"name":"two","content":"x"}`))
	if p := s.Proposals[0]; p.Name != "pairing-order" || p.Content != "Pair \"routers\"\nfirst. ü" || p.Priority != 7 || s.Proposals[1].Priority != 5 {
		t.Errorf("%+v", s.Proposals)
	}
	refused(t, s.Call("propose_prompt", `{"name":"two","content":"y"}`), "waits for review")
	lacks(t, got, "replace")
	got = done(t, s.Call("propose_prompt", `{"name":"stack","content":"Another broker."}`))
	inOrder(t, got, "not in force", "has a prompt of this name, which it would replace")
	lacks(t, done(t, s.Call("read_prompts", `{"tags":["pairing-order"]}`)), "routers")
	e := s.Call("propose_prompt", `{"name":"long","content":"`+strings.Repeat("x", 70_000)+`"}`)
	refused(t, e, "content is over 65,536 bytes")
	lacks(t, e.Answer, "wait for review")
}

func TestHugeArguments(t *testing.T) {
	s := home()
	many := `{"tags":["` + strings.Repeat("mqtt vpn ", 1<<20) + `"]}`
	inOrder(t, done(t, s.Call("begin_session", many)), "VLAN 30", "mosquitto")
	if len(s.State["tags"]) > 100 {
		t.Errorf("%d bytes of keywords", len(s.State["tags"]))
	}
	s = home()
	e := s.Call("node-red/get_flows", `{"x":"`+strings.Repeat(`mqtt \"`, 1<<20)+`"}`)
	passed(t, e)
	inOrder(t, e.Before[0], "mosquitto")
	refused(t, s.Call("read_prompts", `{"tags":["mqtt"],"section":"`+strings.Repeat("x", 1<<20)+`"}`), "section is longer")
	refused(t, s.Call("propose_prompt", `{"name":"a","content":"`+strings.Repeat("x", 1<<20)+`"}`), "over 65,536 bytes")
}
