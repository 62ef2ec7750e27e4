package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/event"
	"github.com/mcpctl/mcpctl/host/prompt"
	"github.com/mcpctl/mcpctl/host/team"
	"github.com/mcpctl/mcpctl/host/team/teamtest"
)

const proposal = `{"name":"lesson","content":"Use tabs.","priority":7}`

// A proposal for a project of mcpd is stored there, and not in a file.
func TestProposalForTeam(t *testing.T) {
	r := newTeamRig(t, files{}, teamServer, teamProject)
	if id, err := r.prompts.ProposePrompt(t.Context(), scope, []byte(proposal)); err != nil || id != "lesson" {
		t.Fatalf("%q, %v", id, err)
	}
	sent := r.mcpd.Requests("/promptrequests")
	if len(sent) != 1 || sent[0].Authorization != "Bearer "+r.token || !strings.Contains(sent[0].Body, `"content":"Use tabs."`) || !strings.Contains(sent[0].Body, `"priority":7`) || !strings.Contains(sent[0].Body, `"project":"home"`) {
		t.Errorf("sent %+v", sent)
	}
	awaitNil(t, func() error {
		if len(r.Snapshot().PromptRequests("home")) != 1 {
			return errors.New("the proposal is not followed")
		}
		return nil
	})
	if _, err := r.prompts.ProposePrompt(t.Context(), scope, []byte(proposal)); !errors.Is(err, abi.ErrConflict) {
		t.Errorf("the second one: %v", err)
	}
}

// A proposal that mcpd does not store is an error with what the user can do.
func TestProposalThatTeamDoesNotStore(t *testing.T) {
	for name, tc := range map[string]struct {
		faults teamtest.Faults
		kind   error
		want   string
	}{
		"no right":         {teamtest.Faults{Denied: "/promptrequests"}, abi.ErrDenied, "mcpctl auth can-i create promptrequest --project home; nothing was stored"},
		"away":             {teamtest.Faults{Status: 503}, abi.ErrUnavailable, "the team server does not answer: mcpctl status; the proposal is probably not stored"},
		"token is refused": {teamtest.Faults{Status: 401}, abi.ErrDenied, "mcpctl login http://127.0.0.1"},
		"too many":         {teamtest.Faults{Status: 413}, abi.ErrLimit, "too many proposals"},
		"name is in use":   {teamtest.Faults{Status: 409}, abi.ErrConflict, "choose another name"},
		"no project":       {teamtest.Faults{Status: 404}, abi.ErrNotFound, "mcpctl get projects"},
		"text is refused":  {teamtest.Faults{Status: 422}, abi.ErrConfig, "does not accept its name or its text"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newTeamRig(t, files{}, teamServer, teamProject)
			r.mcpd.SetFaults(tc.faults)
			_, err := r.prompts.ProposePrompt(t.Context(), scope, []byte(proposal))
			if !errors.Is(err, tc.kind) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
			if open := r.Snapshot().PromptRequests("home"); len(open) > 0 {
				t.Errorf("stored as %v", open)
			}
		})
	}
}

// A proposal that was not sent is certainly not stored.
func TestProposalWithoutConnection(t *testing.T) {
	r := newTeamRig(t, files{}, teamServer, teamProject)
	r.mcpd.Close()
	const want = "the team server does not answer (mcpctl status); nothing was stored"
	awaitNil(t, func() error { // the first request may use a connection that mcpd has closed meanwhile
		_, err := r.prompts.ProposePrompt(t.Context(), scope, []byte(proposal))
		if !errors.Is(err, abi.ErrUnavailable) || !strings.Contains(err.Error(), want) {
			return fmt.Errorf("got %w, want %q", err, want)
		}
		return nil
	})
}

const teamLinkPrompt = `{"kind":"Prompt","metadata":{"name":"page","project":"home"},"spec":{"linkTarget":"docs/wiki:docs://a"}}`

// A link of mcpd is read through mcpd, which decides whether it may be read. Its server and
// its project are not visible to the user.
func TestLinkOfTeam(t *testing.T) {
	r := newTeamRig(t, files{}, teamServer, teamProject, teamLinkPrompt)
	body := func() (string, error) {
		b, err := r.prompts.PromptBody(t.Context(), scope, "page", false)
		return string(b), err
	}
	awaitNil(t, func() error {
		got, err := body()
		if err == nil && got != "text of docs://a" {
			t.Fatalf("body %q", got)
		}
		return err
	})
	for _, req := range r.mcpd.Requests("/servers/wiki/") {
		if req.Path != "/api/v1/servers/wiki/mcp?link=page&project=home" || req.Authorization != "Bearer "+r.token {
			t.Errorf("request %+v", req)
		}
	}
	if p := r.problems(); p != "" {
		t.Errorf("problems: %s", p)
	}
}

func TestLinkOfTeamWithoutGrant(t *testing.T) {
	m := newTeamRig(t, files{}, teamServer, teamProject)
	m.mcpd.SetFaults(teamtest.Faults{Denied: "link=page"})
	m.mcpd.Put(teamLinkPrompt)
	awaitNil(t, func() error {
		p, ok := m.Snapshot().Prompt("home", "page")
		if !ok {
			return errors.New("no prompt")
		}
		if err := m.prompts.LinkFault(p); !errors.Is(err, prompt.ErrNotGranted) {
			return errors.Join(errors.New("not known yet"), err)
		}
		return nil
	})
	if _, err := m.prompts.PromptBody(t.Context(), scope, "page", false); !errors.Is(err, prompt.ErrNotGranted) || strings.Contains(err.Error(), "anna") {
		t.Errorf("got %v", err)
	}
	if status := m.listed(t)["page"]["linkStatus"]; status != prompt.Unknown {
		t.Errorf("controllers read the status %v", status)
	}
}

// A call has the id that its event has, and another one with which it may be repeated.
func TestTraceOfTeamCalls(t *testing.T) {
	r := newTeamRig(t, files{}, teamServer, teamProject)
	c := r.dial(t)
	c.tool(t, "t__whoami", "{}")
	var trace string
	awaitNil(t, func() error {
		for _, e := range r.Events(0, event.Query{}) {
			if e.Type == event.ToolCall {
				trace = e.Session + "." + strconv.FormatUint(e.Request, 10)
				return nil
			}
		}
		return errors.New("no event")
	})
	calls := 0
	for _, req := range r.mcpd.Requests("/servers/") {
		var msg struct{ Method string }
		_ = json.Unmarshal([]byte(req.Body), &msg)
		want := ""
		if msg.Method == "tools/call" {
			calls, want = calls+1, trace
		}
		if req.TraceID != want {
			t.Errorf("%s has the id %q, want %q", msg.Method, req.TraceID, want)
		}
		if id := req.Header.Get(team.RequestIDHeader); (id != "") != (msg.Method == "tools/call") {
			t.Errorf("%s has the id %q for repetitions", msg.Method, id)
		}
	}
	if calls != 1 {
		t.Errorf("%d calls", calls)
	}
}

// A project whose servers the user may not run says so, with the command that shows it.
func TestServerThatIsNotVisible(t *testing.T) {
	r := newTeamRig(t, files{}, teamProject)
	if p := r.problems(); !strings.Contains(p, `"t" is not visible to you on the team server`) || !strings.Contains(p, "mcpctl auth can-i run server t --project home") || strings.Contains(p, "not found") {
		t.Errorf("problems: %s", p)
	}
}
