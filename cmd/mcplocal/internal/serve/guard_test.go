package serve

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/mcpctl/mcpctl/host"
)

const token = "0123456789abcdef0123456789abcdef"

// answering is the handler after the checks. Its status shows that it was reached.
var answering = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })

// TCP accepts only valid combinations of Host, Origin and token, for all paths. The handlers
// check the content type.
func TestHostOriginAndTokenAreChecked(t *testing.T) {
	hosts := map[string]bool{"127.0.0.1:3200": true, "localhost:3200": true, "[::1]:3200": true,
		"evil.example": false, "127.0.0.1.evil.example": false, "192.168.0.1:3200": false}
	origins := map[string]bool{"-": true, "http://localhost:3200": true, "null": false, "http://evil.example": false}
	tokens := map[string]bool{"Bearer " + token: true, "-": false, "Bearer ": false, "Bearer " + token[1:]: false,
		"Bearer " + token + "0": false, "bearer " + token: true, "Basic " + token: false, token: false}
	paths := []string{"/projects/home/mcp", "/api/v1/status", "/api/v1/apply", "/inspect", "/metrics", "/healthz", "/healthz/", "//healthz", "/"}
	_, tcp := newHandlers(answering, token)
	cells, in := 0, 0
	for host, hostOK := range hosts {
		for origin, originOK := range origins {
			for auth, authOK := range tokens {
				for _, path := range paths {
					got := knock(tcp, host, origin, auth, path)
					want := http.StatusTeapot
					switch {
					case !hostOK || !originOK:
						want = http.StatusForbidden
					case !authOK && path != "/healthz":
						want = http.StatusUnauthorized
					default:
						in++
					}
					cells++
					if got.Code != want {
						t.Errorf("Host %q, Origin %q, Authorization %q, %s: status %d, want %d", host, origin, auth, path, got.Code, want)
					}
					if cors := got.Header().Get("Access-Control-Allow-Origin"); cors != "" {
						t.Errorf("Host %q, Origin %q: a CORS header %q", host, origin, cors)
					}
				}
			}
		}
	}
	t.Logf("%d cells, %d let in", cells, in)
}

func knock(door http.Handler, host, origin, auth, path string) *httptest.ResponseRecorder {
	req := httptest.NewRequest(http.MethodPost, "http://x"+path, nil)
	req.Host = host
	if origin != "-" {
		req.Header.Set("Origin", origin)
	}
	if auth != "-" {
		req.Header.Set("Authorization", auth)
	}
	w := httptest.NewRecorder()
	door.ServeHTTP(w, req)
	return w
}

// The header with the client's directory is accepted from the socket only.
func TestClientDirIsAcceptedFromSocketOnly(t *testing.T) {
	var got string
	inside := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.Header.Get(host.ClientDirHeader) })
	socket, tcp := newHandlers(inside, "")
	for _, c := range []struct {
		name string
		door http.Handler
		want string
	}{{"socket", socket, "/srv"}, {"TCP", tcp, ""}} {
		req := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:1/", nil)
		req = req.WithContext(context.WithValue(req.Context(), peerKey{}, true))
		req.Header.Set(host.ClientDirHeader, "/srv")
		if c.door.ServeHTTP(httptest.NewRecorder(), req); got != c.want {
			t.Errorf("%s: the directory %q reaches the endpoint, want %q", c.name, got, c.want)
		}
	}
}

// With --no-token, TCP accepts programs of this machine, but no web pages.
func TestWebPagesAreRejectedWithoutToken(t *testing.T) {
	_, tcp := newHandlers(answering, "")
	if got := knock(tcp, "127.0.0.1:1", "-", "-", "/api/v1/status"); got.Code != http.StatusTeapot {
		t.Errorf("a program: status %d", got.Code)
	}
	if got := knock(tcp, "127.0.0.1:1", "http://evil.example", "-", "/api/v1/status"); got.Code != http.StatusForbidden {
		t.Errorf("a web page: status %d", got.Code)
	}
}

// The unix socket accepts only its owner, without a token.
func TestSocketAcceptsOnlyItsOwner(t *testing.T) {
	socket, _ := newHandlers(answering, token)
	for _, tc := range []struct {
		name string
		ctx  context.Context
		want int
	}{
		{"the owner", context.WithValue(t.Context(), peerKey{}, true), http.StatusTeapot},
		{"another user", context.WithValue(t.Context(), peerKey{}, false), http.StatusForbidden},
		{"unknown user", t.Context(), http.StatusForbidden},
	} {
		w := httptest.NewRecorder()
		socket.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost/api/v1/status", nil).WithContext(tc.ctx))
		if w.Code != tc.want {
			t.Errorf("%s: status %d, want %d", tc.name, w.Code, tc.want)
		}
	}
}

// The kernel identifies the user at the other end of the socket.
func TestPeerOfSocket(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", file)
	if err != nil {
		t.Fatal(err)
	}
	socket, _ := newHandlers(answering, token)
	srv := &httptest.Server{Listener: l, Config: &http.Server{Handler: socket, ConnContext: withPeer}}
	srv.Start()
	defer srv.Close()
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", file)
	}}}
	resp, err := client.Get("http://localhost/")
	if err != nil || resp.StatusCode != http.StatusTeapot {
		t.Errorf("%v, %v", resp, err)
	}
}

func TestPortOwner(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := os.Stat("/proc/net/tcp"); err != nil {
		t.Skip("no /proc here")
	}
	name := filepath.Base(os.Args[0])
	want := fmt.Sprintf("%s, pid %d", name[:min(15, len(name))], os.Getpid()) // the kernel stores 15 bytes
	if got := portOwner(l.Addr().String()); got != want {
		t.Errorf("portOwner = %q, want %q", got, want)
	}
	if got := portOwner("127.0.0.1:nonsense"); got != "" {
		t.Errorf("portOwner of an invalid port = %q", got)
	}
}

func TestOnlyLoopbackAddressesAreAccepted(t *testing.T) {
	for address, ok := range map[string]bool{"127.0.0.1:0": true, "localhost:0": true, "[::1]:0": true, "127.1.2.3:1": true,
		"0.0.0.0:0": false, ":0": false, "[::]:0": false, "10.0.0.1:1": false, "example.com:1": false, "127.0.0.1": false} {
		if err := checkLoopback(&Options{Listen: address}); (err == nil) != ok {
			t.Errorf("--listen %s: %v", address, err)
		}
	}
}
