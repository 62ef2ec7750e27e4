package proxy

import (
	"context"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
)

// The dry run returns the same instructions as a session, with the size that clients count,
// and starts no server.
func TestInstructionsEqualThoseOfSession(t *testing.T) {
	for _, tc := range []struct {
		rule, script, server string
		controllers          int
		cut                  bool
	}{
		{"none", "off", "", 0, false},
		{"controllers and a server", "instructions Begin. 😀", "Of the server.", len("Begin. ") + 2, false},
		{"server only", "off", strings.Repeat("é", 100), 0, false},
		{"too long", "instructions Begin.", strings.Repeat("A line of the server.\n", 200), len("Begin."), true},
		{"too long text of controllers", "instructions " + strings.Repeat("word ", 600), "Of the server.", 2048, true},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			server := oneTool(func(context.Context, fakeCall) string { return emptyResult }, "t")
			server.instructions = tc.server
			f := scriptedControllers(tc.script)
			r := newSteeredRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{}, f, nil)
			project, err := r.projects.Project(testProject)
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Instructions(t.Context(), "", project); len(got.Unheard) != 1 {
				t.Errorf("before any session: unheard %v, want the server", got.Unheard)
			}
			c := r.dial(t)
			answer := []byte(at(c.initialize(""), "/result"))
			want := jsonedit.MemberText(answer, "instructions")
			got := r.Instructions(t.Context(), "", project)
			if got.Text != want || got.Characters() != len(utf16.Encode([]rune(want))) {
				t.Errorf("%d characters: %q\nwant %q", got.Characters(), got.Text, want)
			}
			if got.Limit != 2048 || got.Characters() > got.Limit || got.Cut > 0 != tc.cut || got.Controllers != tc.controllers || len(got.Unheard) != 0 {
				t.Errorf("limit %d, cut %d, controllers %d, unheard %v", got.Limit, got.Cut, got.Controllers, got.Unheard)
			}
			if n := len(r.sessions.of(testProject)); n != 1 {
				t.Errorf("%d sessions, want 1", n)
			}
		})
	}
}
