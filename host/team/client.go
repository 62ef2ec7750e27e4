package team

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/secret"
)

// Limits of the connection to mcpd.
const (
	dialTimeout   = 10 * time.Second
	headerTimeout = 30 * time.Second // from the request to the header of its answer
	callTimeout   = time.Minute      // of a call but a stream
	maxAnswer     = 16 << 20         // bytes of the answer to a call but a snapshot
	maxFailure    = 256 << 10        // bytes of the answer to a call that failed
)

// Client calls one mcpd with one token. It is safe for concurrent use.
type Client struct {
	base  string
	token secret.Value
	http  *http.Client
	relay *http.Transport // of calls of servers, which may take longer
}

// NewClient returns a Client with the address and the login of s. It connects at the first
// call. Without a login it sends no token.
//
// Errors: ErrNotConfigured, ErrPlain, abi.ErrConfig; ErrNotLoggedIn if the login is of
// another address.
func NewClient(s Settings) (*Client, error) {
	if s.URL == "" {
		return nil, ErrNotConfigured
	}
	base, err := ParseURL(s.URL)
	if err != nil {
		return nil, err
	}
	if !s.Login.IsZero() && s.Login.URL != base {
		return nil, fmt.Errorf("%w: %w", ErrNotLoggedIn, errOtherLogin)
	}
	transport, err := newTransport(s, base)
	if err != nil {
		return nil, err
	}
	relay := transport.Clone()
	relay.ResponseHeaderTimeout, relay.ReadBufferSize, relay.ExpectContinueTimeout = 0, 32<<10, expectLimit
	return &Client{base: base, token: s.Login.Token, relay: relay, http: &http.Client{Transport: transport, CheckRedirect: refuseRedirect}}, nil
}

// newTransport returns the transport of requests to mcpd.
func newTransport(s Settings, base string) (*http.Transport, error) {
	u, err := url.Parse(base)
	if err != nil {
		return nil, err
	}
	if err := s.checkPlain(u); err != nil {
		return nil, err
	}
	certificates, err := s.tlsConfig()
	if err != nil {
		return nil, err
	}
	dialer := net.Dialer{Timeout: dialTimeout}
	t := &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, TLSClientConfig: certificates, ForceAttemptHTTP2: true,
		TLSHandshakeTimeout: dialTimeout, ResponseHeaderTimeout: headerTimeout, IdleConnTimeout: 90 * time.Second, MaxIdleConnsPerHost: 32,
		DisableCompression: true, // sizes are limited as received
	}
	if u.Scheme == "http" && !s.Insecure {
		t.Proxy = nil
		dialer.Control = requireLoopback // localhost may be another machine for the resolver
	}
	return t, nil
}

// requireLoopback refuses addresses of other machines.
func requireLoopback(_, address string, _ syscall.RawConn) error {
	host, _, err := net.SplitHostPort(address)
	if err == nil && isLoopback(host) {
		return nil
	}
	return ErrPlain
}

// refuseRedirect refuses all redirects, because a request carries a token.
func refuseRedirect(next *http.Request, _ []*http.Request) error {
	return fmt.Errorf("redirect to %s://%s is not followed", next.URL.Scheme, next.URL.Host)
}

// URL returns the address of mcpd.
func (c *Client) URL() string { return c.base }

// Transport returns the transport of requests to the servers of mcpd. It limits the time until
// a connection is open, but not that of an answer.
func (c *Client) Transport() http.RoundTripper { return c.relay }

// Close closes idle connections.
func (c *Client) Close() {
	c.http.CloseIdleConnections()
	c.relay.CloseIdleConnections()
}

// Call sends in as JSON, unless it is nil, and decodes the answer into out, unless that is
// nil. path is escaped, below /api/v1, and begins with a slash.
//
// Errors: *StatusError for an answer that is not 2xx; abi.ErrUnavailable if mcpd does not
// answer; abi.ErrLimit for an answer that is too large.
func (c *Client) Call(ctx context.Context, method, path string, query url.Values, in, out any) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	resp, err := c.send(ctx, method, path, query, nil, in)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := c.read(resp.Body, maxAnswer)
	if err != nil || out == nil {
		return err
	}
	if err := json.Unmarshal(body, out); err != nil {
		return fmt.Errorf("%w: mcpd %s: the answer to %s is not valid: %s", ErrNotMcpd, c.base, path, c.clean(err.Error()))
	}
	return nil
}

// send sends a request and returns a response whose status is 2xx, which the caller closes.
func (c *Client) send(ctx context.Context, method, path string, query url.Values, header http.Header, in any) (*http.Response, error) {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(b)
	}
	req, err := c.newRequest(ctx, method, path, query, body)
	if err != nil {
		return nil, err
	}
	for name, values := range header {
		req.Header[name] = values
	}
	if in != nil || method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	return c.do(c.http, req)
}

// newRequest returns a request with the token.
func (c *Client) newRequest(ctx context.Context, method, path string, query url.Values, body io.Reader) (*http.Request, error) {
	target := c.base + "/api/v1" + path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, method, target, body)
	if err != nil {
		return nil, err
	}
	if token := c.token.Reveal(); token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return req, nil
}

// do sends a request and returns a response whose status is 2xx.
func (c *Client) do(h *http.Client, req *http.Request) (*http.Response, error) {
	resp, err := h.Do(req)
	if err != nil {
		return nil, c.netError(req.Context(), err)
	}
	if resp.StatusCode/100 != 2 {
		defer resp.Body.Close()
		return nil, c.statusError(resp)
	}
	return resp, nil
}

// read reads a body of at most limit bytes.
func (c *Client) read(body io.Reader, limit int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(body, limit+1))
	switch {
	case err != nil:
		return nil, c.netError(context.Background(), err)
	case int64(len(b)) > limit:
		return nil, fmt.Errorf("%w: the answer of mcpd %s has more than %d MiB", abi.ErrLimit, c.base, limit>>20)
	}
	return b, nil
}

// netError returns the error of a request without an answer.
func (c *Client) netError(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(context.Cause(ctx), context.Canceled) {
		return ctx.Err()
	}
	if errors.Is(err, ErrPlain) {
		return ErrPlain
	}
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	return fmt.Errorf("%w: mcpd %s: %s", abi.ErrUnavailable, c.base, c.clean(err.Error()))
}

// ErrNotMcpd is the error of an answer that mcpd does not send: another program, such as a web
// server, answers at the address.
var ErrNotMcpd = fmt.Errorf("%w: the answer is not one of mcpd", abi.ErrUnavailable)

// StatusError is an answer of mcpd that is not 2xx.
type StatusError struct {
	Status  int
	Detail  string          // of the problem, on one line; may be empty
	Problem json.RawMessage // its member error, which package problem of cmd decodes; may be nil

	url string
}

// isForeign reports whether another program than mcpd sent the answer: it is not a problem, as
// all refusals of mcpd are, and has no status with which a proxy reports that mcpd is away.
func (e *StatusError) isForeign() bool {
	switch e.Status {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout, http.StatusTooManyRequests:
		return false
	}
	return e.Detail == "" && e.Problem == nil
}

func (c *Client) statusError(resp *http.Response) error {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxFailure)) // a cut body has no detail
	return c.newStatusError(resp.StatusCode, body)
}

func (c *Client) newStatusError(status int, body []byte) *StatusError {
	e := &StatusError{Status: status, url: c.base}
	var failure struct {
		Detail string          `json:"detail"`
		Error  json.RawMessage `json:"error"`
	}
	if json.Unmarshal([]byte(c.hideToken(string(body))), &failure) == nil {
		e.Detail, e.Problem = c.clean(failure.Detail), failure.Error
	}
	return e
}

// Error returns the address, the status and the detail.
func (e *StatusError) Error() string {
	text := fmt.Sprintf("mcpd %s: status %d %s", e.url, e.Status, http.StatusText(e.Status))
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text
}

// Unwrap returns the kind of the error.
func (e *StatusError) Unwrap() error {
	if e.isForeign() {
		return ErrNotMcpd
	}
	switch e.Status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return abi.ErrDenied
	case http.StatusNotFound:
		return abi.ErrNotFound
	case http.StatusConflict, http.StatusPreconditionFailed:
		return abi.ErrConflict
	case http.StatusRequestEntityTooLarge:
		return abi.ErrLimit
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return abi.ErrConfig
	}
	return abi.ErrUnavailable
}

// isStatus reports whether err is an answer with a status.
func isStatus(err error, status int) bool {
	var e *StatusError
	return errors.As(err, &e) && e.Status == status
}

// maxText is the maximum length of a text of mcpd in an error, in bytes.
const maxText = 500

// clean returns a text of mcpd on one line, bounded, without control characters and without
// the token.
func (c *Client) clean(text string) string { return oneLine(c.hideToken(text)) }

// minToken is the length in bytes from which a token is removed from texts. No mcpd creates
// shorter ones, and they would match anywhere.
const minToken = 8

func (c *Client) hideToken(text string) string {
	if token := c.token.Reveal(); len(token) >= minToken {
		text = strings.ReplaceAll(text, token, c.token.String())
	}
	return text
}

// oneLine returns a text on one line of at most maxText bytes, without control characters.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case !unicode.IsPrint(r):
			return unicode.ReplacementChar
		}
		return r
	}, text)
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "") + "…"
	}
	return text
}
