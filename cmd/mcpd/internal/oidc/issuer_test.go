package oidc

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
	"github.com/coreos/go-oidc/v3/oidc/oidctest"

	"github.com/mcpctl/mcpctl/host/secret"
)

// clientID is mcpd's at the fake issuer.
const clientID = "mcpd"

// issuer is a fake OpenID issuer on loopback. It decides as RFC 8628 and OpenID Connect
// require: it authenticates the client, issues a device code once, enforces the interval of
// its polls and lets it expire. Its hooks make it misbehave.
//
// (The module oauth2-proxy/mockoidc has no device flow.)
type issuer struct {
	*httptest.Server

	mu           sync.Mutex
	now          time.Time
	clientSecret string
	keys         []*signingKey // published; the last one signs
	logins       map[string]*login
	requests     map[string]int // by path
	scope        string         // of the last device authorization
	sentBasic    bool           // whether the last client used the header
	hooks        map[string]func(map[string]any)
	sign         func(claims map[string]any) string
	handlers     map[string]http.HandlerFunc // instead of its own
}

// login is a device code and its state.
type login struct {
	user     map[string]any // claims of the user who has confirmed it
	declined bool
	used     bool
	expires  time.Time
	interval time.Duration
	last     time.Time // poll
}

type signingKey struct {
	id      string
	private *ecdsa.PrivateKey
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	is := &issuer{
		now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), logins: make(map[string]*login), requests: make(map[string]int),
		hooks: make(map[string]func(map[string]any)), handlers: make(map[string]http.HandlerFunc),
	}
	is.rotate(t)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", is.discover)
	mux.HandleFunc("GET /keys", is.publishKeys)
	mux.HandleFunc("POST /device", is.authorizeDevice)
	mux.HandleFunc("POST /token", is.issueToken)
	is.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		is.mu.Lock()
		is.requests[r.URL.Path]++
		handler := is.handlers[r.URL.Path]
		is.mu.Unlock()
		if handler != nil {
			handler(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(is.Close)
	return is
}

// rotate adds a key that signs from now on.
func (is *issuer) rotate(t *testing.T) *signingKey {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	is.mu.Lock()
	defer is.mu.Unlock()
	key := &signingKey{fmt.Sprintf("key-%d", len(is.keys)+1), private}
	is.keys = append(is.keys, key)
	return key
}

func (is *issuer) time() time.Time {
	is.mu.Lock()
	defer is.mu.Unlock()
	return is.now
}

func (is *issuer) advance(d time.Duration) {
	is.mu.Lock()
	defer is.mu.Unlock()
	is.now = is.now.Add(d)
}

// confirm is the user who confirms a login in a browser.
func (is *issuer) confirm(code secret.Value, user map[string]any) {
	is.mu.Lock()
	defer is.mu.Unlock()
	is.logins[code.Reveal()].user = user
}

func (is *issuer) decline(code secret.Value) {
	is.mu.Lock()
	defer is.mu.Unlock()
	is.logins[code.Reveal()].declined = true
}

// config is that of mcpd.
func (is *issuer) config() Config {
	return Config{Issuer: is.URL, ClientID: clientID, ClientSecret: secret.New(is.clientSecret), GroupsClaim: "groups", Now: is.time}
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
	is.confirm(pending.DeviceCode, user)
	return p.Poll(t.Context(), pending.DeviceCode)
}

func (is *issuer) discover(w http.ResponseWriter, _ *http.Request) {
	is.reply(w, http.StatusOK, "discovery", map[string]any{
		"issuer": is.URL, "device_authorization_endpoint": is.URL + "/device", "token_endpoint": is.URL + "/token", "jwks_uri": is.URL + "/keys",
		"id_token_signing_alg_values_supported": []string{"ES256", "HS256", "none"},
		"token_endpoint_auth_methods_supported": []string{"client_secret_basic", "client_secret_post"},
		"scopes_supported":                      []string{"openid", "profile", "email", "groups"},
	})
}

func (is *issuer) publishKeys(w http.ResponseWriter, _ *http.Request) {
	is.mu.Lock()
	var keys []map[string]string
	for _, k := range is.keys {
		point, err := k.private.PublicKey.Bytes() // 4, x, y
		if err != nil {
			panic(err)
		}
		keys = append(keys, map[string]string{
			"kty": "EC", "crv": "P-256", "kid": k.id, "use": "sig", "alg": "ES256",
			"x": base64.RawURLEncoding.EncodeToString(point[1:33]), "y": base64.RawURLEncoding.EncodeToString(point[33:]),
		})
	}
	is.mu.Unlock()
	is.reply(w, http.StatusOK, "keys", map[string]any{"keys": keys})
}

func (is *issuer) authorizeDevice(w http.ResponseWriter, r *http.Request) {
	if !is.isClient(r) {
		is.reply(w, http.StatusUnauthorized, "", map[string]any{"error": "invalid_client"})
		return
	}
	is.mu.Lock()
	code := fmt.Sprintf("device-code-%d", len(is.logins)+1)
	l := &login{expires: is.now.Add(10 * time.Minute), interval: 5 * time.Second, last: is.now.Add(-time.Hour)}
	is.logins[code], is.scope = l, r.PostFormValue("scope")
	is.mu.Unlock()
	is.reply(w, http.StatusOK, "device", map[string]any{
		"device_code": code, "user_code": "WDJB-MJHT", "verification_uri": is.URL + "/activate",
		"verification_uri_complete": is.URL + "/activate?user_code=WDJB-MJHT", "expires_in": 600, "interval": 5,
	})
}

func (is *issuer) issueToken(w http.ResponseWriter, r *http.Request) {
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
func (is *issuer) redeem(code string) (user map[string]any, failure string) {
	is.mu.Lock()
	defer is.mu.Unlock()
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
		l.interval += SlowDown
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
func (is *issuer) idToken(user map[string]any) string {
	is.mu.Lock()
	defer is.mu.Unlock()
	claims := map[string]any{"iss": is.URL, "aud": clientID, "iat": is.now.Unix(), "exp": is.now.Add(5 * time.Minute).Unix()}
	maps.Copy(claims, user)
	if hook := is.hooks["claims"]; hook != nil {
		hook(claims)
	}
	if is.sign != nil {
		return is.sign(claims)
	}
	return signWith(is.keys[len(is.keys)-1], claims)
}

func signWith(k *signingKey, claims map[string]any) string {
	return oidctest.SignIDToken(crypto.Signer(k.private), k.id, gooidc.ES256, asJSON(claims))
}

// isClient authenticates the client, by exactly one method.
func (is *issuer) isClient(r *http.Request) bool {
	id, pass, basic := r.BasicAuth()
	is.mu.Lock()
	defer is.mu.Unlock()
	is.sentBasic = basic
	if is.clientSecret == "" {
		return !basic && r.PostFormValue("client_id") == clientID && !r.PostForm.Has("client_secret")
	}
	if basic {
		id, _ = url.QueryUnescape(id)
		pass, _ = url.QueryUnescape(pass)
		return id == clientID && pass == is.clientSecret && !r.PostForm.Has("client_secret")
	}
	return r.PostFormValue("client_id") == clientID && r.PostFormValue("client_secret") == is.clientSecret
}

// reply sends JSON after the hook of that name has changed it.
func (is *issuer) reply(w http.ResponseWriter, status int, hook string, body map[string]any) {
	is.mu.Lock()
	if h := is.hooks[hook]; h != nil {
		h(body)
	}
	is.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(asJSON(body)))
}

func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}
