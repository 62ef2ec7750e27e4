// Package devicelogin lets clients of mcpd log in by an OpenID Connect issuer with the
// device flow. A login that has begun is a handle, which the client keeps: it contains the
// device code, encrypted with a key of the server, so that any replica can continue it and
// the server stores nothing.
//
// The package limits how often clients may call the issuer. It knows no users: see package
// access for what an identity may do.
package devicelogin

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/keyring"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/oidc"
	"github.com/mcpctl/mcpctl/host/secret"
)

// Limits of clients.
const (
	maxStarts  = 30  // of one address in a minute
	maxPolls   = 300 // of one address in a minute
	maxHandle  = 8 << 10
	maxEntries = 10_000          // of a table
	tolerance  = time.Second     // by which a poll may be early, because networks delay
	retryAfter = 5 * time.Second // until an issuer that did not answer is tried again
)

// boundTo is what handles are bound to: no other ciphertext of the keys is a handle.
const boundTo = "device login"

// Logins are the logins of one issuer. It is safe for concurrent use.
type Logins struct {
	cfg  oidc.Config
	keys *keyring.Ring
	now  func() time.Time

	opening  sync.Mutex
	provider *oidc.Provider
	fault    error // of the last try to open the issuer
	tried    time.Time

	starts, polls window
	pace          pace
}

// New returns the Logins of an issuer, which is contacted at the first login.
func New(cfg oidc.Config, keys *keyring.Ring) *Logins {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Logins{cfg: cfg, keys: keys, now: cfg.Now}
}

// Open reads the settings of the issuer, unless that was done.
//
// It returns the errors of oidc.Open.
func (l *Logins) Open(ctx context.Context) (*oidc.Provider, error) {
	l.opening.Lock()
	defer l.opening.Unlock()
	if l.provider != nil {
		return l.provider, nil
	}
	if l.fault != nil && l.now().Sub(l.tried) < retryAfter {
		return nil, l.fault
	}
	p, err := oidc.Open(ctx, l.cfg)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	l.provider, l.fault, l.tried = p, err, l.now()
	return p, err
}

// Started is a login that has begun.
type Started struct {
	oidc.Pending
	Handle secret.Value // whoever has it receives the login that the user confirms
}

// handle is the content of a handle.
type handle struct {
	Code     string `json:"code"`
	Interval int64  `json:"interval"` // seconds
	Expires  int64  `json:"expires"`  // seconds since 1970
}

// Start begins a login for a client. host is the address of the client.
//
// It returns the errors of oidc.Provider.Start, and abi.ErrLimit for a client that has to
// wait.
func (l *Logins) Start(ctx context.Context, host string) (Started, error) {
	if !l.starts.allow(Network(host), maxStarts, l.now()) {
		return Started{}, fmt.Errorf("%w: %d logins of one address in a minute, wait a minute", abi.ErrLimit, maxStarts)
	}
	p, err := l.Open(ctx)
	if err != nil {
		return Started{}, err
	}
	pending, err := p.Start(ctx)
	if err != nil {
		return Started{}, err
	}
	text, err := json.Marshal(handle{pending.DeviceCode.Reveal(), int64(pending.Interval / time.Second), pending.Expires.Unix()})
	if err != nil {
		return Started{}, err
	}
	id, sealed := l.keys.Seal(text, boundTo)
	return Started{pending, secret.New(id + "." + base64.RawURLEncoding.EncodeToString(sealed))}, nil
}

// Poll returns the identity of the user who has confirmed a login.
//
// It returns the errors of oidc.Provider.Poll. oidc.ErrSlowDown also means that the client
// polls faster than the interval of the login, and oidc.ErrExpired that the handle is not
// one of this server. abi.ErrLimit means that the client has to wait.
func (l *Logins) Poll(ctx context.Context, text, host string) (oidc.Identity, error) {
	if !l.polls.allow(Network(host), maxPolls, l.now()) {
		return oidc.Identity{}, fmt.Errorf("%w: %d polls of one address in a minute, wait a minute", abi.ErrLimit, maxPolls)
	}
	h, err := l.open(text)
	if err != nil {
		return oidc.Identity{}, err
	}
	key := sha256.Sum256([]byte(text))
	if !l.pace.allow(key, time.Duration(h.Interval)*time.Second, l.now()) {
		return oidc.Identity{}, oidc.ErrSlowDown
	}
	p, err := l.Open(ctx)
	if err != nil {
		return oidc.Identity{}, err
	}
	id, err := p.Poll(ctx, secret.New(h.Code))
	if errors.Is(err, oidc.ErrSlowDown) {
		l.pace.slowDown(key)
	}
	return id, err
}

// open decrypts a handle.
func (l *Logins) open(text string) (h handle, err error) {
	id, encoded, _ := strings.Cut(text, ".")
	sealed, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil || len(text) > maxHandle {
		return h, oidc.ErrExpired
	}
	plain, err := l.keys.Open(id, sealed, boundTo)
	if err != nil || json.Unmarshal(plain, &h) != nil || l.now().Unix() > h.Expires {
		return h, oidc.ErrExpired
	}
	return h, nil
}
