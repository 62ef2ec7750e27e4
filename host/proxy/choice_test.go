package proxy

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpctl/mcpctl/host/proxy/choice"
)

// choiceProject is a project of the servers a and b that does not offer a/hidden.
func choiceProject(deny ...string) Project {
	return Project{Name: testProject, Servers: []Server{{Name: "a"}, {Name: "b"}}, Sections: true, Tools: choice.Tools{Deny: deny}}
}

func choiceServers() fakeUpstreams {
	echo := func(_ context.Context, c fakeCall) string {
		return `{"content":[{"type":"text","text":"done"}]}`
	}
	return fakeUpstreams{"a": oneTool(echo, "open", "hidden"), "b": oneTool(echo, "open")}
}

func TestToolsNotOffered(t *testing.T) {
	const refusal = `"message":"project \"home\" does not allow tool \"a/hidden\": spec.tools.deny has \"a/h*\" (see mcpctl describe project home)"`
	ups := choiceServers()
	r := newRig(t, ups, choiceProject("a/h*", "*/read_section"), Options{})
	c := r.open(t, "")
	if got := c.ask("tools/call", `{"name":"a__hidden"}`); !strings.Contains(got, refusal) {
		t.Errorf("a call before the first list: %s", got)
	}
	wantTools(t, c, "a__open b__open read_section")
	for _, name := range []string{"a__hidden"} {
		if got := c.ask("tools/call", `{"name":"`+name+`"}`); !strings.Contains(got, refusal) {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := c.ask("tools/call", `{"name":"a__hiddn"}`); !strings.Contains(got, "unknown tool") || strings.Contains(got, "hidden") {
		t.Errorf("a suggestion of a tool that is not offered: %s", got)
	}
	if got := c.ask("tools/call", `{"name":"a__open"}`); !strings.Contains(got, "done") {
		t.Errorf("an offered tool: %s", got)
	}
	for _, call := range ups["a"].calls {
		if call.method == "tools/call" && strings.Contains(call.params, "hidden") {
			t.Errorf("the call reached the server: %s", call.params)
		}
	}
}

// A project with one server and bare names passes on calls of tools that the server does
// not list, but not of tools that the project does not offer.
func TestUnlistedToolIsNotOffered(t *testing.T) {
	p := Project{Servers: []Server{{Name: "a"}}, Bare: true, Tools: choice.Tools{Allow: []string{"a/open", "a/secret?"}}}
	r := newRig(t, choiceServers(), p, Options{})
	c := r.open(t, "")
	wantTools(t, c, "open")
	for name, want := range map[string]string{"unlisted": "no pattern of spec.tools.allow matches it", "hidden": "no pattern of spec.tools.allow", "secret1": "done"} {
		if got := c.ask("tools/call", `{"name":"`+name+`"}`); !strings.Contains(got, want) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// With a denied tool no other spelling reaches the server, which may read " hidden" as its name.
func TestDeniedToolHasNoOtherSpelling(t *testing.T) {
	p := Project{Servers: []Server{{Name: "a"}}, Bare: true, Tools: choice.Tools{Deny: []string{"a/hidden"}}}
	ups := choiceServers()
	c := newRig(t, ups, p, Options{}).open(t, "")
	for _, name := range []string{" hidden", "Hidden", "a/hidden", "a__hidden", "unlisted"} {
		if got := c.ask("tools/call", `{"name":"`+name+`"}`); !strings.Contains(got, "unknown tool") {
			t.Errorf("%q: %s", name, got)
		}
	}
}

// Controllers neither see a tool that is not offered nor reach it.
func TestControllersReachOfferedToolsOnly(t *testing.T) {
	f := scriptedControllers("add {\"name\":\"dispatch\"}\nadd {\"name\":\"a__hidden\"}\nrewrite dispatch a/hidden {}\nanswer a__hidden {\"content\":[]}")
	r := newSteeredRig(t, choiceServers(), choiceProject("a/hidden"), Options{}, f, nil)
	c := r.open(t, "")
	wantTools(t, c, "dispatch a__hidden a__open b__open read_section")
	if seen := f.takeSeen(); strings.Contains(seen, "hidden") {
		t.Errorf("hooks saw %s", seen)
	}
	if got := c.ask("tools/call", `{"name":"dispatch"}`); !strings.Contains(got, `sent on to a/hidden: project \"home\" does not allow`) {
		t.Errorf("rewritten call: %s", got)
	}
	if got := c.ask("tools/call", `{"name":"a__hidden"}`); at(got, "/result/content") != "[]" {
		t.Errorf("a virtual tool with the name of a tool that is not offered: %s", got)
	}
	for _, tool := range f.views[0].Tools() {
		if tool.Label == "a/hidden" {
			t.Error("the view of controllers contains the tool")
		}
	}
	for _, s := range f.views[0].Servers() {
		if s.Tools != 1 {
			t.Errorf("server %s has %d tools", s.Name, s.Tools)
		}
	}
}

// A change of the choice reaches open sessions: they are notified, and the names of other
// tools remain.
func TestChoiceChangesDuringSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, choiceServers(), choiceProject(), Options{})
		c := r.open(t, "")
		stream := c.stream()
		wantTools(t, c, "a__open a__hidden b__open read_section")
		r.projects.set(choiceProject("a/hidden", "b/*"))
		r.Refresh("")
		if got := stream.must(t); at(got, "/method") != `"notifications/tools/list_changed"` {
			t.Errorf("got %s", got)
		}
		if got := c.ask("tools/call", `{"name":"b__open"}`); !strings.Contains(got, "does not allow") {
			t.Errorf("call after the change: %s", got)
		}
		wantTools(t, c, "a__open read_section")
		r.projects.set(choiceProject())
		if got := c.ask("tools/call", `{"name":"b__open"}`); !strings.Contains(got, "done") {
			t.Errorf("call after the choice was removed: %s", got)
		}
		stream.c.Close()
	})
}
