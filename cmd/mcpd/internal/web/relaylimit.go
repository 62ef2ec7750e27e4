package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/access"
)

// maxOpenCalls is the number of requests to servers that one caller may have open. Each has two
// connections, so that a caller without a limit could take all file descriptors of the process.
const maxOpenCalls = 1000

// openCalls counts the open requests of each caller. Its zero value is empty. It is safe for
// concurrent use.
type openCalls struct {
	mu sync.Mutex
	n  map[string]int
}

// begin counts a request of a caller. The caller of begin must call end when the request has
// ended.
//
// It returns an access.WaitError if the caller has too many.
func (o *openCalls) begin(actor string, limit int) (end func(), err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.n[actor] >= limit {
		return nil, &access.WaitError{Message: fmt.Sprintf("%s has %d open requests to servers", actor, limit), After: time.Second}
	}
	if o.n == nil {
		o.n = make(map[string]int)
	}
	o.n[actor]++
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.n[actor]--; o.n[actor] == 0 {
			delete(o.n, actor)
		}
	}, nil
}

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

// metadataOverIPv6 is the address of the metadata service of a cloud that is not link-local.
var metadataOverIPv6 = netip.MustParseAddr("fd00:ec2::254")

// refuseMetadata is the Control of a net.Dialer. It refuses link-local addresses, because
// clouds give the credentials of the machine there to everyone who can connect: users who may
// define servers must not get those of mcpd.
func refuseMetadata(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	ip := at.Addr().Unmap().WithZone("")
	if ip.IsLinkLocalUnicast() || ip.IsMulticast() || ip == metadataOverIPv6 {
		return &net.AddrError{Err: "mcpd does not connect to link-local addresses", Addr: address}
	}
	return nil
}
