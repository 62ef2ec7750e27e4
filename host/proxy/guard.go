package proxy

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// Guard rejects requests that a web page could have made a browser send: those with a
// Host other than a loopback name (DNS rebinding) and those with a foreign Origin. A
// request without Origin does not come from a browser. No CORS header is ever set.
//
// The Host of requests on a unix socket is not checked.
func Guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if why := rejection(r); why != "" {
			http.Error(w, why, http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// rejection returns why a request is rejected, "" if it is not.
func rejection(r *http.Request) string {
	if !isOnSocket(r) && !isLoopback(hostName(r.Host)) {
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

func isOnSocket(r *http.Request) bool {
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return ok && addr.Network() == "unix"
}

// hostName removes the port. It returns "" for a port that is not a number, which no
// browser sends.
func hostName(host string) string {
	if name, port, err := net.SplitHostPort(host); err == nil {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil && port != "" {
			return ""
		}
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
