package web_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/mcpdtest"
)

// Bodies that are announced count before they are sent.
func TestBodiesAreLimited(t *testing.T) {
	s := mcpdtest.Start(t, filepath.Join(t.TempDir(), "mcpd.db"))
	s.Apply(t, team)
	announce := func(user, path string, size int) (*bufio.Reader, *net.TCPConn) {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n{", path, s.Token(t, user), size)
		return bufio.NewReader(conn), conn.(*net.TCPConn)
	}
	status := func(r *bufio.Reader, conn *net.TCPConn) int {
		if err := conn.CloseWrite(); err != nil { // otherwise the server waits a second for the rest of the body
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode
	}
	answers := make(chan int, 5)
	for range 5 { // 160 MiB, of which 128 are allowed
		r, _ := announce("nobody", "/api/v1/apply", 32<<20)
		go func() {
			if resp, err := http.ReadResponse(r, nil); err == nil { // the others end with the test
				answers <- resp.StatusCode
			}
		}()
	}
	if got := <-answers; got != http.StatusTooManyRequests {
		t.Errorf("more than 128 MiB of one caller: status %d, want 429", got)
	}
	if got := s.Do(t, s.Token(t, "viewer"), "POST", "/api/v1/apply", mcpdtest.ApplyBody(strings.Repeat("# comment\n", 20_000))); got.Status == http.StatusTooManyRequests {
		t.Errorf("another caller: %+v", got)
	}
	for path, want := range map[string]int{"/api/v1/auth/can-i": 413, "/api/v1/tokens": 413, "/api/v1/auth/login": 413, "/api/v1/apply": 413} {
		if got := status(announce("editor", path, 33<<20)); got != want {
			t.Errorf("%s with 33 MiB: status %d, want %d", path, got, want)
		}
	}
}
