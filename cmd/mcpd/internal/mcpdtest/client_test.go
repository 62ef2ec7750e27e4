package mcpdtest_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/manage"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/access"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/devicelogin"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/mcpdtest"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/oidc"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/oidc/oidctest"
	"github.com/mcpctl/mcpctl/host/hosttest"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/secret"
)

// openHome returns the service of mcpctl on a new home.
func openHome(t *testing.T) (s *manage.Service, home string) {
	t.Helper()
	home = t.TempDir()
	compiled, err := hosttest.CompiledCode()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Chmod(home, 0o700), os.Mkdir(filepath.Join(home, "cache"), 0o700),
		os.Symlink(compiled, filepath.Join(home, "cache", "wasm"))); err != nil {
		t.Fatal(err)
	}
	if s, err = manage.OpenLocal(t.Context(), home); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s, home
}

// mcpctl logs in by the issuer of a whole mcpd, and lists its own rights and identity.
func TestLoginByIssuer(t *testing.T) {
	mcpd := mcpdtest.Start(t, filepath.Join(t.TempDir(), "db"))
	s, home := openHome(t)
	mcpctl := s.Team()
	if _, err := mcpctl.StartDevice(t.Context(), api.TeamDeviceStart{URL: mcpd.URL}); !errors.Is(err, abi.ErrNotFound) || problem.From(err).Hint != "mcpctl login "+mcpd.URL {
		t.Errorf("without an issuer: %v", err)
	}
	is := oidctest.New(t)
	mcpd.Logins = devicelogin.New(oidc.Config{Issuer: is.URL, ClientID: oidctest.ClientID, Now: is.Time}, mcpd.Keys)
	begin := func() (api.TeamDeviceLogin, api.TeamDevicePoll) {
		l, err := mcpctl.StartDevice(t.Context(), api.TeamDeviceStart{URL: mcpd.URL})
		if err != nil {
			t.Fatal(err)
		}
		return l, api.TeamDevicePoll{URL: l.URL, Handle: l.Handle}
	}

	l, poll := begin()
	if l.UserCode != "WDJB-MJHT" || l.VerificationURI != is.URL+"/activate" || l.Interval != 5 {
		t.Errorf("%+v", l)
	}
	is.Decline(secret.New("device-code-1"))
	if _, err := mcpctl.PollDevice(t.Context(), poll); !errors.Is(err, abi.ErrDenied) || problem.From(err).Hint != "mcpctl login "+mcpd.URL+" --oidc" {
		t.Errorf("declined: %v", err)
	}
	_, poll = begin()
	is.Advance(11 * time.Minute)
	if _, err := mcpctl.PollDevice(t.Context(), poll); !errors.Is(err, abi.ErrNotFound) || problem.From(err).Hint != "mcpctl login "+mcpd.URL+" --oidc" {
		t.Errorf("expired: %v", err)
	}
	if text, err := os.ReadFile(filepath.Join(home, secret.FileName)); err == nil {
		t.Errorf("secrets.yaml without a login: %s", text)
	}

	_, poll = begin()
	for _, want := range []string{api.DevicePending, api.DeviceSlowDown} { // the second one comes too early
		if r, err := mcpctl.PollDevice(t.Context(), poll); err != nil || r.State != want || r.Session != nil {
			t.Fatalf("%+v, %v, want %s", r, err, want)
		}
	}
	is.Advance(time.Minute)
	is.Confirm(secret.New("device-code-3"), map[string]any{"sub": "00u1", "preferred_username": "anna"})
	r, err := mcpctl.PollDevice(t.Context(), poll)
	if err != nil || r.State != api.DeviceDone || r.Session == nil || r.Session.Name != "anna" {
		t.Fatalf("%+v, %v", r, err)
	}
	if text, err := os.ReadFile(filepath.Join(home, secret.FileName)); err != nil || !strings.Contains(string(text), "mcpd_") {
		t.Errorf("secrets.yaml: %s, %v", text, err)
	}

	var rules []api.Rule
	if err := mcpctl.Call(t.Context(), http.MethodGet, "/auth/rules", nil, nil, &rules); err != nil || len(rules) != 0 {
		t.Errorf("a new user has rights: %+v, %v", rules, err)
	}
	mcpd.Apply(t, "kind: RbacBinding\nmetadata: {name: admins}\nspec: {subjects: [{user: anna}], verbs: [admin]}\n")
	var identities []api.Identity
	if err := mcpctl.Call(t.Context(), http.MethodGet, "/identities", nil, nil, &identities); err != nil || len(identities) != 1 || identities[0].Subject != "00u1" {
		t.Errorf("identities %+v, %v", identities, err)
	}
	if err := mcpctl.Call(t.Context(), http.MethodPut, "/identities", nil, api.Identity{Issuer: is.URL, Subject: "00u2", User: "anna"}, nil); !errors.Is(err, abi.ErrConflict) {
		t.Errorf("a second identity of a user: %v", err)
	}
	if err := mcpctl.Call(t.Context(), http.MethodGet, "/auth/rules", nil, nil, &rules); err != nil || len(rules) != 1 || rules[0].Binding != "admins" {
		t.Errorf("rules %+v, %v", rules, err)
	}
}

// The owner of a token gets to know whether it has expired.
func TestRefusedTokens(t *testing.T) {
	mcpd := mcpdtest.Start(t, filepath.Join(t.TempDir(), "db"))
	mcpd.Apply(t, "kind: User\nmetadata: {name: anna}\n")
	s, _ := openHome(t)
	for want, life := range map[string]time.Duration{"the token has expired": -time.Second, "the token is missing, unknown or revoked": time.Hour} {
		token, of, err := mcpd.Access.Issue(t.Context(), access.Grant{Kind: object.KindUser, Name: "anna", Life: life, By: "test"})
		if err != nil {
			t.Fatal(err)
		}
		if life > 0 {
			if err := mcpd.Access.Revoke(t.Context(), of.ID(), func(access.Caller) error { return nil }); err != nil {
				t.Fatal(err)
			}
		}
		_, err = s.Team().Login(t.Context(), api.TeamLogin{URL: mcpd.URL, Token: api.Credential(token.Reveal())})
		if p := problem.From(err); !errors.Is(err, abi.ErrDenied) || p.Cause != want || p.Hint != "mcpctl login "+mcpd.URL {
			t.Errorf("%v, hint %q, want %s", err, p.Hint, want)
		}
	}
}
