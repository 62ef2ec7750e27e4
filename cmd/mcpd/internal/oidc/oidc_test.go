package oidc

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/oidc/oidctest"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/secret"
)

// issuer is the fake issuer of a test.
type issuer struct{ *oidctest.Issuer }

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	return &issuer{oidctest.New(t)}
}

// config is that of mcpd.
func (is *issuer) config() Config {
	return Config{Issuer: is.URL, ClientID: oidctest.ClientID, ClientSecret: secret.New(is.ClientSecret), GroupsClaim: "groups", Now: is.Time}
}

func (is *issuer) open(t *testing.T, cfg Config) *Provider {
	t.Helper()
	p, err := Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// logIn performs a login that a user confirms at once.
func (is *issuer) logIn(t *testing.T, p *Provider, user map[string]any) (Identity, error) {
	t.Helper()
	pending, err := p.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	is.Confirm(pending.DeviceCode, user)
	return p.Poll(t.Context(), pending.DeviceCode)
}

func anna() map[string]any {
	return map[string]any{
		"sub": "00u1", "preferred_username": "anna", "email": "anna@example.com", "email_verified": true, "groups": []string{"web", "admins"},
	}
}

func TestLogin(t *testing.T) {
	is := newIssuer(t)
	p := is.open(t, is.config())
	pending, err := p.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := Pending{
		UserCode: "WDJB-MJHT", VerificationURI: is.URL + "/activate", VerificationURIComplete: is.URL + "/activate?user_code=WDJB-MJHT",
		DeviceCode: pending.DeviceCode, Interval: 5 * time.Second, Expires: is.Time().Add(10 * time.Minute),
	}
	if pending != want || pending.DeviceCode.Reveal() != "device-code-1" || strings.Contains(fmt.Sprintf("%+v", pending), "device-code-1") {
		t.Errorf("Start = %+v, want %+v", pending, want)
	}
	if is.Scope != "openid profile email groups" {
		t.Errorf("scope %q", is.Scope)
	}

	poll := func(wait time.Duration) (Identity, error) {
		is.Advance(wait)
		return p.Poll(t.Context(), pending.DeviceCode)
	}
	if _, err := poll(0); !errors.Is(err, ErrPending) {
		t.Errorf("before the user confirms: %v", err)
	}
	if _, err := poll(time.Second); !errors.Is(err, ErrSlowDown) {
		t.Errorf("too early: %v", err)
	}
	if _, err := poll(pending.Interval + SlowDown); !errors.Is(err, ErrPending) {
		t.Errorf("after the longer interval: %v", err)
	}
	is.Confirm(pending.DeviceCode, anna())
	got, err := poll(pending.Interval + SlowDown)
	id := Identity{Issuer: is.URL, Subject: "00u1", Name: "anna", Email: "anna@example.com", Groups: []object.Name{"admins", "web"}}
	if err != nil || !reflect.DeepEqual(got, id) {
		t.Errorf("Poll = %+v, %v, want %+v", got, err, id)
	}
	if _, err := poll(time.Minute); !errors.Is(err, ErrExpired) {
		t.Errorf("a used device code: %v", err)
	}
	if n := is.Requests["/token"]; n != 5 {
		t.Errorf("5 polls sent %d requests to the issuer", n)
	}
}

func TestLoginsThatEnd(t *testing.T) {
	is := newIssuer(t)
	p := is.open(t, is.config())
	start := func() secret.Value {
		pending, err := p.Start(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return pending.DeviceCode
	}
	declined, expired := start(), start()
	is.Decline(declined)
	if _, err := p.Poll(t.Context(), declined); !errors.Is(err, ErrDenied) || !errors.Is(err, abi.ErrDenied) {
		t.Errorf("declined: %v", err)
	}
	is.Advance(10*time.Minute + time.Second)
	is.Confirm(expired, anna())
	if _, err := p.Poll(t.Context(), expired); !errors.Is(err, ErrExpired) {
		t.Errorf("expired: %v", err)
	}
	for _, code := range []string{"", "unknown", "device-code-1&x=y", strings.Repeat("x", maxDeviceCode+1)} {
		if _, err := p.Poll(t.Context(), secret.New(code)); !errors.Is(err, ErrExpired) {
			t.Errorf("device code %.30q: %v", code, err)
		}
	}
}

// Answers of issuers to a poll that differ from the RFC, or are broken.
func TestPollAnswers(t *testing.T) {
	is := newIssuer(t)
	p := is.open(t, is.config())
	for name, c := range map[string]struct {
		status int
		body   string
		kind   error
		want   string
	}{
		"pending with status 200":      {200, `{"error":"authorization_pending"}`, ErrPending, ""},
		"Microsoft's decline":          {400, `{"error":"authorization_declined"}`, ErrDenied, ""},
		"Microsoft's unknown code":     {400, `{"error":"bad_verification_code"}`, ErrExpired, ""},
		"too many requests":            {429, `slow down`, ErrSlowDown, ""},
		"internal error":               {500, `{"error":"server_error"}`, abi.ErrUnavailable, "500 Internal Server Error server_error"},
		"proxy error":                  {502, `<html>`, abi.ErrUnavailable, "502 Bad Gateway"},
		"redirect":                     {302, ``, abi.ErrUnavailable, "302 Found"},
		"the client is unknown":        {401, `{"error":"invalid_client","error_description":"no such client"}`, abi.ErrConfig, "invalid_client no such client"},
		"the flow is not allowed":      {400, `{"error":"unauthorized_client"}`, abi.ErrConfig, "unauthorized_client"},
		"hostile description":          {400, `{"error":"x","error_description":"a\u001b[2Jb\n` + strings.Repeat("ü", 1000) + `"}`, abi.ErrConfig, "x a [2Jb ü"},
		"not JSON":                     {200, `OK`, abi.ErrUnavailable, "not the expected JSON"},
		"error is no text":             {200, `{"error":{"id_token":"x"}}`, abi.ErrUnavailable, "not the expected JSON"},
		"no id token":                  {200, `{"access_token":"x"}`, abi.ErrConfig, "no id token"},
		"id token is a number":         {200, `{"id_token":1}`, abi.ErrUnavailable, "not the expected JSON"},
		"id token is none":             {200, `{"id_token":"x"}`, abi.ErrDenied, "not valid"},
		"answer of more than 1 MiB":    {200, `{"id_token":"` + strings.Repeat("x", maxBody) + `"}`, abi.ErrUnavailable, "too large"},
		"error of more than 1 MiB":     {400, strings.Repeat("x", maxBody+1), abi.ErrUnavailable, "too large"},
		"deeply nested":                {200, strings.Repeat("[", 20000), abi.ErrUnavailable, "not the expected JSON"},
		"broken off in the middle":     {200, `{"id_token":"`, abi.ErrUnavailable, "not the expected JSON"},
		"member of another capital":    {400, `{"Error":"authorization_pending"}`, ErrPending, ""},
		"no body with an error status": {400, ``, abi.ErrUnavailable, "400 Bad Request"},
	} {
		is.Handlers["/token"] = func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", is.URL+"/elsewhere")
			w.WriteHeader(c.status)
			_, _ = w.Write([]byte(c.body))
		}
		_, err := p.Poll(t.Context(), secret.New("code-of-a-device"))
		if !errors.Is(err, c.kind) || !strings.Contains(fmt.Sprint(err), c.want) || len(fmt.Sprint(err)) > 500 || strings.ContainsAny(fmt.Sprint(err), "\n\x1b") {
			t.Errorf("%s: %v, want %v with %q", name, err, c.kind, c.want)
		}
	}
	if n := is.Requests["/elsewhere"]; n != 0 {
		t.Errorf("%d redirects were followed", n)
	}
}
