package serve

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/cmd/mcplocal/internal/pageaccess"
	"github.com/mcpctl/mcpctl/host"
)

// newHandlers returns the handlers of the two listeners. The unix socket accepts only its owner
// and needs no token; it also mints the tickets of the daemon's own page. TCP needs the token,
// except for that page, and rejects other web pages.
func newHandlers(inside http.Handler, token string) (socket, tcp http.Handler) {
	page := pageaccess.NewStore(time.Now)
	trusted := withoutClientDir(inside)
	return sameUser(page.WithTickets(inside)), host.Guard(page.Door(trusted, withToken(trusted, token)))
}

// withoutClientDir removes the header with the client's directory, which is trusted only
// from the unix socket.
func withoutClientDir(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del(host.ClientDirHeader)
		next.ServeHTTP(w, r)
	})
}

// withToken rejects requests without the token, except for /healthz. An empty token accepts
// all requests. host.Guard, which runs first, rejects web pages.
func withToken(next http.Handler, token string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if token != "" && r.URL.Path != "/healthz" && !hasToken(r, token) {
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(unknownLimit)) // the server still reads the body
			w.Header().Set("Connection", "close")
			w.Header().Set("WWW-Authenticate", `Bearer realm="mcplocal"`)
			refuse(w, http.StatusUnauthorized, "bearer token is missing or invalid; it is in the file \"token\" of the home directory of mcpctl")
			return
		}
		next.ServeHTTP(w, r)
	})
}

func refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	type problem struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	_ = json.NewEncoder(w).Encode(map[string]problem{"error": {"E_DENIED", text}}) // the client may be gone
}

func hasToken(r *http.Request, token string) bool {
	scheme, got, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	return ok && strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare([]byte(got), []byte(token)) == 1
}

type peerKey struct{}

// withPeer records whether the peer of a unix connection is a process of this user. It
// records false if that cannot be determined.
func withPeer(ctx context.Context, c net.Conn) context.Context {
	uc, ok := c.(*net.UnixConn)
	if !ok {
		return ctx
	}
	owner := false
	if raw, err := uc.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { owner = isPeerOwner(fd) }) // on an error, owner stays false
	}
	return context.WithValue(ctx, peerKey{}, owner)
}

// sameUser rejects other users on the unix socket, in addition to the mode of the socket.
func sameUser(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if owner, _ := r.Context().Value(peerKey{}).(bool); !owner {
			refuse(w, http.StatusForbidden, "only the owner may use the socket")
			return
		}
		next.ServeHTTP(w, r)
	})
}
