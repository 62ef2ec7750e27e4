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
	idleConns    = 32       // as many calls as one client has at once, and some
	readBuffer   = 32 << 10 // of one connection: a large answer arrives in fewer reads
)

// endpoint is where a streamable HTTP server is and what every request to it
// carries.
type endpoint struct {
	url    *url.URL
	header http.Header
	client *http.Client

	readers sync.Pool // of *sseReader
}

func newEndpoint(cfg Config) (*endpoint, error) {
	u, err := url.Parse(cfg.URL)
	if err != nil {
		return nil, errors.New("url cannot be parsed") // its error would show what is in it
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
	e.client = &http.Client{Transport: transport, CheckRedirect: sameHost}
	return e, nil
}

// newTransport keeps enough idle connections for the calls of one client, and
// asks for no compression: messages are read with a limit as they come.
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

// refuseLinkLocal keeps a name from leading to the metadata services that live
// on link-local addresses. It is asked after each resolution.
func refuseLinkLocal(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err == nil && at.Addr().Unmap().IsLinkLocalUnicast() {
		return fmt.Errorf("link-local address %s is refused", at.Addr())
	}
	return nil
}

// sameHost follows a redirect only where the request goes on unchanged, with its
// credentials, to the host they are meant for.
func sameHost(next *http.Request, via []*http.Request) error {
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
