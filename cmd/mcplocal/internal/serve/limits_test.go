package serve

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// serveOn serves h with the limits of a daemon, on at most n connections.
func serveOn(t *testing.T, h http.Handler, n int) (addr string) {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Listener = limitListener(s.Listener, n)
	s.Start()
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// send opens a connection and writes text.
func send(t *testing.T, addr, text string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestUnfinishedBody(t *testing.T) {
	const limit = 100 * time.Millisecond
	got := make(chan error, 1)
	h := withBodyLimit(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := io.Copy(io.Discard, r.Body)
		if got <- err; err == nil {
			time.Sleep(3 * limit) // an answer may take longer than a body
			if r.Context().Err() != nil {
				t.Error("the limit of the body ended the request")
			}
			fmt.Fprint(w, "done")
		}
	}), limit)
	addr := serveOn(t, h, 10)
	send(t, addr, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nshort")
	if err := <-got; err == nil {
		t.Error("an unfinished body was accepted")
	}
	c := send(t, addr, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nwhole")
	if err := <-got; err != nil {
		t.Error(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := io.ReadAll(res.Body); string(text) != "done" {
		t.Errorf("got %q", text)
	}
}

// A client without the token cannot keep a connection with a body that it never sends.
func TestUnfinishedBodyWithoutToken(t *testing.T) {
	addr := serveOn(t, withToken(http.NotFoundHandler(), "secret"), 10)
	c := send(t, addr, "POST /api HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n")
	_ = c.SetReadDeadline(time.Now().Add(unknownLimit + time.Minute))
	text, err := io.ReadAll(c)
	if err != nil || !strings.HasPrefix(string(text), "HTTP/1.1 401 ") {
		t.Errorf("got %q, %v", text, err)
	}
}

func TestLimitedListener(t *testing.T) {
	addr := serveOn(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "ok") }), 2)
	idle := []net.Conn{send(t, addr, ""), send(t, addr, "")}
	time.Sleep(50 * time.Millisecond)
	third := send(t, addr, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	_ = third.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	if text, err := io.ReadAll(third); err == nil {
		t.Errorf("a third connection was served: %q", text)
	}
	idle[0].Close()
	_ = third.SetReadDeadline(time.Now().Add(time.Minute))
	if text, err := io.ReadAll(third); err != nil || !strings.HasSuffix(string(text), "ok") {
		t.Errorf("after one was closed: %q, %v", text, err)
	}
}
