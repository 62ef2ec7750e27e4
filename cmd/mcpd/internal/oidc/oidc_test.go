package oidc

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
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

func TestIDTokensThatAreRefused(t *testing.T) {
	sign := func(header, claims string, key []byte) string {
		text := base64.RawURLEncoding.EncodeToString([]byte(header)) + "." + base64.RawURLEncoding.EncodeToString([]byte(claims))
		if key == nil {
			return text + "."
		}
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(text))
		return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
	}
	is := newIssuer(t)
	p := is.open(t, is.config())
	now := is.Time()
	set := func(name string, value any) func(map[string]any) {
		return func(c map[string]any) { c[name] = value }
	}
	for name, c := range map[string]struct {
		claims func(map[string]any)
		sign   func(map[string]any) string
		want   string
	}{
		"audience of another client":    {claims: set("aud", "other"), want: `expected audience "mcpd"`},
		"no audience":                   {claims: func(c map[string]any) { delete(c, "aud") }, want: "expected audience"},
		"audiences without azp":         {claims: set("aud", []string{oidctest.ClientID, "other"}), want: "another client"},
		"azp of another client":         {claims: set("azp", "other"), want: `azp is "other", want "mcpd"`},
		"azp is no text":                {claims: set("azp", []string{oidctest.ClientID}), want: "another client"},
		"azp is null":                   {claims: set("azp", nil), want: "another client"},
		"another issuer":                {claims: set("iss", "https://evil.example"), want: "different provider"},
		"issuer with a slash more":      {claims: set("iss", is.URL+"/"), want: "different provider"},
		"expired":                       {claims: set("exp", now.Add(-time.Second).Unix()), want: "expired at 2026-01-02T03:04:04Z, and it is 2026-01-02T03:04:05Z; compare the clocks"},
		"no expiry":                     {claims: func(c map[string]any) { delete(c, "exp") }, want: "expired"},
		"not valid yet":                 {claims: set("nbf", now.Add(time.Hour).Unix()), want: "nbf"},
		"access token of another login": {claims: set("at_hash", "AAAAAAAAAAAAAAAAAAAAAA"), want: "access token hash"},
		"no subject":                    {claims: func(c map[string]any) { delete(c, "sub") }, want: "subject of the id token has 0 bytes"},
		"long subject":                  {claims: set("sub", strings.Repeat("x", 256)), want: "has 256 bytes"},
		"subject with a line break":     {claims: set("sub", "a\nb"), want: "printable ASCII"},
		"subject beyond ASCII":          {claims: set("sub", "änna"), want: "printable ASCII"},
		"subject is a number":           {claims: set("sub", 7), want: "not valid"},
		"algorithm none": {sign: func(c map[string]any) string {
			return sign(`{"alg":"none"}`, oidctest.AsJSON(c), nil)
		}, want: "not valid"},
		"HMAC with the public key": {sign: func(c map[string]any) string {
			point, _ := is.Keys[0].Private.PublicKey.Bytes()
			return sign(`{"alg":"HS256","kid":"key-1"}`, oidctest.AsJSON(c), point)
		}, want: "not valid"},
		"key of another issuer with the same id": {sign: func(c map[string]any) string {
			return oidctest.SignWith(&oidctest.SigningKey{ID: "key-1", Private: newIssuer(t).Keys[0].Private}, c)
		}, want: "failed to verify"},
		"key that is not published": {sign: func(c map[string]any) string {
			return oidctest.SignWith(&oidctest.SigningKey{ID: "key-9", Private: newIssuer(t).Keys[0].Private}, c)
		}, want: "failed to verify"},
		"changed after it was signed": {sign: func(c map[string]any) string {
			parts := strings.Split(oidctest.SignWith(is.Keys[0], c), ".")
			c["sub"] = "admin"
			parts[1] = base64.RawURLEncoding.EncodeToString([]byte(oidctest.AsJSON(c)))
			return strings.Join(parts, ".")
		}, want: "failed to verify"},
		"no signature": {sign: func(c map[string]any) string {
			text := oidctest.SignWith(is.Keys[0], c)
			return text[:strings.LastIndexByte(text, '.')+1]
		}, want: "not valid"},
	} {
		is.Hooks["claims"], is.Sign = c.claims, c.sign
		id, err := is.logIn(t, p, anna())
		if !errors.Is(err, abi.ErrDenied) || !strings.Contains(fmt.Sprint(err), c.want) || !reflect.ValueOf(id).IsZero() {
			t.Errorf("%s: %+v, %v, want %q", name, id, err, c.want)
		}
	}
	is.Sign = nil
	is.Hooks["claims"] = func(c map[string]any) { c["aud"], c["azp"] = []string{"other", oidctest.ClientID}, oidctest.ClientID }
	if _, err := is.logIn(t, p, anna()); err != nil {
		t.Errorf("audiences with the own azp: %v", err)
	}
}

func TestRotatedKeys(t *testing.T) {
	is := newIssuer(t)
	p := is.open(t, is.config())
	if _, err := is.logIn(t, p, anna()); err != nil {
		t.Fatal(err)
	}
	old := is.Keys[0]
	is.Rotate(t)
	is.Mu.Lock()
	is.Keys = is.Keys[1:]
	is.Mu.Unlock()
	if _, err := is.logIn(t, p, anna()); err != nil {
		t.Errorf("with the new key: %v", err)
	}
	if _, err := is.logIn(t, p, anna()); err != nil || is.Requests["/keys"] != 2 {
		t.Errorf("with the known new key: %v after %d requests for keys, want 2", err, is.Requests["/keys"])
	}
	is.Sign = func(c map[string]any) string { return oidctest.SignWith(old, c) }
	if _, err := is.logIn(t, p, anna()); !errors.Is(err, abi.ErrDenied) {
		t.Errorf("with the withdrawn key: %v", err)
	}
	is.Sign = nil
	is.Rotate(t)
	is.Handlers["/keys"] = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }
	if _, err := is.logIn(t, p, anna()); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("without keys: %v", err)
	}
	is.Handlers["/keys"] = nil
	if _, err := is.logIn(t, p, anna()); err != nil {
		t.Errorf("the keys are back: %v", err)
	}
}

// Two subjects are two users, whatever the issuer lets them call themselves; one subject is
// one user under all of its names.
func TestSubjectIdentifiesTheUser(t *testing.T) {
	is := newIssuer(t)
	p := is.open(t, is.config())
	of := func(sub, name string) Identity {
		user := anna()
		user["sub"], user["preferred_username"] = sub, name
		id, err := is.logIn(t, p, user)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	type key struct{ issuer, subject string }
	keyOf := func(id Identity) key { return key{id.Issuer, id.Subject} }
	first, second, upper, renamed := of("1", "anna"), of("2", "anna"), of("A", "anna"), of("1", "anna-schmidt")
	if keyOf(first) == keyOf(second) || keyOf(of("a", "anna")) == keyOf(upper) {
		t.Error("two subjects are one user")
	}
	if keyOf(first) != keyOf(renamed) || renamed.Name != "anna-schmidt" {
		t.Errorf("the renamed user is %+v", renamed)
	}
	other := newIssuer(t)
	id, err := other.logIn(t, other.open(t, other.config()), anna())
	if err != nil || keyOf(id) == keyOf(of("00u1", "anna")) {
		t.Errorf("the subject of another issuer is the same user: %+v, %v", id, err)
	}
}

func TestIdentities(t *testing.T) {
	is := newIssuer(t)
	many := make([]string, maxGroups+1)
	for i := range many {
		many[i] = fmt.Sprint("g", i)
	}
	for name, c := range map[string]struct {
		config func(*Config)
		user   map[string]any // changes of anna; nil removes a claim
		want   Identity
		kind   error
		text   string
	}{
		"name in capitals":              {user: map[string]any{"preferred_username": "Anna.Schmidt"}, want: Identity{Name: "anna.schmidt"}},
		"name is an address":            {user: map[string]any{"preferred_username": "Anna@example.com"}, want: Identity{Name: "anna"}},
		"name of another claim":         {config: func(c *Config) { c.UserClaim = "sub" }, want: Identity{Name: "00u1"}},
		"name with a space":             {user: map[string]any{"preferred_username": "Anna Schmidt"}, kind: abi.ErrConfig, text: `claim "preferred_username" as the name of a user: invalid configuration: name "anna schmidt" contains ' '`},
		"name beyond ASCII":             {user: map[string]any{"preferred_username": "änna"}, kind: abi.ErrConfig, text: `'ä'`},
		"name with a Kelvin sign":       {user: map[string]any{"preferred_username": "\u212aarl"}, kind: abi.ErrConfig, text: "starts with"},
		"name with a zero byte":         {user: map[string]any{"preferred_username": "anna\x00"}, kind: abi.ErrConfig, text: "contains"},
		"name of 64 bytes":              {user: map[string]any{"preferred_username": strings.Repeat("a", 64)}, kind: abi.ErrConfig, text: "64 bytes, limit 63"},
		"name is a path":                {user: map[string]any{"preferred_username": "../anna"}, kind: abi.ErrConfig, text: "starts with"},
		"name is only a domain":         {user: map[string]any{"preferred_username": "@example.com"}, kind: abi.ErrConfig, text: "is empty"},
		"no name":                       {user: map[string]any{"preferred_username": nil}, kind: abi.ErrConfig, text: "set userClaim to one of aud, email, email_verified, exp, groups, iat, iss, sub"},
		"name is a list":                {user: map[string]any{"preferred_username": []string{"anna"}}, kind: abi.ErrConfig, text: "no text in the claim"},
		"name is empty":                 {user: map[string]any{"preferred_username": ""}, kind: abi.ErrConfig, text: "no text in the claim"},
		"name of a verified address":    {config: func(c *Config) { c.UserClaim = "email" }, want: Identity{}},
		"name of an unverified address": {config: func(c *Config) { c.UserClaim = "email" }, user: map[string]any{"email_verified": false}, kind: abi.ErrDenied, text: "not verified"},

		"address that is not verified":     {user: map[string]any{"email_verified": false}, want: Identity{Email: "-"}},
		"address without a word about it":  {user: map[string]any{"email_verified": nil}, want: Identity{Email: "-"}},
		"address verified as text":         {user: map[string]any{"email_verified": "true"}},
		"address verified as another text": {user: map[string]any{"email_verified": "yes"}, want: Identity{Email: "-"}},
		"address with two @":               {user: map[string]any{"email": "a@evil.example@example.com"}, want: Identity{Email: "-"}},
		"address with a line break":        {user: map[string]any{"email": "a\n@example.com"}, want: Identity{Email: "-"}},

		"allowed domain":                {config: func(c *Config) { c.AllowedDomains = []string{"Example.com"} }},
		"allowed domain in capitals":    {config: func(c *Config) { c.AllowedDomains = []string{"example.com"} }, user: map[string]any{"email": "anna@EXAMPLE.com"}, want: Identity{Email: "anna@EXAMPLE.com"}},
		"another domain":                {config: func(c *Config) { c.AllowedDomains = []string{"example.org"} }, kind: abi.ErrDenied, text: `domain "example.com" may not log in`},
		"subdomain of an allowed one":   {config: func(c *Config) { c.AllowedDomains = []string{"com"} }, kind: abi.ErrDenied, text: "may not log in"},
		"longer than an allowed domain": {config: func(c *Config) { c.AllowedDomains = []string{"example.com"} }, user: map[string]any{"email": "anna@evilexample.com"}, kind: abi.ErrDenied, text: "may not log in"},
		"unverified allowed domain":     {config: func(c *Config) { c.AllowedDomains = []string{"example.com"} }, user: map[string]any{"email_verified": false}, kind: abi.ErrDenied, text: "no verified e-mail address"},
		"no address, domain required":   {config: func(c *Config) { c.AllowedDomains = []string{"example.com"} }, user: map[string]any{"email": nil}, kind: abi.ErrDenied, text: "no verified e-mail address"},

		"no groups claim configured":  {config: func(c *Config) { c.GroupsClaim = "" }, want: Identity{Groups: []object.Name{}}},
		"groups of another claim":     {config: func(c *Config) { c.GroupsClaim = "https://example.com/roles" }, user: map[string]any{"https://example.com/roles": []string{"ops"}}, want: Identity{Groups: []object.Name{"ops"}}},
		"no groups":                   {user: map[string]any{"groups": nil}, want: Identity{Groups: []object.Name{}}},
		"one group as text":           {user: map[string]any{"groups": "web"}, want: Identity{Groups: []object.Name{"web"}}},
		"a group twice":               {user: map[string]any{"groups": []string{"b", "a", "b"}}, want: Identity{Groups: []object.Name{"a", "b"}}},
		"groups that are no names":    {user: map[string]any{"groups": []string{"web", "Web", "/web", "Domain Admins", ""}}, want: Identity{Groups: []object.Name{"web"}, SkippedGroups: []string{"Web", "/web", "Domain Admins", ""}}},
		"too many groups":             {user: map[string]any{"groups": many}, kind: abi.ErrLimit, text: "has 1001 groups, limit 1000"},
		"groups are an object":        {user: map[string]any{"groups": map[string]any{"a": 1}}, kind: abi.ErrConfig, text: "neither a text nor a list of texts"},
		"a group is a number":         {user: map[string]any{"groups": []any{"a", 1}}, kind: abi.ErrConfig, text: "neither a text nor a list of texts"},
		"groups that are left out":    {user: map[string]any{"groups": nil, "_claim_names": map[string]any{"groups": "src1"}, "_claim_sources": map[string]any{"src1": map[string]any{"endpoint": is.URL + "/groups"}}}, kind: abi.ErrLimit, text: "more groups than the issuer writes into a token"},
		"other claims are left out":   {user: map[string]any{"_claim_names": map[string]any{"x": "src1"}, "_claim_sources": map[string]any{"src1": map[string]any{"endpoint": is.URL + "/x"}}}},
		"more skipped groups than 10": {user: map[string]any{"groups": strings.Split(strings.Repeat("A,", 30)+"web", ",")}, want: Identity{Groups: []object.Name{"web"}, SkippedGroups: strings.Split("A,A,A,A,A,A,A,A,A,A", ",")}},
	} {
		cfg := is.config()
		if c.config != nil {
			c.config(&cfg)
		}
		user := anna()
		for k, v := range c.user {
			if user[k] = v; v == nil {
				delete(user, k)
			}
		}
		got, err := is.logIn(t, is.open(t, cfg), user)
		if c.kind != nil {
			if !errors.Is(err, c.kind) || !strings.Contains(fmt.Sprint(err), c.text) || !reflect.ValueOf(got).IsZero() {
				t.Errorf("%s: %+v, %v, want %q", name, got, err, c.text)
			}
			continue
		}
		want := Identity{Issuer: is.URL, Subject: "00u1", Name: "anna", Email: "anna@example.com", Groups: []object.Name{"admins", "web"}}
		if c.want.Name != "" {
			want.Name = c.want.Name
		}
		if c.want.Email != "" {
			want.Email = strings.TrimPrefix(c.want.Email, "-")
		}
		if c.want.Groups != nil {
			want.Groups = append([]object.Name(nil), c.want.Groups...)
		}
		want.SkippedGroups = c.want.SkippedGroups
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, want)
		}
	}
	if n := is.Requests["/groups"] + is.Requests["/x"]; n != 0 {
		t.Errorf("%d addresses of id tokens were requested", n)
	}
}

func TestClientAuthentication(t *testing.T) {
	for name, c := range map[string]struct {
		secret  string
		methods any
		basic   bool
	}{
		"public client":                      {"", []string{"client_secret_basic"}, false},
		"secret in the header":               {"s3cr3t+/= :&", []string{"client_secret_post", "client_secret_basic"}, true},
		"secret in the body":                 {"s3cr3t+/= :&", []string{"private_key_jwt", "client_secret_post"}, false},
		"the issuer names no method":         {"s3cr3t", nil, true},
		"the issuer names an empty list too": {"s3cr3t", []string{}, true},
	} {
		is := newIssuer(t)
		is.ClientSecret = c.secret
		is.Hooks["discovery"] = func(m map[string]any) { m["token_endpoint_auth_methods_supported"] = c.methods }
		id, err := is.logIn(t, is.open(t, is.config()), anna())
		if err != nil || id.Name != "anna" || is.SentBasic != c.basic {
			t.Errorf("%s: %+v, %v, header %v", name, id, err, is.SentBasic)
		}
		cfg := is.config()
		cfg.ClientSecret = secret.New("wrong-secret")
		p := is.open(t, cfg)
		if _, err := p.Start(t.Context()); !errors.Is(err, abi.ErrConfig) || !strings.Contains(fmt.Sprint(err), "invalid_client") || strings.Contains(fmt.Sprintf("%v %+v", err, cfg), "wrong-secret") {
			t.Errorf("%s: a wrong secret: %v", name, err)
		}
	}
}

// An issuer that repeats the request in its error does not put the secret into ours.
func TestSecretIsNotInErrors(t *testing.T) {
	is := newIssuer(t)
	is.ClientSecret = "s3cr3t-of-mcpd"
	p := is.open(t, is.config())
	for _, path := range []string{"/device", "/token"} {
		is.Handlers[path] = func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			_, pass, _ := r.BasicAuth()
			_, _ = w.Write([]byte(oidctest.AsJSON(map[string]string{"error": pass, "error_description": r.PostFormValue("device_code") + pass})))
		}
	}
	_, err := p.Start(t.Context())
	_, err2 := p.Poll(t.Context(), secret.New("code-of-a-device"))
	for _, err := range []error{err, err2} {
		if text := fmt.Sprint(err); strings.Contains(text, "s3cr3t") || strings.Contains(text, "code-of-a-device") || !strings.Contains(text, "***") {
			t.Errorf("err = %v", err)
		}
	}
}

func TestStartRefusesUnusableAnswers(t *testing.T) {
	is := newIssuer(t)
	p := is.open(t, is.config())
	set := func(name string, value any) func(map[string]any) {
		return func(m map[string]any) { m[name] = value }
	}
	for name, c := range map[string]struct {
		change func(map[string]any)
		want   string // "" if it is accepted
	}{
		"Google's name of the address": {func(m map[string]any) {
			m["verification_url"] = m["verification_uri"]
			delete(m, "verification_uri")
		}, ""},
		"no interval":               {func(m map[string]any) { delete(m, "interval") }, ""},
		"no complete address":       {func(m map[string]any) { delete(m, "verification_uri_complete") }, ""},
		"no device code":            {set("device_code", ""), "a device_code of 0 bytes"},
		"long device code":          {set("device_code", strings.Repeat("x", 5000)), "a device_code of 5000 bytes, want 1 to 4096"},
		"no user code":              {set("user_code", ""), `the user_code ""`},
		"long user code":            {set("user_code", strings.Repeat("A", 65)), "the user_code"},
		"user code with an escape":  {set("user_code", "AB\x1b[2J"), "want 1 to 64 printable bytes"},
		"no address":                {func(m map[string]any) { delete(m, "verification_uri") }, "the verification_uri"},
		"address is a script":       {set("verification_uri", "javascript:alert(1)"), "want an https address"},
		"address is a file":         {set("verification_uri", "file:///etc/passwd"), "want an https address"},
		"address without TLS":       {set("verification_uri", "http://issuer.example/activate"), "want an https address"},
		"address with a password":   {set("verification_uri", "https://good.example:x@evil.example/"), "want an https address"},
		"address with a line break": {set("verification_uri", "https://issuer.example/\u2028x"), "want an https address"},
		"long address":              {set("verification_uri", "https://issuer.example/"+strings.Repeat("x", 3000)), "want an https address"},
		"complete is a script":      {set("verification_uri_complete", "javascript:alert(1)"), "the verification_uri_complete"},
		"no expiry":                 {func(m map[string]any) { delete(m, "expires_in") }, "expires_in 0 s, want 1 to 86400"},
		"negative expiry":           {set("expires_in", -1), "expires_in -1 s"},
		"expiry of a century":       {set("expires_in", int64(1)<<62), "expires_in"},
		"negative interval":         {set("interval", -5), "interval -5 s, want 1 to 300"},
		"interval of an hour":       {set("interval", 3600), "interval 3600 s"},
		"expiry is text":            {set("expires_in", "600"), "not the expected JSON"},
		"more than 1 MiB":           {set("padding", strings.Repeat("x", maxBody)), "too large"},
		"error with status 200":     {set("error", "invalid_scope"), "invalid_scope"},
	} {
		is.Hooks["device"] = c.change
		pending, err := p.Start(t.Context())
		if c.want == "" {
			if err != nil || pending.Interval != 5*time.Second || pending.VerificationURI != is.URL+"/activate" {
				t.Errorf("%s: %+v, %v", name, pending, err)
			}
			continue
		}
		if !errors.Is(err, abi.ErrUnavailable) || !strings.Contains(fmt.Sprint(err), c.want) || len(fmt.Sprint(err)) > 500 {
			t.Errorf("%s: %+v, %v, want %q", name, pending, err, c.want)
		}
	}
}

func TestOpenRefusals(t *testing.T) {
	set := func(name string, value any) func(*issuer) {
		return func(is *issuer) { is.Hooks["discovery"] = func(m map[string]any) { m[name] = value } }
	}
	answer := func(status int, body string) func(*issuer) {
		return func(is *issuer) {
			is.Handlers["/.well-known/openid-configuration"] = func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", is.URL+"/elsewhere")
				w.WriteHeader(status)
				_, _ = w.Write([]byte(body))
			}
		}
	}
	for name, c := range map[string]struct {
		issuer func(*issuer)
		config func(*Config)
		kind   error
		want   string
	}{
		"no issuer":               {nil, func(c *Config) { c.Issuer = "" }, abi.ErrConfig, "must be an https address"},
		"issuer is no URL":        {nil, func(c *Config) { c.Issuer = "https://[" }, abi.ErrConfig, "not a valid URL"},
		"issuer without TLS":      {nil, func(c *Config) { c.Issuer = "http://issuer.example" }, abi.ErrConfig, "must be an https address (http only on loopback)"},
		"issuer with a password":  {nil, func(c *Config) { c.Issuer = "https://a:b@issuer.example" }, abi.ErrConfig, "must be an https address"},
		"issuer with a query":     {nil, func(c *Config) { c.Issuer += "?x=y" }, abi.ErrConfig, "no query"},
		"issuer with a slash":     {nil, func(c *Config) { c.Issuer += "/" }, abi.ErrConfig, "the issuer calls itself"},
		"no client":               {nil, func(c *Config) { c.ClientID = "" }, abi.ErrConfig, "clientID"},
		"address as a domain":     {nil, func(c *Config) { c.AllowedDomains = []string{"a.example", "@b.example"} }, abi.ErrConfig, `allowedDomains[1] is "@b.example"`},
		"pattern as a domain":     {nil, func(c *Config) { c.AllowedDomains = []string{"*.example"} }, abi.ErrConfig, `allowedDomains[0] is "*.example"`},
		"another issuer":          {set("issuer", "https://evil.example"), nil, abi.ErrConfig, `the issuer calls itself "https://evil.example"`},
		"no device flow":          {set("device_authorization_endpoint", ""), nil, abi.ErrConfig, "does not offer the device flow"},
		"no keys":                 {set("jwks_uri", ""), nil, abi.ErrConfig, "no jwks_uri"},
		"tokens without TLS":      {set("token_endpoint", "http://issuer.example/token"), nil, abi.ErrConfig, `token_endpoint is "http://issuer.example/token", want an https address`},
		"devices of another form": {set("device_authorization_endpoint", "ftp://issuer.example"), nil, abi.ErrConfig, "want an https address"},
		"keys of a file":          {set("jwks_uri", "file:///etc/keys"), nil, abi.ErrConfig, "want an https address"},
		"scopes are a text":       {set("scopes_supported", "openid"), nil, abi.ErrConfig, "scopes_supported"},
		"no method for secrets":   {set("token_endpoint_auth_methods_supported", []string{"private_key_jwt"}), func(c *Config) { c.ClientSecret = secret.New("s") }, abi.ErrConfig, "client_secret_post"},
		"not found":               {answer(404, "<html>\x1b[2J"+strings.Repeat("x", 1000)), nil, abi.ErrUnavailable, "404 Not Found"},
		"redirect":                {answer(302, ""), nil, abi.ErrUnavailable, "302 Found"},
		"not JSON":                {answer(200, "<html>"), nil, abi.ErrUnavailable, "failed to decode"},
		"more than 1 MiB":         {answer(200, strings.Repeat(" ", maxBody+1)), nil, abi.ErrUnavailable, "too large"},
		"closed":                  {func(is *issuer) { is.Close() }, nil, abi.ErrUnavailable, "refused"},
	} {
		is := newIssuer(t)
		if c.issuer != nil {
			c.issuer(is)
		}
		cfg := is.config()
		if c.config != nil {
			c.config(&cfg)
		}
		p, err := Open(t.Context(), cfg)
		if p != nil || !errors.Is(err, c.kind) || !strings.Contains(fmt.Sprint(err), c.want) || len(fmt.Sprint(err)) > 500 || strings.Contains(fmt.Sprint(err), "\x1b") {
			t.Errorf("%s: %v, want %v with %q", name, err, c.kind, c.want)
		}
		if is.Requests["/elsewhere"] != 0 {
			t.Errorf("%s: a redirect was followed", name)
		}
	}
}

// An https issuer cannot direct mcpd to addresses of its own machine.
func TestEndpointsOfAnHTTPSIssuerAreHTTPS(t *testing.T) {
	p := &Provider{cfg: Config{Issuer: "https://issuer.example"}}
	for address, want := range map[string]bool{"https://tokens.example/x": true, "http://127.0.0.1:8080/": false, "http://localhost/": false, "http://[::1]/": false} {
		if err := p.checkEndpoint("token_endpoint", address); (err == nil) != want {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestScopes(t *testing.T) {
	for _, c := range []struct {
		supported []string
		groups    bool
		want      string
	}{
		{nil, true, "openid profile email"},
		{[]string{"openid", "email", "groups", "offline_access"}, true, "openid email groups"},
		{[]string{"openid", "profile", "email", "groups"}, false, "openid profile email"},
		{[]string{"openid", "profile", "email"}, true, "openid profile email"},
	} {
		if got := scopes(c.supported, c.groups); got != c.want {
			t.Errorf("scopes(%v, %v) = %q, want %q", c.supported, c.groups, got, c.want)
		}
	}
}

// A request to an issuer that does not answer ends with its context.
func TestSilentIssuer(t *testing.T) {
	is := newIssuer(t)
	p := is.open(t, is.config())
	arrived, release := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(release) })
	for _, path := range []string{"/.well-known/openid-configuration", "/device", "/token"} {
		is.Handlers[path] = func(http.ResponseWriter, *http.Request) {
			arrived <- struct{}{}
			<-release
		}
	}
	for name, call := range map[string]func(context.Context) error{
		"Open": func(ctx context.Context) error {
			_, err := Open(ctx, is.config())
			return err
		},
		"Start": func(ctx context.Context) error {
			_, err := p.Start(ctx)
			return err
		},
		"Poll": func(ctx context.Context) error {
			_, err := p.Poll(ctx, secret.New("code"))
			return err
		},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- call(ctx) }()
		<-arrived
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if p.client.Timeout != requestTime {
		t.Errorf("requests end after %v, want %v", p.client.Timeout, requestTime)
	}
}

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "",
		"a\nb\x1b\u202ec":              "a b  c",
		strings.Repeat("x", 200):       strings.Repeat("x", 200),
		strings.Repeat("x", 201):       strings.Repeat("x", 200) + "…",
		"x" + strings.Repeat("ü", 100): "x" + strings.Repeat("ü", 99) + "…",
		strings.Repeat("\xff", 300):    "…",
	} {
		if got := printable(text); got != want {
			t.Errorf("printable(%q) = %q, want %q", text, got, want)
		}
	}
}
