package config

import (
	"net"
	"net/url"
	"strconv"
)

func webURL(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return "is not an address, want http://HOST:PORT"
	}
	if u.User != nil {
		return "contains a user or password: settings must not contain secrets"
	}
	return ""
}

// serverURL checks the address of the team server.
func serverURL(s string) string {
	if why := webURL(s); why != "" {
		return why
	}
	if u, _ := url.Parse(s); u.RawQuery != "" || u.Fragment != "" { // webURL has parsed it
		return "has a query or a fragment, want https://HOST:PORT"
	}
	return ""
}

// loopbackURL checks an address of the daemon, which must be reachable only from this machine.
func loopbackURL(s string) string {
	if why := webURL(s); why != "" {
		return why
	}
	u, _ := url.Parse(s) // webURL has parsed it
	ip := net.ParseIP(u.Hostname())
	switch {
	case u.Scheme != "http":
		return "is no http:// address"
	case u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()):
		return "is not on this machine: want a loopback address"
	case u.Port() == "":
		return "has no port"
	case !isPort(u.Port()):
		return "has port " + u.Port() + ", want 0 to 65535"
	case u.Path != "" && u.Path != "/":
		return "has a path: want http://HOST:PORT"
	}
	return ""
}

func isPort(s string) bool {
	_, err := strconv.ParseUint(s, 10, 16)
	return err == nil
}
