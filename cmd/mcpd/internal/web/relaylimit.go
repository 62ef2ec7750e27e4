package web

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// maxHops is the number of proxies that a request may have passed.
const maxHops = 16

// hop is the value of the header Via that this installation, with all its replicas, adds to
// requests to servers.
func (s *Server) hop() string {
	h := hmac.New(sha256.New, s.SessionKey)
	h.Write([]byte("via"))
	return "1.1 mcpd-" + hex.EncodeToString(h.Sum(nil)[:8])
}

// checkHops returns an error for a request that this installation has passed on before: the
// address of a server can be one of mcpd itself.
func (s *Server) checkHops(h http.Header) error {
	hops := strings.Split(strings.Join(h.Values("Via"), ","), ",")
	if len(hops) > maxHops {
		return problem.New(abi.ErrLimit, "the request has passed more than %d proxies", maxHops)
	}
	for _, one := range hops {
		if strings.TrimSpace(one) == s.hop() {
			return problem.New(abi.ErrConfig, "the address of this server leads back to this team server")
		}
	}
	return nil
}

// limitFrame removes what a request of MCP does not have: trailers, and the body of a GET or
// DELETE. A server that does not read such a body takes it for the next request on the
// connection, so that a caller could write a request into the connection of others.
func limitFrame(out *http.Request) {
	out.TransferEncoding, out.Trailer = nil, nil
	if out.Method != http.MethodPost {
		out.Body, out.ContentLength = nil, 0
	}
}

// metadataOverIPv6 is the address of the metadata service of a cloud that is not link-local.
var metadataOverIPv6 = netip.MustParseAddr("fd00:ec2::254")

// Addresses of IPv6 that contain one of IPv4 from a byte on: IPv4-compatible, NAT64, 6to4.
var embedding = map[netip.Prefix]int{
	netip.MustParsePrefix("::/96"):        12,
	netip.MustParsePrefix("64:ff9b::/96"): 12,
	netip.MustParsePrefix("2002::/16"):    2,
}

// isMetadata reports whether an address is link-local or otherwise one where clouds give the
// credentials of the machine to everyone who can connect: users who may define servers must not
// get those of mcpd.
func isMetadata(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	for prefix, at := range embedding {
		if prefix.Contains(ip) && ip != netip.IPv6Loopback() {
			b := ip.As16()
			ip = netip.AddrFrom4([4]byte(b[at : at+4]))
			break
		}
	}
	return ip.IsLinkLocalUnicast() || ip.IsMulticast() || ip == metadataOverIPv6
}

// linkLocalRefused is the reason of an error of refuseMetadata.
const linkLocalRefused = "mcpd does not connect to link-local addresses"

// refuseMetadata is the Control of a net.Dialer.
func refuseMetadata(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	if isMetadata(at.Addr()) {
		return &net.AddrError{Err: linkLocalRefused, Addr: address}
	}
	return nil
}

// relayTransport connects to servers.
type relayTransport struct{ *http.Transport }

// RoundTrip implements http.RoundTripper. It follows no redirect. The response has no trailer,
// and responses 1xx before it are dropped: they are not of MCP, and ReverseProxy would pass them
// to the caller.
func (t relayTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := t.Transport.RoundTrip(r.WithContext(untraced{r.Context()}))
	if err != nil {
		return nil, err
	}
	without := *resp // the body adds the trailer to the other one
	without.Trailer = nil
	return &without, nil
}

// untraced is a context without the trace by which ReverseProxy gets responses 1xx.
type untraced struct{ context.Context }

// Value implements context.Context.
func (untraced) Value(any) any { return nil }

// toServers is the transport of all requests to servers.
var toServers = relayTransport{&http.Transport{
	Proxy:                 http.ProxyFromEnvironment,
	DialContext:           (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second, Control: refuseMetadata}).DialContext,
	MaxIdleConnsPerHost:   32,
	IdleConnTimeout:       90 * time.Second,
	TLSHandshakeTimeout:   10 * time.Second,
	ResponseHeaderTimeout: 10 * time.Minute, // a call may take this long before it answers
	DisableCompression:    true,             // a small answer must not become a large one here
}}
