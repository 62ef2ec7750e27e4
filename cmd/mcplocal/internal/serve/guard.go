package serve

import (
	"context"
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// guard lets a TCP request through if it names us as its host, does not come
// from a foreign web page, and carries the token (if there is one). Health is
// open: it tells nothing.
//
// A page in a browser on this machine can reach the port; DNS rebinding gives it
// a name of its own. So the Host must be a loopback name with our port, and an
// Origin, which only browsers send, must be ours too.
func guard(next http.Handler, addr net.Addr, token string) http.Handler {
	_, port, _ := net.SplitHostPort(addr.String()) // a listener's address always splits
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !loopbackHost(r.Host, port):
			refuse(w, http.StatusForbidden, "host not allowed")
		case !ownOrigin(r.Header["Origin"], port):
			refuse(w, http.StatusForbidden, "origin not allowed")
		case token != "" && r.URL.Path != "/healthz" && !hasToken(r, token):
			w.Header().Set("WWW-Authenticate", `Bearer realm="mcplocal"`)
			refuse(w, http.StatusUnauthorized, "bearer token missing or wrong: it is in the file token of the home")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(`{"error":{"code":"E_DENIED","message":"` + text + `"}}` + "\n")) // the client may be gone
}

func loopbackHost(hostport, port string) bool {
	name, p, err := net.SplitHostPort(hostport)
	if err != nil {
		return false
	}
	return p == port && loopbackName(name)
}

func loopbackName(name string) bool {
	ip := net.ParseIP(name)
	return strings.EqualFold(name, "localhost") || ip != nil && ip.IsLoopback()
}

// ownOrigin: no Origin is no browser; several are nobody we know.
func ownOrigin(origins []string, port string) bool {
	if len(origins) == 0 {
		return true
	}
	u, err := url.Parse(origins[0])
	return err == nil && len(origins) == 1 && u.Scheme == "http" && u.Port() == port && loopbackName(u.Hostname())
}

func hasToken(r *http.Request, token string) bool {
	got, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return ok && subtle.ConstantTimeCompare([]byte(got), []byte(token)) == 1
}

type peerKey struct{}

// withPeer notes the user on the far side of a unix connection.
func withPeer(ctx context.Context, c net.Conn) context.Context {
	uc, ok := c.(*net.UnixConn)
	if !ok {
		return ctx
	}
	raw, err := uc.SyscallConn()
	if err != nil {
		return ctx
	}
	uid := -1
	_ = raw.Control(func(fd uintptr) { // a closed connection leaves -1, which nobody is
		if cred, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
			uid = int(cred.Uid)
		}
	})
	return context.WithValue(ctx, peerKey{}, uid)
}

// sameUser refuses other users on the unix socket, should its mode ever fail to.
func sameUser(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if uid, ok := r.Context().Value(peerKey{}).(int); !ok || uid != os.Getuid() {
			refuse(w, http.StatusForbidden, "the socket is for its owner alone")
			return
		}
		next.ServeHTTP(w, r)
	})
}
