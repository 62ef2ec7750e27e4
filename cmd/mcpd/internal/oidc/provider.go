// Package oidc logs users in by an OpenID Connect issuer, with the device flow of RFC 8628:
// the user confirms a login in any browser while the command line waits.
//
// Open reads the settings of an issuer. Provider.Start begins a login, Provider.Poll
// returns its state or, at its end, an Identity whose id token was verified: signature,
// issuer, audience and expiry. The flow has no nonce, because the token comes from the
// issuer itself over a connection that mcpd opened.
//
// # Who a user is
//
// A user is identified by the pair of Issuer and Subject, never by a name or an e-mail
// address: issuers let users change these, and give those of a user who has left to
// another one. A caller therefore
//
//   - looks a user up by Issuer and Subject, whatever Name the Identity has,
//   - uses Name only as the proposed name of a new user, and refuses the login with
//     abi.ErrConflict if a user of that name exists, or rights are already bound to that
//     name. An administrator then decides. No suffix is added to the name.
//
// The package knows no users, sessions or rights, starts no browser, and does not limit how
// often a client may call Poll.
package oidc

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	gooidc "github.com/coreos/go-oidc/v3/oidc"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/secret"
)

// Config describes an issuer and mcpd as its client.
type Config struct {
	// Issuer is the address of the issuer exactly as it is in its id tokens. It has the
	// scheme https, or http on loopback.
	Issuer string
	// ClientID and ClientSecret are those of mcpd at the issuer. Public clients have no
	// secret.
	ClientID     string
	ClientSecret secret.Value
	// UserClaim is the claim that the name of a new user is derived from. Default
	// preferred_username. Choose one that users cannot change themselves.
	UserClaim string
	// GroupsClaim is the claim with the groups of a user. By default users have no groups.
	GroupsClaim string
	// AllowedDomains are the domains of e-mail addresses that may log in. If there are any,
	// the issuer must have verified the address. By default every user of the issuer may.
	AllowedDomains []string
	// Now returns the time. Default time.Now.
	Now func() time.Time
}

// defaultUserClaim is the default of Config.UserClaim.
const defaultUserClaim = "preferred_username"

// Provider is an issuer whose settings are known. It is safe for concurrent use.
type Provider struct {
	cfg       Config
	client    *http.Client
	verifier  *gooidc.IDTokenVerifier
	deviceURL string
	tokenURL  string
	scope     string
	secretIn  string // one of the methods below
}

// Methods by which a client sends its secret, from OpenID Connect Core, section 9.
const (
	secretInHeader = "client_secret_basic"
	secretInBody   = "client_secret_post"
	noSecret       = "none"
)

// settings are the members of an issuer's discovery document that go-oidc does not return.
type settings struct {
	JWKS    string   `json:"jwks_uri"`
	Scopes  []string `json:"scopes_supported"`
	Methods []string `json:"token_endpoint_auth_methods_supported"`
}

// Open returns the issuer of a Config after it has read the issuer's settings.
//
// It returns abi.ErrConfig if the Config or the settings are not usable, and
// abi.ErrUnavailable if the issuer does not return its settings. Open may be called again.
func Open(ctx context.Context, cfg Config) (*Provider, error) {
	cfg, err := complete(cfg)
	if err != nil {
		return nil, err
	}
	p := &Provider{cfg: cfg, client: newClient()}
	discovered, err := gooidc.NewProvider(gooidc.ClientContext(ctx, p.client), cfg.Issuer)
	var mismatch *gooidc.IssuerMismatchError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &mismatch):
		return nil, fmt.Errorf("%w: the issuer calls itself %q, set issuer to that instead of %q", abi.ErrConfig, printable(mismatch.Discovered), cfg.Issuer)
	case err != nil:
		return nil, fmt.Errorf("%w: settings of the issuer %s: %s", abi.ErrUnavailable, cfg.Issuer, printable(err.Error()))
	}
	var s settings
	if err := discovered.Claims(&s); err != nil {
		return nil, fmt.Errorf("%w: settings of the issuer %s: %s", abi.ErrConfig, cfg.Issuer, printable(err.Error()))
	}
	endpoint := discovered.Endpoint()
	for _, e := range []struct{ name, address string }{
		{"device_authorization_endpoint", endpoint.DeviceAuthURL}, {"token_endpoint", endpoint.TokenURL}, {"jwks_uri", s.JWKS},
	} {
		if err := p.checkEndpoint(e.name, e.address); err != nil {
			return nil, err
		}
	}
	p.deviceURL, p.tokenURL = endpoint.DeviceAuthURL, endpoint.TokenURL
	p.scope = scopes(s.Scopes, cfg.GroupsClaim != "")
	if p.secretIn, err = p.chooseMethod(s.Methods); err != nil {
		return nil, err
	}
	p.verifier = discovered.Verifier(&gooidc.Config{ClientID: cfg.ClientID, Now: cfg.Now})
	return p, nil
}

// complete checks a Config and sets its defaults.
func complete(cfg Config) (Config, error) {
	u, err := url.Parse(cfg.Issuer)
	switch {
	case err != nil:
		return cfg, fmt.Errorf("%w: issuer %.200q is not a valid URL", abi.ErrConfig, cfg.Issuer)
	case !isSecure(u):
		return cfg, fmt.Errorf("%w: issuer %.200q must be an https address (http only on loopback)", abi.ErrConfig, cfg.Issuer)
	case u.RawQuery != "" || u.Fragment != "":
		return cfg, fmt.Errorf("%w: issuer %.200q must have no query and no fragment", abi.ErrConfig, cfg.Issuer)
	case cfg.ClientID == "":
		return cfg, fmt.Errorf("%w: clientID of the issuer %s is empty", abi.ErrConfig, cfg.Issuer)
	}
	if cfg.UserClaim == "" {
		cfg.UserClaim = defaultUserClaim
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.AllowedDomains = slices.Clone(cfg.AllowedDomains)
	for i, d := range cfg.AllowedDomains {
		if d == "" || strings.ContainsAny(d, "@*/ ") {
			return cfg, fmt.Errorf("%w: allowedDomains[%d] is %.100q, want a domain such as example.com", abi.ErrConfig, i, d)
		}
		cfg.AllowedDomains[i] = lowerASCII(d)
	}
	return cfg, nil
}

// checkEndpoint verifies that a secret can be sent to an address of the issuer.
func (p *Provider) checkEndpoint(name, address string) error {
	if address == "" {
		hint := ""
		if name == "device_authorization_endpoint" {
			hint = ": it does not offer the device flow, or not to this client"
		}
		return fmt.Errorf("%w: settings of the issuer %s have no %s%s", abi.ErrConfig, p.cfg.Issuer, name, hint)
	}
	u, err := url.Parse(address)
	if err != nil || !isSecure(u) || strings.HasPrefix(p.cfg.Issuer, "https:") && u.Scheme != "https" {
		return fmt.Errorf("%w: settings of the issuer %s: %s is %.200q, want an https address", abi.ErrConfig, p.cfg.Issuer, name, address)
	}
	return nil
}

// isSecure reports whether u is an https address, or an http address on loopback, and
// contains no credentials.
func isSecure(u *url.URL) bool {
	if u.Hostname() == "" || u.User != nil {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && isLoopback(u.Hostname())
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// scopes returns the scopes of a login. Issuers refuse scopes that they do not know, and
// some require "groups" before they write the groups of a user into a token.
func scopes(supported []string, groups bool) string {
	list := []string{"openid"}
	for _, s := range []string{"profile", "email"} {
		if len(supported) == 0 || slices.Contains(supported, s) {
			list = append(list, s)
		}
	}
	if groups && slices.Contains(supported, "groups") {
		list = append(list, "groups")
	}
	return strings.Join(list, " ")
}

// chooseMethod returns the method by which the client sends its secret. It is chosen once
// and not tried out at each request, because a second request counts as polling too fast.
func (p *Provider) chooseMethod(supported []string) (string, error) {
	switch {
	case p.cfg.ClientSecret.Reveal() == "":
		return noSecret, nil
	case len(supported) == 0 || slices.Contains(supported, secretInHeader):
		return secretInHeader, nil
	case slices.Contains(supported, secretInBody):
		return secretInBody, nil
	}
	return "", fmt.Errorf("%w: the issuer %s accepts client secrets by none of %s and %s", abi.ErrConfig, p.cfg.Issuer, secretInHeader, secretInBody)
}

const (
	// maxBody is the maximum size of an issuer's answers.
	maxBody = 1 << 20
	// requestTime is the time limit of one request to an issuer.
	requestTime = 15 * time.Second
)

// newClient returns the client of all requests to an issuer. It follows no redirects,
// because they would receive the secret.
func newClient() *http.Client {
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	return &http.Client{
		Timeout: requestTime,
		Transport: limitedTransport{&http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, ForceAttemptHTTP2: true,
			TLSHandshakeTimeout: 10 * time.Second, IdleConnTimeout: 90 * time.Second, MaxResponseHeaderBytes: 64 << 10,
		}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// limitedTransport bounds the bodies of all answers, also of those that go-oidc reads.
type limitedTransport struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (l limitedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := l.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	resp.Body = http.MaxBytesReader(nil, resp.Body, maxBody)
	return resp, nil
}
