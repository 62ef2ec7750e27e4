package manage

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host/team/teamtest"
)

// Only users and service accounts own tokens.
func TestOwnersOfUnknownKindsAreRefused(t *testing.T) {
	for _, tc := range []struct {
		body  string
		valid bool
	}{
		{`{"kind":"User","name":"anna"}`, true},
		{`{"kind":"ServiceAccount","name":"bot"}`, true},
		{`{"kind":"User\u001b]0;pwn\u0007","name":"anna"}`, false},
		{`{"kind":"Group","name":"web"}`, false},
		{`{"name":"anna"}`, false},
		{`{"kind":"User"}`, false},
	} {
		m := startMcpd(t)
		token := api.Credential(m.AddUser("otto", ""))
		s := local(t)
		if _, err := s.Team().Login(t.Context(), api.TeamLogin{URL: m.URL, Token: token}); err != nil {
			t.Fatal(err)
		}
		m.Replies.Set("GET /auth/whoami", teamtest.Reply{Body: []byte(tc.body)})
		_, ofLogin := s.Team().Login(t.Context(), api.TeamLogin{URL: m.URL, Token: token})
		_, ofWhoami := s.Team().Whoami(t.Context())
		for name, err := range map[string]error{"login": ofLogin, "whoami": ofWhoami} {
			refused := errors.Is(err, abi.ErrUnavailable) && strings.Contains(err.Error(), "does not answer like mcpd")
			if tc.valid && err != nil || !tc.valid && !refused {
				t.Errorf("%s with %s: %v", name, tc.body, err)
			}
		}
	}
}

// A name or an id cannot select another call of mcpd, nor add a query, on either way to mcpd.
func TestNamesInPathsSelectNoOtherCall(t *testing.T) {
	m := startMcpd(t)
	token := api.Credential(m.AddUser("otto", ""))
	s := local(t)
	if _, err := s.Team().Login(t.Context(), api.TeamLogin{URL: m.URL, Token: token}); err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(api.Handler(s))
	defer web.Close()
	ways := map[string]func(path string) error{
		"direct": func(path string) error {
			return s.Team().Call(t.Context(), http.MethodDelete, path, nil, nil, nil)
		},
		"relay": func(path string) error {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, web.URL+"/api/v1/team/api"+path, nil)
			if err != nil {
				return err
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				return err
			}
			defer resp.Body.Close()
			if resp.StatusCode == http.StatusBadRequest {
				return problem.Usagef("refused")
			}
			return nil
		},
	}
	for way, call := range ways {
		for name, want := range map[string]string{
			"id-1":                 "/tokens/id-1",
			"a b":                  "/tokens/a%20b",
			"prompts?project=docs": "/tokens/prompts%3Fproject=docs",
			"x#y":                  "/tokens/x%23y",
			"100%25":               "/tokens/100%2525",
			"a..b":                 "/tokens/a..b",
			"../users/anna":        "",
			"x/../../users/anna":   "",
			"a/b":                  "",
			`..\users`:             "",
		} {
			before := len(m.Requests(""))
			err := call("/tokens/" + url.PathEscape(name))
			sent := m.Requests("")[before:]
			switch {
			case want == "" && (problem.Exit(err) != problem.ExitUsage || len(sent) != 0):
				t.Errorf("%s, %q: %v, sent %+v", way, name, err, sent)
			case want != "" && (len(sent) != 1 || sent[0].Path != "/api/v1"+want):
				t.Errorf("%s, %q: %v, sent %+v, want %s", way, name, err, sent, want)
			}
		}
	}
	for _, path := range []string{"/tokens/..", "/tokens/.", "/tokens/%2e%2e", "/tokens/", "tokens", "/tokens/a?b=c", "/tokens/a#b", "/tokens/%zz"} {
		if err := s.Team().Call(t.Context(), http.MethodDelete, path, nil, nil, nil); problem.Exit(err) != problem.ExitUsage {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// Problems in objects of mcpd have no position: nobody has their text.
func TestProblemsOfTeamObjectsHaveNoPosition(t *testing.T) {
	m := startMcpd(t)
	m.Put(`{"kind":"Project","metadata":{"name":"broken"},"spec":{"servers":["missing"],"gated":false}}`)
	m.Put(`{"kind":"Project","metadata":{"name":"model"},"spec":{"servers":[],"proxyModel":"absent","gated":false}}`)
	s, _ := daemonService(t)
	ctx := t.Context()
	if _, err := s.Team().Login(ctx, api.TeamLogin{URL: m.URL, User: "anna", Password: "correct horse"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Apply(ctx, api.ApplyRequest{File: "x", YAML: "kind: Project\nmetadata: {name: own}\nspec: {servers: [gone]}\n"}); err != nil {
		t.Fatal(err)
	}
	st, err := s.Status(ctx)
	if err != nil {
		t.Fatal(err)
	}
	all := st.Problems
	for _, name := range []string{"broken", "model"} {
		o, err := s.Object(ctx, "project", "", name)
		if err != nil || len(o.Problems) == 0 {
			t.Errorf("%+v, %v", o, err)
		}
		all = append(all, o.Problems...)
	}
	text := strings.Join(all, "\n")
	if strings.Contains(text, "(line 1:") || !strings.Contains(text, `"missing"`) || strings.Contains(text, "mcpctl explain") || !strings.Contains(text, "absent") || !strings.Contains(text, "projects/own.yaml:") {
		t.Errorf("problems:\n%s", text)
	}
}

// A password and a token are sent only to an address at which mcpd answers.
func TestLoginSendsNoCredentialToOtherPrograms(t *testing.T) {
	s := local(t)
	for name, answer := range map[string]struct {
		status int
		body   string
	}{
		"a page":                  {200, "<html>"},
		"any JSON":                {200, "{}"},
		"no page":                 {404, "not found"},
		"a login page":            {401, "log in"},
		"another API":             {401, `{"error":{"code":"unauthorized","message":"no"}}`},
		"another kind of refusal": {401, `{"detail":"no","error":"no"}`},
	} {
		var received strings.Builder
		other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			received.WriteString(r.Header.Get("Authorization") + string(body))
			w.WriteHeader(answer.status)
			_, _ = io.WriteString(w, answer.body)
		}))
		for _, in := range []api.TeamLogin{{URL: other.URL, User: "anna", Password: "canary"}, {URL: other.URL, Token: "mcpd_canary"}} {
			_, err := s.Team().Login(t.Context(), in)
			if !errors.Is(err, abi.ErrUnavailable) || !strings.Contains(err.Error(), "does not answer like mcpd") {
				t.Errorf("%s: %v", name, err)
			}
		}
		other.Close()
		if strings.Contains(received.String(), "canary") {
			t.Errorf("%s received %q", name, received.String())
		}
	}
}
