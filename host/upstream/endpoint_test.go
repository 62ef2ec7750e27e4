package upstream

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

func TestRedirects(t *testing.T) {
	f := serveFake(t, newFakeHTTP())
	var stolen atomic.Int64
	thief := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { stolen.Add(1) }))
	t.Cleanup(thief.Close)
	for _, tt := range []struct {
		rule, to string
		status   int
		want     string // "" if followed
	}{
		{"same host", "/mcp", http.StatusTemporaryRedirect, ""},
		{"another host", thief.URL, http.StatusTemporaryRedirect, "redirect to another host"},
		{"POST that becomes GET", "/mcp", http.StatusFound, "turns POST into GET"},
		{"loop", "/", http.StatusPermanentRedirect, "more than 5 redirects"},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/mcp" {
					f.ServeHTTP(w, r)
					return
				}
				http.Redirect(w, r, tt.to, tt.status)
			}))
			t.Cleanup(server.Close)
			c := startFake(t, Config{Name: "fake", URL: server.URL, Headers: map[string]Secret{"Authorization": NewSecret("t")}}, nil)
			err := c.Ready(t.Context())
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
	if stolen.Load() != 0 {
		t.Error("the credentials went to another host")
	}
}

func TestEndpointErrors(t *testing.T) {
	for rule, cfg := range map[string]Config{
		"neither":      {Name: "x"},
		"both":         {Name: "x", URL: "http://h", Command: []string{"c"}},
		"no scheme":    {Name: "x", URL: "localhost:1/mcp"},
		"file":         {Name: "x", URL: "file:///etc/passwd"},
		"not a URL":    {Name: "x", URL: "http://user:hunter2@h:x/"},
		"without host": {Name: "x", URL: "http:///mcp"},
	} {
		_, err := Start(t.Context(), cfg, nil)
		if !errors.Is(err, abi.ErrConfig) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: got %v, want an ErrConfig that shows no password", rule, err)
		}
	}
}

func TestLinkLocalAddressesAreRefused(t *testing.T) {
	cfg := Config{Name: "x", URL: "http://169.254.169.254/latest?token=hunter2", QueueWait: 50 * time.Millisecond}
	c := startFake(t, cfg, nil)
	err := func() error { _, err := c.Call(t.Context(), "tools/list", nil, nil); return err }()
	if err == nil || !strings.Contains(err.Error(), "link-local address 169.254.169.254 is refused") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %v", err)
	}
}

// Errors of broken connections contain no socket address and no path.
func TestConnectionErrorsNameNoSocket(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	resets := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_ = conn.(*net.TCPConn).SetLinger(0)
			_ = conn.Close()
		}
	}))
	t.Cleanup(resets.Close)
	for rule, tc := range map[string]struct {
		cfg  Config
		want string
	}{
		"port closed":  {Config{URL: gone.URL}, "cannot connect: connection refused"},
		"reset":        {Config{URL: resets.URL}, "connection broke: "},
		"no such host": {Config{URL: "http://nosuch.invalid"}, `cannot connect: look-up of host "nosuch.invalid"`},
		"no such file": {Config{Command: []string{"/nosuch/place/server"}}, "start server: no such file or directory"},
		"no such name": {Config{Command: []string{"nosuch-program"}}, "start nosuch-program: executable file not found"},
	} {
		tc.cfg.Name, tc.cfg.QueueWait = "s", 10*time.Second
		c := startFake(t, tc.cfg, nil)
		_, err := c.Call(t.Context(), "tools/list", nil, nil)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", rule, err, tc.want)
			continue
		}
		for _, internal := range []string{"127.0.0.1", "->", "/place", "\n"} {
			if strings.Contains(err.Error(), internal) {
				t.Errorf("%s: %q is in %v", rule, internal, err)
			}
		}
	}
}
