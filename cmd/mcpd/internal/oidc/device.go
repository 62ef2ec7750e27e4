package oidc

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	gooidc "github.com/coreos/go-oidc/v3/oidc"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/secret"
)

// States of a login that Poll returns as errors.
var (
	// ErrPending means that the user has not confirmed the login yet.
	ErrPending = errors.New("the login is not confirmed yet")
	// ErrSlowDown means that the login is pending and that all later calls must be SlowDown
	// further apart.
	ErrSlowDown = errors.New("the login is not confirmed yet, and the issuer requires longer pauses")
	// ErrDenied means that the user or the issuer has declined the login.
	ErrDenied = fmt.Errorf("%w: the login was declined", abi.ErrDenied)
	// ErrExpired means that the device code is not valid any more: it expired, was used, or
	// was never issued.
	ErrExpired = errors.New("the login has expired; start it again")
)

// SlowDown is added to the interval of a login at each ErrSlowDown.
const SlowDown = 5 * time.Second

// Pending is a login that has begun. The user opens VerificationURI and enters UserCode, or
// opens VerificationURIComplete, which is "" if the issuer has none.
type Pending struct {
	UserCode                string
	VerificationURI         string
	VerificationURIComplete string
	// DeviceCode identifies the login to Poll. Whoever has it receives the login that the
	// user confirms.
	DeviceCode secret.Value
	// Interval is the minimum time between two calls of Poll.
	Interval time.Duration
	Expires  time.Time
}

// Limits of a Pending.
const (
	maxUserCode   = 64      // bytes
	maxDeviceCode = 4 << 10 // bytes
	maxURI        = 2 << 10 // bytes
	maxExpiry     = 24 * time.Hour
	maxInterval   = 5 * time.Minute

	defaultInterval = 5 * time.Second // RFC 8628, section 3.2
)

// deviceAnswer is the answer to a device authorization request.
type deviceAnswer struct {
	DeviceCode              string `json:"device_code"`
	UserCode                string `json:"user_code"`
	VerificationURI         string `json:"verification_uri"`
	VerificationURL         string `json:"verification_url"` // Google's name of it
	VerificationURIComplete string `json:"verification_uri_complete"`
	ExpiresIn               int64  `json:"expires_in"` // seconds
	Interval                int64  `json:"interval"`   // seconds
}

// Start begins a login.
//
// It returns abi.ErrConfig if the issuer does not accept mcpd as its client, and
// abi.ErrUnavailable if it does not answer or its answer is not usable.
func (p *Provider) Start(ctx context.Context) (Pending, error) {
	var a deviceAnswer
	err := p.post(ctx, p.deviceURL, url.Values{"scope": {p.scope}}, &a)
	var refused *refusal
	if errors.As(err, &refused) {
		return Pending{}, p.refused(refused)
	}
	if err != nil {
		return Pending{}, err
	}
	if a.VerificationURI == "" {
		a.VerificationURI = a.VerificationURL
	}
	if a.Interval == 0 {
		a.Interval = int64(defaultInterval / time.Second)
	}
	if why := a.fault(); why != "" {
		return Pending{}, fmt.Errorf("%w: the issuer %s answers a login with %s", abi.ErrUnavailable, p.cfg.Issuer, why)
	}
	return Pending{
		UserCode: a.UserCode, VerificationURI: a.VerificationURI, VerificationURIComplete: a.VerificationURIComplete,
		DeviceCode: secret.New(a.DeviceCode),
		Interval:   time.Duration(a.Interval) * time.Second,
		Expires:    p.cfg.Now().Add(time.Duration(a.ExpiresIn) * time.Second),
	}, nil
}

// fault returns why an answer is not usable, or "". Its texts are shown to a user, and a
// browser opens its addresses.
func (a *deviceAnswer) fault() string {
	switch {
	case a.DeviceCode == "" || len(a.DeviceCode) > maxDeviceCode:
		return fmt.Sprintf("a device_code of %d bytes, want 1 to %d", len(a.DeviceCode), maxDeviceCode)
	case a.UserCode == "" || len(a.UserCode) > maxUserCode || strings.ContainsFunc(a.UserCode, isNotPrint):
		return fmt.Sprintf("the user_code %.80q, want 1 to %d printable bytes", a.UserCode, maxUserCode)
	case !isPage(a.VerificationURI):
		return fmt.Sprintf("the verification_uri %.200q, want an https address", a.VerificationURI)
	case a.VerificationURIComplete != "" && !isPage(a.VerificationURIComplete):
		return fmt.Sprintf("the verification_uri_complete %.200q, want an https address", a.VerificationURIComplete)
	case a.ExpiresIn < 1 || a.ExpiresIn > int64(maxExpiry/time.Second):
		return fmt.Sprintf("expires_in %d s, want 1 to %d", a.ExpiresIn, int64(maxExpiry/time.Second))
	case a.Interval < 1 || a.Interval > int64(maxInterval/time.Second):
		return fmt.Sprintf("interval %d s, want 1 to %d", a.Interval, int64(maxInterval/time.Second))
	}
	return ""
}

func isNotPrint(r rune) bool { return !unicode.IsPrint(r) }

// isPage reports whether a browser may open an address.
func isPage(address string) bool {
	u, err := url.Parse(address)
	return err == nil && len(address) <= maxURI && isSecure(u) && !strings.ContainsFunc(address, isNotPrint)
}

// Poll requests the state of a login once and returns the identity of the user who has
// confirmed it. An issuer accepts a device code once: after an Identity, or an error about
// one, the login has to be started again.
//
// While the login is not confirmed, Poll returns ErrPending or ErrSlowDown. It returns
// abi.ErrUnavailable if the issuer does not answer; it may then be called again. All other
// errors end the login: ErrDenied and ErrExpired; abi.ErrDenied if the id token is not valid
// or the user may not log in; abi.ErrConfig if the settings of the issuer and of mcpd do not
// match; abi.ErrLimit if the user has too many groups.
func (p *Provider) Poll(ctx context.Context, deviceCode secret.Value) (Identity, error) {
	if n := len(deviceCode.Reveal()); n == 0 || n > maxDeviceCode {
		return Identity{}, ErrExpired
	}
	var tokens struct {
		ID     string `json:"id_token"`
		Access string `json:"access_token"`
	}
	err := p.post(ctx, p.tokenURL, url.Values{
		"grant_type":  {"urn:ietf:params:oauth:grant-type:device_code"},
		"device_code": {deviceCode.Reveal()},
	}, &tokens)
	var refused *refusal
	if errors.As(err, &refused) {
		return Identity{}, p.pollState(refused)
	}
	if err != nil {
		return Identity{}, err
	}
	if tokens.ID == "" {
		return Identity{}, fmt.Errorf("%w: the issuer %s returned no id token; allow the scope openid to the client", abi.ErrConfig, p.cfg.Issuer)
	}
	token, err := p.verifier.Verify(ctx, tokens.ID)
	if err == nil && token.AccessTokenHash != "" {
		err = token.VerifyAccessToken(tokens.Access)
	}
	var old *gooidc.TokenExpiredError
	switch {
	case ctx.Err() != nil:
		return Identity{}, ctx.Err()
	case errors.As(err, &old):
		return Identity{}, fmt.Errorf("%w: the id token expired at %s, and it is %s; compare the clocks of mcpd and the issuer", abi.ErrDenied,
			old.Expiry.UTC().Format(time.RFC3339), p.cfg.Now().UTC().Format(time.RFC3339))
	case err != nil:
		return Identity{}, fmt.Errorf("%w: the id token of the issuer %s is not valid: %s", abi.ErrDenied, p.cfg.Issuer, printable(err.Error()))
	}
	return p.identify(token)
}

// pollState returns the error of a login that has no token. The codes are those of RFC
// 8628, section 3.5, and those that Microsoft documents instead of them.
func (p *Provider) pollState(r *refusal) error {
	switch r.code {
	case "authorization_pending":
		return ErrPending
	case "slow_down":
		return ErrSlowDown
	case "access_denied", "authorization_declined":
		return ErrDenied
	case "expired_token", "invalid_grant", "bad_verification_code":
		return ErrExpired
	}
	if r.status == http.StatusTooManyRequests {
		return ErrSlowDown
	}
	return p.refused(r)
}

// refused returns the error of a request that the issuer refuses.
func (p *Provider) refused(r *refusal) error {
	kind := abi.ErrUnavailable
	if r.status/100 == 4 && r.code != "" {
		kind = abi.ErrConfig // the client, its secret, its scopes or its rights
	}
	return fmt.Errorf("%w: the issuer %s refuses the request: %w", kind, p.cfg.Issuer, r)
}
