package team

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/secret"
)

// Settings are the address of mcpd, the login there, and how mcpd is used.
type Settings struct {
	URL      string // such as https://team.example:3100; "" means not configured
	CA       string // file of certificates that are trusted besides those of the system; may be ""
	Insecure bool   // plain HTTP is allowed to other machines too
	Cache    string // how the cache of the team is used: a sharedcache.Mode

	Login Login
}

// Login is a token of mcpd. The zero value is none.
type Login struct {
	URL   string // of the mcpd that created the token
	User  string // as mcpd calls its owner
	Token secret.Value
}

// IsZero reports whether there is no login.
func (l Login) IsZero() bool { return l.Token.Reveal() == "" }

// id identifies the login without its token. It is equal in other processes, so that lists of
// tools that were kept on disk for one user are not used for another.
func (l Login) id() string {
	sum := sha256.Sum256([]byte(l.URL + "\x00" + l.User + "\x00" + l.Token.Reveal()))
	return hex.EncodeToString(sum[:8])
}

// isEqual reports whether two Settings have the same values.
func (s Settings) isEqual(t Settings) bool {
	same := s.Login.Token.Reveal() == t.Login.Token.Reveal()
	s.Login.Token, t.Login.Token = secret.Value{}, secret.Value{}
	return same && s == t
}

// ParseURL returns the address of a mcpd in its canonical form, without a trailing slash.
//
// It returns abi.ErrConfig for an address with a user, a query or a fragment, and for any
// scheme but http and https.
func ParseURL(text string) (string, error) {
	u, err := url.Parse(text)
	why := ""
	switch {
	case err != nil:
		why = "cannot be parsed" // err contains the text, which may hold a password
	case u.Scheme != "https" && u.Scheme != "http":
		why = "must begin with https:// or http://"
	case u.Hostname() == "":
		why = "has no host"
	case u.User != nil:
		why = "contains a user or password"
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		why = "has a query or a fragment"
	}
	if why != "" {
		return "", fmt.Errorf("%w: the address of mcpd %s, want https://HOST:PORT", abi.ErrConfig, why)
	}
	u.Host, u.Scheme = strings.ToLower(u.Host), strings.ToLower(u.Scheme)
	return strings.TrimRight(u.String(), "/"), nil
}

// ErrPlain is the error for an address to which a token would be sent without encryption.
var ErrPlain = fmt.Errorf("%w: plain HTTP would send the token in clear text over the network, use https", abi.ErrDenied)

// checkPlain returns ErrPlain for plain HTTP to another machine, unless it is allowed.
func (s Settings) checkPlain(u *url.URL) error {
	if u.Scheme == "https" || s.Insecure || isLoopback(u.Hostname()) {
		return nil
	}
	return ErrPlain
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// maxCA is the maximum size of a file of certificates in bytes.
const maxCA = 4 << 20

// tlsConfig returns the configuration of TLS: the roots of the system, and those of the
// file CA.
func (s Settings) tlsConfig() (*tls.Config, error) {
	cfg := &tls.Config{MinVersion: tls.VersionTLS12}
	if s.CA == "" {
		return cfg, nil
	}
	f, err := os.Open(s.CA)
	if err != nil {
		return nil, homedir.DiskError("certificates of mcpd", err)
	}
	defer f.Close()
	pem, err := homedir.ReadAtMost(f, maxCA)
	if err != nil {
		return nil, err
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	if len(pem) > maxCA || !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%w: %s contains no certificate in PEM", abi.ErrConfig, s.CA)
	}
	cfg.RootCAs = roots
	return cfg, nil
}

// ErrNotConfigured is the error of calls without an address of mcpd.
var ErrNotConfigured = fmt.Errorf("%w: no team server is configured", abi.ErrUnavailable)

// ErrNotLoggedIn is the error of calls without a token.
var ErrNotLoggedIn = fmt.Errorf("%w: not logged in to the team server", abi.ErrDenied)

// errOtherLogin is the error of a token that was created by another mcpd.
var errOtherLogin = errors.New("the stored token is of another address")
