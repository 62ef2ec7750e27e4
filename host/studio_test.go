package host

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host/event"
	"github.com/mcpctl/mcpctl/host/hold"
)

// studioRig is a rig whose project shows an index of a document with 40 sections.
func studioRig(t *testing.T) (*rig, *client) {
	t.Helper()
	r := newRig(t, files{"servers/up.yaml": stdioServer("up", ""), "projects/home.yaml": project("ungated-subindex"), "proxymodels/plain.yaml": plain})
	return r, r.dial(t)
}

// plain is a proxymodel that changes nothing.
var plain = model("plain", "type: passthrough")

// getPage returns the arguments with which the server returns a page of the docs.
func getPage(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../docs/authoring.md")
	if err != nil {
		t.Fatal(err)
	}
	return marshal(t, map[string]string{"file": path})
}

func (r *rig) eventsOf(types ...event.Type) []event.Event {
	return r.Events(0, event.Query{Types: types})
}

// texts returns the texts of an event, joined.
func joinTexts(texts []Text) string {
	var all []string
	for _, t := range texts {
		all = append(all, string(t.Bytes))
	}
	return strings.Join(all, "\n")
}

// Originals and Shown return the exact texts of the server's and the client's result.
func TestEventHasBothTexts(t *testing.T) {
	skipShort(t)
	r, c := studioRig(t)
	for _, call := range []struct{ tool, args string }{{"up__get", getPage(t)}, {"up__echo", `{"text":"small"}`}} {
		a := c.tool(t, call.tool, call.args)
		calls := r.eventsOf(event.ToolCall)
		e := calls[len(calls)-1]
		shown, err := r.Studio().Shown(e.ID)
		if err != nil || joinTexts(shown) != a.text() {
			t.Errorf("%s: shown %q, %v, the client got %q", call.tool, joinTexts(shown), err, a.text())
		}
		originals, err := r.Studio().Originals(e.ID)
		if err != nil || len(originals) != 1 || e.Changed == (joinTexts(originals) == a.text()) {
			t.Errorf("%s: original %.60q, %v", call.tool, joinTexts(originals), err)
		}
	}
	types := []string{}
	for _, e := range r.Events(0, event.Query{}) {
		if e.Method == "tools/call" {
			types = append(types, string(e.Type))
		}
	}
	if got, want := strings.Join(types, " "), "content_original content_transformed tool_call content_original tool_call"; got != want {
		t.Errorf("events: %s, want %s", got, want)
	}
}

// A drill-down is in the coverage of the call whose original it read.
func TestCoverageGrowsWithReads(t *testing.T) {
	r, c := studioRig(t)
	a := c.tool(t, "up__get", getPage(t))
	call := r.eventsOf(event.ToolCall)[0]
	before, err := r.Studio().Coverage(call.ID)
	if err != nil || len(before) != 1 || before[0].Whole || len(before[0].Read) != 0 || len(before[0].Sections) == 0 {
		t.Fatalf("before: %+v, %v", before, err)
	}
	read := c.section(t, a.Meta.Ref, a.Meta.Offers[0])
	after, err := r.Studio().Coverage(call.ID)
	if err != nil || len(after[0].Read) != 1 || after[0].Read[0] != *read.Meta.Bytes {
		t.Errorf("after reading %v: %+v, %v", read.Meta.Bytes, after[0].Read, err)
	}
	e := r.eventsOf(event.SectionRead)[0]
	if e.Section == "" || len(e.Refs) != 1 || e.Refs[0] != a.Meta.Ref {
		t.Errorf("event of the read: %+v", e)
	}
	if shown, err := r.Studio().Shown(e.ID); err != nil || joinTexts(shown) != read.text() {
		t.Errorf("text of the read: %q, %v", joinTexts(shown), err)
	}
}

func TestReplayIsWhatWasSent(t *testing.T) {
	r, c := studioRig(t)
	a := c.tool(t, "up__get", getPage(t))
	call := r.eventsOf(event.ToolCall)[0]
	n := len(r.Events(0, event.Query{}))
	list, err := r.Studio().Replay(t.Context(), call.ID)
	if err != nil || len(list) != 1 || !list[0].Same || string(list[0].Text) != a.text() || len(list[0].Stages) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	if got := len(r.Events(0, event.Query{})); got != n {
		t.Errorf("the replay added %d events", got-n)
	}
	r.put(t, "projects/home.yaml", []byte(project("plain")))
	r.reload(t)
	if list, err = r.Studio().Replay(t.Context(), call.ID); err != nil || list[0].Same {
		t.Errorf("with another proxymodel: %v, %v", list[0].Same, err)
	}
	if e := r.eventsOf(event.ModelSwitched); len(e) != 1 || e[0].Change.From != "ungated-subindex" || e[0].Project != "home" {
		t.Errorf("model_switched: %+v", e)
	}
}

// held waits until an answer is held and returns it.
func (r *rig) held(t *testing.T) hold.Answer {
	t.Helper()
	if n := eventually(func() int { return len(r.Studio().Holds().List("home")) }, 1); n != 1 {
		t.Fatalf("%d answers are held", n)
	}
	return r.Studio().Holds().List("home")[0]
}

func TestHeldAnswers(t *testing.T) {
	r, c := studioRig(t)
	holds := r.Studio().Holds()
	if err := r.Studio().SetHoldRule("home", false, "tool:get"); err != nil {
		t.Fatal(err)
	}
	if a := c.tool(t, "up__echo", `{"text":"not selected"}`); a.text() != "not selected" {
		t.Errorf("an answer that the rule does not select: %q", a.text())
	}
	args := getPage(t)
	for _, tc := range []struct {
		rule   string
		decide hold.Decision
		want   string
		failed bool
	}{
		{"released", hold.Decision{Outcome: hold.Released}, "", false},
		{"edited", hold.Decision{Outcome: hold.Edited, Texts: []string{"only this"}}, "only this", false},
		{"dropped", hold.Decision{Outcome: hold.Dropped}, "dropped by the user", true},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			got := make(chan answer, 1)
			go func() { a, _ := c.tryTool("up__get", args); got <- a }()
			h := r.held(t)
			if _, err := holds.End(h.ID, tc.decide); err != nil {
				t.Fatal(err)
			}
			a := <-got
			want := tc.want
			if want == "" {
				want = h.Texts[0]
			}
			if !strings.Contains(a.text(), want) || a.IsError != tc.failed {
				t.Errorf("the client got %q, error %v", a.text(), a.IsError)
			}
			if _, err := holds.End(h.ID, tc.decide); err == nil {
				t.Error("decided twice")
			}
			calls := r.eventsOf(event.ToolCall)
			if e := calls[len(calls)-1]; e.Hold == nil || e.Hold.Outcome != tc.decide.Outcome || e.Hold.ID != h.ID {
				t.Errorf("event: %+v", e.Hold)
			}
		})
	}
	list, err := r.Studio().Corrections().List("home", "")
	if err != nil || len(list) != 1 || list[0].Edited != "only this" || list[0].Original == "" || list[0].Stages[0].Role != "section-split" {
		t.Errorf("corrections: %+v, %v", list, err)
	}
	types := map[event.Type]int{}
	for _, e := range r.Events(0, event.Query{}) {
		types[e.Type]++
	}
	if types[event.ContentPaused] != 3 || types[event.ContentReleased] != 3 || types[event.ContentEdited] != 1 {
		t.Errorf("events: %v", types)
	}
}

// The end of the daemon releases what is held.
func TestDrainReleasesHeldAnswers(t *testing.T) {
	r, c := studioRig(t)
	if err := r.Studio().SetHoldRule("home", true, ""); err != nil {
		t.Fatal(err)
	}
	got := make(chan string, 1)
	go func() { a, _ := c.tryTool("up__echo", `{"text":"hello"}`); got <- a.text() }()
	r.held(t)
	r.Drain(t.Context())
	if text := <-got; text != "hello" {
		t.Errorf("the client got %q", text)
	}
}

func TestHoldRuleWithInvalidQuery(t *testing.T) {
	r, _ := studioRig(t)
	if err := r.Studio().SetHoldRule("home", false, "toool:x"); err == nil || !strings.Contains(err.Error(), `"tool"`) {
		t.Errorf("%v", err)
	}
}

// A project without stages stores texts only while somebody follows its events.
func TestTextsWithoutStages(t *testing.T) {
	r := newRig(t, files{"servers/up.yaml": stdioServer("up", ""), "projects/home.yaml": project("empty"),
		"proxymodels/empty.yaml": "kind: ProxyModel\nmetadata: {name: empty}\nspec: {controller: none, stages: []}\n"})
	c := r.dial(t)
	c.tool(t, "up__echo", `{"text":"one"}`)
	done := r.watchers.add("home")
	c.tool(t, "up__echo", `{"text":"two"}`)
	done()
	if p := r.problems(); p != "" {
		t.Fatal(p)
	}
	calls := r.eventsOf(event.ToolCall)
	if _, err := r.Studio().Shown(calls[0].ID); err == nil {
		t.Error("the text of the first call was stored")
	}
	if shown, err := r.Studio().Shown(calls[1].ID); err != nil || joinTexts(shown) != "two" {
		t.Errorf("second call: %q, %v", joinTexts(shown), err)
	}
}

func TestSessionEvents(t *testing.T) {
	r, c := studioRig(t)
	c.tool(t, "up__echo", `{"text":"hello"}`)
	list := r.Studio().Sessions("home")
	if len(list) != 1 || !list[0].Open || list[0].Client != "test/1" || list[0].Model != "ungated-subindex" || list[0].Events == 0 {
		t.Fatalf("sessions: %+v", list)
	}
	req, err := c.request("DELETE", "")
	if err != nil {
		t.Fatal(err)
	}
	res, err := r.web.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	var got []string
	for _, e := range r.eventsOf(event.SessionOpened, event.SessionClosed, event.ServerState) {
		text, _ := json.Marshal(e.Change)
		got = append(got, string(e.Type)+" "+string(text))
	}
	want := []string{`session_opened null`, `server_state {"name":"up","from":"starting","to":"ready"}`, `session_closed {"reason":"client"}`}
	all := strings.Join(got, "\n")
	for _, w := range want {
		if !strings.Contains(all, w) {
			t.Errorf("no event %s in\n%s", w, all)
		}
	}
	if list := r.Studio().Sessions("home"); len(list) != 1 || list[0].Open {
		t.Errorf("after the end: %+v", list)
	}
}
