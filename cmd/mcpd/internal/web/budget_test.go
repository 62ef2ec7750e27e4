package web

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

// A client that sends only a part of a body gets an answer, whether the body was read or not,
// and does not hold the connection.
func TestBodiesTakeLimitedTime(t *testing.T) {
	for name, read := range map[string]bool{"read": true, "not read": false} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				defer timeBody(w, r, time.Now().Add(10*time.Millisecond))()
				if read {
					if _, err := io.ReadAll(r.Body); err == nil {
						t.Error("the body was complete")
					}
				}
				w.WriteHeader(http.StatusTeapot)
			}))
			defer s.Close()
			conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
				t.Fatal(err)
			}
			fmt.Fprint(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\n{")
			r := bufio.NewReader(conn)
			resp, err := http.ReadResponse(r, nil)
			if err != nil {
				t.Fatal(err)
			}
			if resp.StatusCode != http.StatusTeapot {
				t.Errorf("status %s", resp.Status)
			}
			if _, err := r.ReadByte(); err != io.EOF {
				t.Errorf("the connection is still open: %v", err)
			}
		})
	}
}
