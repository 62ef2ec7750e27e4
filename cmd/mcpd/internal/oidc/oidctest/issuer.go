// Package oidctest has a fake OpenID Connect issuer for tests.
package oidctest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	gooidc "github.com/coreos/go-oidc/v3/oidc"
	gooidctest "github.com/coreos/go-oidc/v3/oidc/oidctest"

	"github.com/mcpctl/mcpctl/host/secret"
)

// ClientID is the client of mcpd at the fake issuer.
const ClientID = "mcpd"

// Issuer is a fake OpenID issuer on loopback. It decides as RFC 8628 and OpenID Connect
// require: it authenticates the client, issues a device code once, enforces the interval of
// its polls and lets it expire. Its hooks make it misbehave.
//
// (The module oauth2-proxy/mockoidc has no device flow.)
type Issuer struct {
	*httptest.Server

	Mu           sync.Mutex // protects the fields below
	now          time.Time
	ClientSecret string
	Keys         []*SigningKey // published; the last one signs
	logins       map[string]*login
	Requests     map[string]int // by path
	Scope        string         // of the last device authorization
	SentBasic    bool           // whether the last client used the header
	Hooks        map[string]func(map[string]any)
	Sign         func(claims map[string]any) string
	Handlers     map[string]http.HandlerFunc // instead of its own
}

// slowDown is added to the interval of a login that is polled too early, as RFC 8628 requires.
const slowDown = 5 * time.Second

// login is a device code and its state.
type login struct {
	user     map[string]any // claims of the user who has confirmed it
	declined bool
	used     bool
	expires  time.Time
	interval time.Duration
	last     time.Time // poll
}

// SigningKey is a key of an Issuer.
type SigningKey struct {
	ID      string
	Private *ecdsa.PrivateKey
}

// New returns an issuer that runs until the test ends.
func New(t testing.TB) *Issuer {
	t.Helper()
	is := &Issuer{
		now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), logins: make(map[string]*login), Requests: make(map[string]int),
		Hooks: make(map[string]func(map[string]any)), Handlers: make(map[string]http.HandlerFunc),
	}
	is.Rotate(t)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", is.discover)
	mux.HandleFunc("GET /keys", is.publishKeys)
	mux.HandleFunc("POST /device", is.authorizeDevice)
	mux.HandleFunc("POST /token", is.issueToken)
	is.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		is.Mu.Lock()
		is.Requests[r.URL.Path]++
		handler := is.Handlers[r.URL.Path]
		is.Mu.Unlock()
		if handler != nil {
			handler(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(is.Close)
	return is
}

// Rotate adds a key that signs from now on.
func (is *Issuer) Rotate(t testing.TB) *SigningKey {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	is.Mu.Lock()
	defer is.Mu.Unlock()
	key := &SigningKey{fmt.Sprintf("key-%d", len(is.Keys)+1), private}
	is.Keys = append(is.Keys, key)
	return key
}

// Time returns the time of the issuer.
func (is *Issuer) Time() time.Time {
	is.Mu.Lock()
	defer is.Mu.Unlock()
	return is.now
}

// Advance moves the time of the issuer.
func (is *Issuer) Advance(d time.Duration) {
	is.Mu.Lock()
	defer is.Mu.Unlock()
	is.now = is.now.Add(d)
}

// Confirm is the user who confirms a login in a browser.
func (is *Issuer) Confirm(code secret.Value, user map[string]any) {
	is.Mu.Lock()
	defer is.Mu.Unlock()
	is.logins[code.Reveal()].user = user
}

// Decline is the user who declines a login.
func (is *Issuer) Decline(code secret.Value) {
	is.Mu.Lock()
	defer is.Mu.Unlock()
	is.logins[code.Reveal()].declined = true
}

func (is *Issuer) discover(w http.ResponseWriter, _ *http.Request) {
	is.reply(w, http.StatusOK, "discovery", map[string]any{
		"issuer": is.URL, "device_authorization_endpoint": is.URL + "/device", "token_endpoint": is.URL + "/token", "jwks_uri": is.URL + "/keys",
		"id_token_signing_alg_values_supported": []string{"ES256", "HS256", "none"},
		"token_endpoint_auth_methods_supported": []string{"client_secret_basic", "client_secret_post"},
		"scopes_supported":                      []string{"openid", "profile", "email", "groups"},
	})
}

func (is *Issuer) publishKeys(w http.ResponseWriter, _ *http.Request) {
	is.Mu.Lock()
	var keys []map[string]string
	for _, k := range is.Keys {
		point, err := k.Private.PublicKey.Bytes() // 4, x, y
		if err != nil {
			panic(err)
		}
		keys = append(keys, map[string]string{
			"kty": "EC", "crv": "P-256", "kid": k.ID, "use": "sig", "alg": "ES256",
			"x": base64.RawURLEncoding.EncodeToString(point[1:33]), "y": base64.RawURLEncoding.EncodeToString(point[33:]),
		})
	}
	is.Mu.Unlock()
	is.reply(w, http.StatusOK, "keys", map[string]any{"keys": keys})
}

func (is *Issuer) authorizeDevice(w http.ResponseWriter, r *http.Request) {
	if !is.isClient(r) {
		is.reply(w, http.StatusUnauthorized, "", map[string]any{"error": "invalid_client"})
		return
	}
	is.Mu.Lock()
	code := fmt.Sprintf("device-code-%d", len(is.logins)+1)
	l := &login{expires: is.now.Add(10 * time.Minute), interval: 5 * time.Second, last: is.now.Add(-time.Hour)}
	is.logins[code], is.Scope = l, r.PostFormValue("scope")
	is.Mu.Unlock()
	is.reply(w, http.StatusOK, "device", map[string]any{
		"device_code": code, "user_code": "WDJB-MJHT", "verification_uri": is.URL + "/activate",
		"verification_uri_complete": is.URL + "/activate?user_code=WDJB-MJHT", "expires_in": 600, "interval": 5,
	})
}

func (is *Issuer) issueToken(w http.ResponseWriter, r *http.Request) {
	if !is.isClient(r) {
		is.reply(w, http.StatusUnauthorized, "", map[string]any{"error": "invalid_client"})
		return
	}
	if r.PostFormValue("grant_type") != "urn:ietf:params:oauth:grant-type:device_code" {
		is.reply(w, http.StatusBadRequest, "", map[string]any{"error": "unsupported_grant_type"})
		return
	}
	user, failure := is.redeem(r.PostFormValue("device_code"))
	if failure != "" {
		is.reply(w, http.StatusBadRequest, "", map[string]any{"error": failure, "error_description": "of the issuer"})
		return
	}
	answer := map[string]any{"access_token": "access", "token_type": "Bearer", "expires_in": 300}
	answer["id_token"] = is.idToken(user)
	is.reply(w, http.StatusOK, "token", answer)
}

// redeem returns the user of a login, or the reason why there is none.
func (is *Issuer) redeem(code string) (user map[string]any, failure string) {
	is.Mu.Lock()
	defer is.Mu.Unlock()
	l := is.logins[code]
	if l == nil || l.used {
		return nil, "invalid_grant"
	}
	early := is.now.Sub(l.last) < l.interval
	l.last = is.now
	switch {
	case is.now.After(l.expires):
		return nil, "expired_token"
	case early:
		l.interval += slowDown
		return nil, "slow_down"
	case l.declined:
		return nil, "access_denied"
	case l.user == nil:
		return nil, "authorization_pending"
	}
	l.used = true
	return l.user, ""
}

// idToken signs the id token of a user.
func (is *Issuer) idToken(user map[string]any) string {
	is.Mu.Lock()
	defer is.Mu.Unlock()
	claims := map[string]any{"iss": is.URL, "aud": ClientID, "iat": is.now.Unix(), "exp": is.now.Add(5 * time.Minute).Unix()}
	maps.Copy(claims, user)
	if hook := is.Hooks["claims"]; hook != nil {
		hook(claims)
	}
	if is.Sign != nil {
		return is.Sign(claims)
	}
	return SignWith(is.Keys[len(is.Keys)-1], claims)
}

// SignWith returns the id token with claims, signed by a key.
func SignWith(k *SigningKey, claims map[string]any) string {
	return gooidctest.SignIDToken(crypto.Signer(k.Private), k.ID, gooidc.ES256, AsJSON(claims))
}

// isClient authenticates the client, by exactly one method.
func (is *Issuer) isClient(r *http.Request) bool {
	id, pass, basic := r.BasicAuth()
	is.Mu.Lock()
	defer is.Mu.Unlock()
	is.SentBasic = basic
	if is.ClientSecret == "" {
		return !basic && r.PostFormValue("client_id") == ClientID && !r.PostForm.Has("client_secret")
	}
	if basic {
		id, _ = url.QueryUnescape(id)
		pass, _ = url.QueryUnescape(pass)
		return id == ClientID && pass == is.ClientSecret && !r.PostForm.Has("client_secret")
	}
	return r.PostFormValue("client_id") == ClientID && r.PostFormValue("client_secret") == is.ClientSecret
}

// reply sends JSON after the hook of that name has changed it.
func (is *Issuer) reply(w http.ResponseWriter, status int, hook string, body map[string]any) {
	is.Mu.Lock()
	if h := is.Hooks[hook]; h != nil {
		h(body)
	}
	is.Mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(AsJSON(body)))
}

// AsJSON returns the JSON of a value.
func AsJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}
