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
	// maxReply bounds a reply: an answer of 64 KiB, escaped, and what stands around it.
	maxReply = 1 << 20
	// maxRetryAfter bounds what is believed of a Retry-After.
	maxRetryAfter = 10 * time.Minute
)

// newClient makes the client of all providers. It follows no redirect, for a key
// would go along, and reaches no link-local address: clouds keep credentials there.
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

// metadata are addresses where clouds keep credentials that are not link-local.
//
// Source: documentation of instance metadata of AWS (IPv6), Alibaba, Oracle, Azure.
var metadata = []netip.Addr{
	netip.MustParseAddr("fd00:ec2::254"),
	netip.MustParseAddr("100.100.100.200"),
	netip.MustParseAddr("192.0.0.192"),
	netip.MustParseAddr("168.63.129.16"),
}

// nat64 is how an IPv4 address is spelled where there is IPv6 alone.
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// ipv4In is the IPv4 address that an address leads to, or else the address.
func ipv4In(ip netip.Addr) netip.Addr {
	ip = ip.Unmap().WithZone("")
	if !nat64.Contains(ip) {
		return ip
	}
	b := ip.As16()
	return netip.AddrFrom4([4]byte(b[12:]))
}

// refuseLinkLocal looks at an address once its name is resolved: no name leads past it.
func refuseLinkLocal(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	if ip := ipv4In(at.Addr()); ip.IsLinkLocalUnicast() || ip.IsMulticast() || slices.Contains(metadata, ip) {
		return fmt.Errorf("%s is a link-local address, or one where clouds keep credentials, and is not asked", ip)
	}
	return nil
}

// post sends a JSON body and reads a JSON reply.
//
// Errors: *fault; that of ctx once it has ended.
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
		return unanswered(sendFault(ctx, err), sent.Load() && ctx.Err() != nil)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(io.LimitReader(resp.Body, maxReply+1))
	switch {
	case ctx.Err() != nil:
		return unanswered(context.Cause(ctx), true)
	case resp.StatusCode != http.StatusOK:
		return statusFault(resp, b)
	case err != nil:
		return broken("the answer breaks off after %d bytes: %v", len(b), err)
	}
	return decode(resp.Header.Get("Content-Type"), b, reply)
}

// unheard is the end of a request that was sent, and whose answer nobody waited for.
type unheard struct{ error }

// Unwrap gives why nobody did.
func (u unheard) Unwrap() error { return u.error }

func unanswered(err error, sent bool) error {
	if sent {
		return unheard{err}
	}
	return err
}

// sendFault is why nothing came back. The address is left out: it is known.
func sendFault(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var at *url.Error
	if errors.As(err, &at) {
		err = at.Err
	}
	return broken("%v", err)
}

// statusFault judges a reply that is none.
func statusFault(resp *http.Response, body []byte) *fault {
	text := resp.Status
	if said := strings.TrimSpace(string(body)); said != "" && resp.StatusCode >= 400 {
		text += ": " + said
	}
	f := &fault{text: text, after: retryAfter(resp.Header.Get("Retry-After"))}
	switch code := resp.StatusCode; {
	case code < 400:
		f = garbage("%s: redirects and other statuses than 200 are not followed", resp.Status)
	case code == http.StatusTooManyRequests:
		f.kind, f.retry = abi.ErrUnavailable, true
	case code >= 500 || code == http.StatusRequestTimeout:
		f = &fault{text: text, kind: abi.ErrUnavailable, retry: true, hurts: true, after: f.after}
	case code == http.StatusUnauthorized || code == http.StatusForbidden || code == http.StatusNotFound:
		f.hurts = true // no other request will fare better
	}
	return f
}

// retryAfter reads seconds or a date.
func retryAfter(s string) time.Duration {
	var d time.Duration
	if n, err := strconv.ParseUint(s, 10, 31); err == nil {
		d = time.Duration(n) * time.Second
	} else if at, err := http.ParseTime(s); err == nil {
		d = time.Until(at)
	}
	return min(max(d, 0), maxRetryAfter)
}

// decode reads a whole reply, or says what came in its place.
func decode(contentType string, b []byte, reply any) error {
	if t, _, err := mime.ParseMediaType(contentType); contentType != "" && (err != nil || t != "application/json" && !strings.HasSuffix(t, "+json")) {
		return garbage("the answer is %s, want application/json", contentType)
	}
	switch {
	case len(b) > maxReply:
		return garbage("the answer is over %d bytes", maxReply)
	case !utf8.Valid(b):
		return garbage("the answer is not UTF-8")
	}
	err := json.Unmarshal(b, reply)
	var syntax *json.SyntaxError
	var other *json.UnmarshalTypeError
	switch {
	case errors.As(err, &other) && other.Field != "":
		return garbage("the answer is not as its protocol wants it: %s is of type %s", strings.ToLower(other.Field), other.Value)
	case errors.As(err, &other):
		return garbage("the answer is of type %s, want a JSON object", other.Value)
	case errors.As(err, &syntax) && syntax.Offset >= int64(len(b)):
		return broken("the answer breaks off after %d bytes", len(b))
	case err != nil:
		return garbage("the answer is not as its protocol wants it: %v", err)
	}
	return nil
}
