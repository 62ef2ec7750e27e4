package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/internal/ui"
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
					if got.Code == http.StatusUnauthorized && !json.Valid(got.Body.Bytes()) {
						t.Errorf("%s: the error is not valid JSON: %s", path, got.Body)
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

// The files of the page need no token. Each of its requests needs a page token, a Host of
// this machine (DNS rebinding) and the page's own origin.
func TestPageNeedsItsOwnHostAndOrigin(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle("GET /ui/", ui.Handler())
	mux.Handle("/", answering)
	socket, tcp := newHandlers(mux, token)
	auth := "Bearer " + exchangeTicket(t, socket, tcp)
	for _, c := range []struct {
		name, method, path, host, origin, auth string
		want                                   int
	}{
		{"file", "GET", "/ui/", "127.0.0.1:3200", "-", "-", http.StatusOK},
		{"file of the page itself", "GET", "/ui/app.js", "localhost:3200", "http://localhost:3200", "-", http.StatusOK},
		{"file, rebound name", "GET", "/ui/", "evil.example:3200", "-", "-", http.StatusForbidden},
		{"file, another address", "GET", "/ui/", "192.168.0.1:3200", "-", "-", http.StatusForbidden},
		{"file for another port", "GET", "/ui/app.js", "127.0.0.1:3200", "http://127.0.0.1:8080", "-", http.StatusForbidden},
		{"file, POST", "POST", "/ui/", "127.0.0.1:3200", "-", "-", http.StatusUnauthorized},
		{"data", "GET", "/api/v1/events", "127.0.0.1:3200", "http://127.0.0.1:3200", auth, http.StatusTeapot},
		{"data without a page token", "GET", "/api/v1/events", "127.0.0.1:3200", "http://127.0.0.1:3200", "-", http.StatusUnauthorized},
		{"data, rebound name", "GET", "/api/v1/events", "evil.example:3200", "-", auth, http.StatusForbidden},
		{"data, rebound name and its origin", "GET", "/api/v1/events", "evil.example:3200", "http://evil.example:3200", auth, http.StatusForbidden},
		{"data for another port", "GET", "/api/v1/events", "127.0.0.1:3200", "http://127.0.0.1:8080", auth, http.StatusForbidden},
		{"data for another name of the loopback", "GET", "/api/v1/events", "127.0.0.1:3200", "http://localhost:3200", auth, http.StatusForbidden},
		{"change of an object", "POST", "/api/v1/apply", "127.0.0.1:3200", "http://127.0.0.1:3200", auth, http.StatusForbidden},
		{"endpoint of a project", "POST", "/projects/home/mcp", "127.0.0.1:3200", "http://127.0.0.1:3200", auth, http.StatusForbidden},
		{"session, rebound name", "POST", "/ui/session", "evil.example:3200", "http://evil.example:3200", "-", http.StatusForbidden},
		{"ticket over TCP", "POST", "/api/v1/ui/ticket", "127.0.0.1:3200", "-", "-", http.StatusUnauthorized},
	} {
		req := httptest.NewRequest(c.method, "http://x"+c.path, nil)
		req.Host = c.host
		for name, value := range map[string]string{"Origin": c.origin, "Authorization": c.auth} {
			if value != "-" {
				req.Header.Set(name, value)
			}
		}
		w := httptest.NewRecorder()
		tcp.ServeHTTP(w, req)
		if w.Code != c.want {
			t.Errorf("%s: status %d, want %d: %.100s", c.name, w.Code, c.want, w.Body)
		}
	}
	if w := knock(socket, "localhost", "-", auth, "/api/v1/status"); w.Code != http.StatusForbidden {
		t.Errorf("the page token opens the socket: status %d", w.Code)
	}
}

// exchangeTicket mints a ticket on the socket and exchanges it over TCP.
func exchangeTicket(t *testing.T, socket, tcp http.Handler) (pageToken string) {
	t.Helper()
	w := httptest.NewRecorder()
	mint := httptest.NewRequest(http.MethodPost, "http://localhost/api/v1/ui/ticket", nil)
	socket.ServeHTTP(w, mint.WithContext(context.WithValue(t.Context(), peerKey{}, true)))
	use := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:3200/ui/session", nil)
	var ticket struct{ Ticket string }
	err := json.Unmarshal(w.Body.Bytes(), &ticket)
	use.Body = io.NopCloser(strings.NewReader(`{"ticket":"` + ticket.Ticket + `"}`))
	use.Header.Set("Content-Type", "application/json")
	use.Header.Set("Origin", "http://127.0.0.1:3200")
	w = httptest.NewRecorder()
	tcp.ServeHTTP(w, use)
	var got struct{ Token string }
	if err = errors.Join(err, json.Unmarshal(w.Body.Bytes(), &got)); err != nil || got.Token == "" {
		t.Fatalf("status %d, %v: %s", w.Code, err, w.Body)
	}
	return got.Token
}
