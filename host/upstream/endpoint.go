package upstream

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"sync"
	"syscall"
	"time"
)

const (
	maxRedirects = 5
	dialTimeout  = 10 * time.Second
	idleTimeout  = 90 * time.Second
	idleConns    = 32       // more than the concurrent calls of one client
	readBuffer   = 32 << 10 // of one connection, so that a large answer needs fewer reads
)

// endpoint is the URL of a streamable HTTP server and the headers of all requests to it.
type endpoint struct {
	url    *url.URL
	header http.Header
	client *http.Client

	readers sync.Pool // of *sseReader
}

func newEndpoint(cfg Config) (*endpoint, error) {
	u, err := url.Parse(cfg.URL)
	if err != nil {
		return nil, errors.New("url cannot be parsed") // err contains the URL, which may hold a secret
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("url: want http://host/path or https://host/path")
	}
	e := &endpoint{url: u, header: make(http.Header, len(cfg.Headers)+4)}
	for name, value := range cfg.Headers {
		e.header.Set(name, value.Reveal())
	}
	transport := cfg.Transport
	if transport == nil {
		transport = newTransport()
	}
	e.client = &http.Client{Transport: transport, CheckRedirect: checkSameHost}
	return e, nil
}

// newTransport returns a transport that keeps idle connections for the calls of one
// client. It requests no compression, because messages are limited by their received size.
func newTransport() *http.Transport {
	dialer := net.Dialer{Timeout: dialTimeout, Control: refuseLinkLocal}
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         dialer.DialContext,
		TLSHandshakeTimeout: dialTimeout,
		MaxIdleConnsPerHost: idleConns,
		IdleConnTimeout:     idleTimeout,
		DisableCompression:  true,
		ReadBufferSize:      readBuffer,
		ForceAttemptHTTP2:   true,
	}
}

// refuseLinkLocal refuses link-local addresses, where the metadata services of clouds
// are. It is called after each name resolution.
func refuseLinkLocal(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err == nil && at.Addr().Unmap().IsLinkLocalUnicast() {
		return fmt.Errorf("link-local address %s is refused", at.Addr())
	}
	return nil
}

// checkSameHost allows a redirect only to the same scheme and host with the same method,
// because the request carries credentials for that host.
func checkSameHost(next *http.Request, via []*http.Request) error {
	first := via[0]
	switch {
	case len(via) > maxRedirects:
		return &permanentError{fmt.Errorf("more than %d redirects", maxRedirects)}
	case next.URL.Scheme != first.URL.Scheme || next.URL.Host != first.URL.Host:
		return &permanentError{fmt.Errorf("redirect to another host (%s://%s) is not followed", next.URL.Scheme, next.URL.Host)}
	case next.Method != first.Method:
		return &permanentError{fmt.Errorf("redirect that turns %s into %s is not followed", first.Method, next.Method)}
	}
	return nil
}
