package serve

import (
	"context"
	"crypto/subtle"
	"net"
	"net/http"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

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
