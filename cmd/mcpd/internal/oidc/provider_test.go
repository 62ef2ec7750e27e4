package oidc

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/oidc/oidctest"
	"github.com/mcpctl/mcpctl/host/secret"
)

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
