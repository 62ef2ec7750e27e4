package serve

import (
	"context"
	"crypto/subtle"
	"net"
	"net/http"
	"strings"

	"github.com/mcpctl/mcpctl/host"
)

// doors are the two ways in: the unix socket for its owner alone, without a
// token; TCP for whoever has the token and is no web page.
func doors(inside http.Handler, token string) (socket, tcp http.Handler) {
	return sameUser(inside), host.Guard(withToken(withoutClientDir(inside), token))
}

// withoutClientDir removes the client's directory from requests: only a process of the
// owner on this machine, which comes by the socket, has one.
func withoutClientDir(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del(host.ClientDirHeader)
		next.ServeHTTP(w, r)
	})
}

// withToken lets requests through that carry the token; "" asks for none.
// Health is open: it tells nothing. host.Guard stands before it, so that a web
// page cannot even ask.
func withToken(next http.Handler, token string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if token != "" && r.URL.Path != "/healthz" && !hasToken(r, token) {
			w.Header().Set("WWW-Authenticate", `Bearer realm="mcplocal"`)
			refuse(w, http.StatusUnauthorized, "bearer token missing or wrong: it is in the file token of the home")
			return
		}
		next.ServeHTTP(w, r)
	})
}

func refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(`{"error":{"code":"E_DENIED","message":"` + text + `"}}` + "\n")) // the client may be gone
}

func hasToken(r *http.Request, token string) bool {
	scheme, got, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	return ok && strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare([]byte(got), []byte(token)) == 1
}

type peerKey struct{}

// withPeer records whether the process at the other end of a unix connection is of
// this user; false if that cannot be determined.
func withPeer(ctx context.Context, c net.Conn) context.Context {
	uc, ok := c.(*net.UnixConn)
	if !ok {
		return ctx
	}
	owner := false
	if raw, err := uc.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { owner = isPeerOwner(fd) }) // a closed connection leaves false
	}
	return context.WithValue(ctx, peerKey{}, owner)
}

// sameUser refuses other users on the unix socket, should its mode ever fail to.
func sameUser(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if owner, _ := r.Context().Value(peerKey{}).(bool); !owner {
			refuse(w, http.StatusForbidden, "the socket is for its owner alone")
			return
		}
		next.ServeHTTP(w, r)
	})
}
