package proxy

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// Guard refuses requests that a web page could have made a browser send: those
// with a Host that is not ours (DNS rebinding) and those with a foreign Origin.
// A request without Origin comes from no browser. No CORS header is ever set.
//
// Ours are the loopback names. A unix socket has no Host to be checked.
func Guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if why := forbidden(r); why != "" {
			http.Error(w, why, http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// forbidden says why a request is refused, "" if it is not.
func forbidden(r *http.Request) string {
	if !onSocket(r) && !isLoopback(hostName(r.Host)) {
		return "host not allowed"
	}
	origins := r.Header["Origin"]
	if len(origins) == 0 {
		return ""
	}
	o, err := url.Parse(origins[0])
	if len(origins) > 1 || err != nil || o.Scheme != "http" && o.Scheme != "https" || !isLoopback(o.Hostname()) {
		return "origin not allowed"
	}
	return ""
}

func onSocket(r *http.Request) bool {
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return ok && addr.Network() == "unix"
}

// hostName cuts the port off.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
}

func isLoopback(name string) bool {
	if strings.EqualFold(name, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(name)
	return err == nil && addr.IsLoopback()
}
