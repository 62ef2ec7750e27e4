package team

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/team/teamtest"
)

func TestFollowerHasSnapshotAndChanges(t *testing.T) {
	r := newRig(t)
	if s := r.follower.State(); s.Phase != NotConfigured || s.String() != "not configured" {
		t.Errorf("state %q", s)
	}
	r.mcpd.Put(server("a"))
	r.mcpd.PutRaw("user", "", "anna", json.RawMessage(`{"kind":"User"}`))          // of mcpd alone
	r.mcpd.PutRaw("proxymodel", "", "m", json.RawMessage(`{"kind":"ProxyModel"}`)) // files only
	r.logIn()
	s := r.await(Following, "a")
	if want := fmt.Sprintf("%s as anna, following, version %d", r.mcpd.URL, r.mcpd.Version()); s.String() != want {
		t.Errorf("state %q, want %q", s, want)
	}
	r.mcpd.Put(prompt("web", "rules", "be\nkind ☺"))
	r.await(Following, "web/rules", "a")
	if p := r.follower.Set().Objects[0].(*object.Prompt); p.Spec.Content != "be\nkind ☺" || p.File() != "" {
		t.Errorf("prompt %q, file %q", p.Spec.Content, p.File())
	}
	before := r.follower.Set()
	r.mcpd.Delete("server", "", "a")
	r.await(Following, "web/rules")
	if after := r.follower.Set(); after.Revision == before.Revision || after.Objects[0] != before.Objects[0] {
		t.Error("the revision shows no change, or an unchanged object was decoded again")
	}
	if n := len(r.mcpd.Requests("/snapshot")); n != 1 {
		t.Errorf("%d snapshots, want 1", n)
	}
}

// After a cut stream the follower continues after the last version, and events that it has
// had already change nothing.
func TestCutStreamContinues(t *testing.T) {
	r := newRig(t)
	r.mcpd.Put(server("a"))
	r.logIn()
	r.await(Following, "a")
	version := r.mcpd.Version()
	replay := fmt.Sprintf("id: %d\nevent: change\ndata: {\"version\":\"%d\",\"op\":\"delete\",\"kind\":\"server\",\"name\":\"a\"}\n\n", version-1, version-1)
	r.mcpd.SetFaults(teamtest.Faults{CutStreams: true})
	r.mcpd.Cut()
	for len(r.mcpd.Requests("/watch")) < 3 {
		time.Sleep(5 * time.Millisecond)
	}
	r.mcpd.SetFaults(teamtest.Faults{Raw: replay})
	r.mcpd.Put(server("b"))
	r.await(Following, "a", "b")
	last := r.mcpd.Requests("/watch")
	if got := last[2].LastEventID; got != fmt.Sprint(version) {
		t.Errorf("Last-Event-ID %q, want %d", got, version)
	}
	if n := len(r.mcpd.Requests("/snapshot")); n != 1 {
		t.Errorf("%d snapshots, want 1", n)
	}
	if strings.Contains(r.log.String(), "WARN") {
		t.Errorf("a stream that ended is logged as a warning: %s", r.log.String())
	}
}

func TestCompactedStreamAndResyncTakeSnapshot(t *testing.T) {
	r := newRig(t)
	r.mcpd.Put(server("a"))
	r.logIn()
	r.await(Following, "a")
	r.goAway("a")
	r.mcpd.Put(server("b"))
	r.mcpd.Delete("server", "", "a")
	r.mcpd.Compact()
	r.mcpd.SetFaults(teamtest.Faults{})
	r.await(Following, "b")
	if n := len(r.mcpd.Requests("/snapshot")); n != 2 {
		t.Errorf("%d snapshots after 410, want 2", n)
	}
	r.mcpd.SetFaults(teamtest.Faults{Raw: "event: resync\ndata: {}\n\n"})
	r.mcpd.Cut()
	for len(r.mcpd.Requests("/snapshot")) < 3 {
		time.Sleep(5 * time.Millisecond)
	}
	r.mcpd.SetFaults(teamtest.Faults{})
	r.await(Following, "b")
}

// A refused token ends all requests until a new login. The objects stay in use.
func TestRefusedTokenStopsFollowing(t *testing.T) {
	for name, tt := range map[string]struct {
		refuse func(*rig)
		detail string
	}{
		"revoked in the stream": {func(r *rig) { r.mcpd.Revoke(r.token) }, "the token was revoked"},
		"expired in the stream": {func(r *rig) {
			r.mcpd.SetFaults(teamtest.Faults{Raw: "event: revoked\ndata: {\"expired\":true}\n\n"})
			r.mcpd.Cut()
		}, "the token has expired"},
		"401 after a cut stream": {func(r *rig) {
			r.mcpd.SetFaults(teamtest.Faults{Status: 401})
			r.mcpd.Cut()
		}, "Unauthorized"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.mcpd.Put(server("a"))
			r.logIn()
			r.await(Following, "a")
			login := r.follower.Set().Login
			tt.refuse(r)
			s := r.await(Refused, "a")
			if text := s.String(); !strings.Contains(text, "refused since") || !strings.Contains(text, tt.detail) || !strings.HasSuffix(text, "; mcpctl login "+r.mcpd.URL) {
				t.Errorf("state %q", text)
			}
			if now := r.follower.Set(); now.Login != "" || login == "" {
				t.Errorf("login %q, before %q", now.Login, login)
			}
			if _, err := r.follower.Client(); !errors.Is(err, abi.ErrDenied) {
				t.Errorf("Client: %v", err)
			}
			before := len(r.mcpd.Requests(""))
			time.Sleep(100 * time.Millisecond)
			if after := len(r.mcpd.Requests("")); after != before {
				t.Errorf("%d requests after the refusal", after-before)
			}
			if n := strings.Count(r.log.String(), "refuses the token"); n != 1 {
				t.Errorf("reported %d times: %s", n, r.log.String())
			}
			r.mcpd.SetFaults(teamtest.Faults{})
			r.token = r.mcpd.AddUser("anna", "pw")
			r.logIn()
			r.await(Following, "a")
		})
	}
}

// A stream without heartbeats is opened again.
func TestSilentStream(t *testing.T) {
	r := newRig(t)
	r.stop()
	r.mcpd.Put(server("a"))
	r.mcpd.SetFaults(teamtest.Faults{Silent: true})
	r.start(Options{Heartbeat: 100 * time.Millisecond})
	r.logIn()
	if s := r.await(Stale, "a"); !errors.Is(s.Err, errSilent) {
		t.Errorf("reason %v", s.Err)
	}
}

// Another use of the shared cache does not interrupt the stream.
func TestCacheSettingKeepsFollowing(t *testing.T) {
	r := newRig(t)
	r.logIn()
	r.await(Following)
	s := r.settings()
	s.Cache = "off"
	r.follower.Configure(s)
	if phase, cache := r.follower.State().Phase, r.follower.Settings().Cache; phase != Following || cache != "off" {
		t.Errorf("phase %q, cache %q", phase, cache)
	}
}
