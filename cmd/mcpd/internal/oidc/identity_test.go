package oidc

import (
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
)

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
	if err := is.logInUntil(t, p, func(err error) bool { return err == nil }); err != nil {
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
	isUnavailable := func(err error) bool { return err != nil && strings.Contains(err.Error(), "503") }
	if err := is.logInUntil(t, p, isUnavailable); !isUnavailable(err) {
		t.Errorf("without keys: %v", err)
	}
	is.Handlers["/keys"] = nil
	if err := is.logInUntil(t, p, func(err error) bool { return err == nil }); err != nil {
		t.Errorf("the keys are back: %v", err)
	}
}

// logInUntil repeats a login until its error is as wanted, for up to 5 s, and returns the last
// error. A login right after another one that fetched the keys may still get those: package
// oidc forgets a request shortly after it has answered it.
func (is *issuer) logInUntil(t *testing.T, p *Provider, wanted func(error) bool) (err error) {
	for range 500 {
		if _, err = is.logIn(t, p, anna()); wanted(err) {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
	return err
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
