package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
)

const (
	// maxReply is the maximum size of a reply: an answer of 64 KiB, escaped, with its envelope.
	maxReply = 1 << 20
	// maxRetryAfter is the longest Retry-After that is respected.
	maxRetryAfter = 10 * time.Minute
)

// newClient returns the HTTP client of all providers. It follows no redirects, because
// they would receive the key, and connects to no link-local address, because clouds keep
// credentials there.
func newClient() *http.Client {
	dialer := &net.Dialer{Timeout: 10 * time.Second, Control: refuseLinkLocal}
	return &http.Client{
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, ForceAttemptHTTP2: true,
			TLSHandshakeTimeout: 10 * time.Second, IdleConnTimeout: 90 * time.Second,
			MaxIdleConnsPerHost: 16, MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// metadata are addresses at which clouds keep credentials and that are not link-local,
// from the documentation of AWS (IPv6), Alibaba, Oracle and Azure.
var metadata = []netip.Addr{
	netip.MustParseAddr("fd00:ec2::254"),
	netip.MustParseAddr("100.100.100.200"),
	netip.MustParseAddr("192.0.0.192"),
	netip.MustParseAddr("168.63.129.16"),
}

// nat64 is the prefix of IPv4 addresses in networks with IPv6 only.
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// ipv4In returns the IPv4 address that is embedded in an address, or the address.
func ipv4In(ip netip.Addr) netip.Addr {
	ip = ip.Unmap().WithZone("")
	if !nat64.Contains(ip) {
		return ip
	}
	b := ip.As16()
	return netip.AddrFrom4([4]byte(b[12:]))
}

// refuseLinkLocal rejects an address after its name was resolved, so no name can bypass
// it.
func refuseLinkLocal(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	if ip := ipv4In(at.Addr()); ip.IsLinkLocalUnicast() || ip.IsMulticast() || slices.Contains(metadata, ip) {
		return fmt.Errorf("%s is a link-local address, or one where clouds keep credentials, and is not allowed", ip)
	}
	return nil
}

// post sends a JSON body and reads a JSON reply.
//
// It returns a *fault, or the error of ctx after ctx has ended.
func post(ctx context.Context, c *http.Client, address string, header http.Header, body, reply any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(text))
	if err != nil {
		return err
	}
	var sent atomic.Bool
	req = req.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteRequest: func(w httptrace.WroteRequestInfo) { sent.Store(w.Err == nil) },
	}))
	req.Header = header
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	resp, err := c.Do(req)
	if err != nil {
		return markAbandoned(sendFault(ctx, err), sent.Load() && ctx.Err() != nil)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(io.LimitReader(resp.Body, maxReply+1))
	switch {
	case ctx.Err() != nil:
		return markAbandoned(context.Cause(ctx), true)
	case resp.StatusCode != http.StatusOK:
		return statusFault(resp, b)
	case err != nil:
		return connectionFault("the answer breaks off after %d bytes: %v", len(b), err)
	}
	return decode(resp.Header.Get("Content-Type"), b, reply)
}

// abandonedError is the error of a request that was sent and then abandoned.
type abandonedError struct{ error }

// Unwrap returns the reason.
func (u abandonedError) Unwrap() error { return u.error }

func markAbandoned(err error, sent bool) error {
	if sent {
		return abandonedError{err}
	}
	return err
}

// sendFault returns the fault of a request without a response. It does not contain the
// address, which is in the settings.
func sendFault(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var at *url.Error
	if errors.As(err, &at) {
		err = at.Err
	}
	return connectionFault("%v", err)
}

// statusFault returns the fault of a response with a status other than 200.
func statusFault(resp *http.Response, body []byte) *fault {
	text := resp.Status
	if message := strings.TrimSpace(string(body)); message != "" && resp.StatusCode >= 400 {
		text += ": " + message
	}
	f := &fault{text: text, after: retryAfter(resp.Header.Get("Retry-After"))}
	switch code := resp.StatusCode; {
	case code < 400:
		f = protocolFault("%s: redirects and other statuses than 200 are not followed", resp.Status)
	case code == http.StatusTooManyRequests:
		f.kind, f.retry = abi.ErrUnavailable, true
	case code >= 500 || code == http.StatusRequestTimeout:
		f = &fault{text: text, kind: abi.ErrUnavailable, retry: true, countsAgainst: true, after: f.after}
	case code == http.StatusUnauthorized || code == http.StatusForbidden || code == http.StatusNotFound:
		f.countsAgainst = true // any other request would fail too
	}
	return f
}

// retryAfter parses a Retry-After header: seconds or a date.
func retryAfter(s string) time.Duration {
	var d time.Duration
	if n, err := strconv.ParseUint(s, 10, 31); err == nil {
		d = time.Duration(n) * time.Second
	} else if at, err := http.ParseTime(s); err == nil {
		d = time.Until(at)
	}
	return min(max(d, 0), maxRetryAfter)
}

// decode decodes a whole reply, or returns the fault of a reply that is not as expected.
func decode(contentType string, b []byte, reply any) error {
	if t, _, err := mime.ParseMediaType(contentType); contentType != "" && (err != nil || t != "application/json" && !strings.HasSuffix(t, "+json")) {
		return protocolFault("the answer is %s, want application/json", contentType)
	}
	switch {
	case len(b) > maxReply:
		return protocolFault("the answer is over %d bytes", maxReply)
	case !utf8.Valid(b):
		return protocolFault("the answer is not UTF-8")
	}
	err := json.Unmarshal(b, reply)
	var syntax *json.SyntaxError
	var other *json.UnmarshalTypeError
	switch {
	case errors.As(err, &other) && other.Field != "":
		return protocolFault("the answer does not follow its protocol: %s is of type %s", strings.ToLower(other.Field), other.Value)
	case errors.As(err, &other):
		return protocolFault("the answer is of type %s, want a JSON object", other.Value)
	case errors.As(err, &syntax) && syntax.Offset >= int64(len(b)):
		return connectionFault("the answer breaks off after %d bytes", len(b))
	case err != nil:
		return protocolFault("the answer does not follow its protocol: %v", err)
	}
	return nil
}
