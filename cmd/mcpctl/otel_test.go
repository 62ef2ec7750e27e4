//go:build unix

package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// collectors contains the requests that the collectors of scripts got, by script.
var collectors sync.Map

type collected struct {
	mu    sync.Mutex
	lines []string
}

func (c *collected) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lines = append(c.lines, fmt.Sprintf("%s %s %s %s %s %s\n", r.Method, r.URL.Path, r.Header.Get("Authorization"), r.Header.Get("X-Scope"), r.Header.Get("Content-Type"), body))
}

// collector NAME starts an HTTP server that records requests, and sets NAME to its port.
func collector(ts *testscript.TestScript, _ bool, args []string) {
	got := &collected{}
	server := httptest.NewServer(got)
	ts.Defer(func() { server.Close(); collectors.Delete(ts) })
	collectors.Store(ts, got)
	u, err := url.Parse(server.URL)
	ts.Check(err)
	ts.Setenv(args[0], u.Port())
}

// recorded FILE writes the requests that the collector got until now into a file.
func recorded(ts *testscript.TestScript, _ bool, args []string) {
	got, ok := collectors.Load(ts)
	if !ok {
		ts.Fatalf("no collector was started")
	}
	c := got.(*collected)
	c.mu.Lock()
	defer c.mu.Unlock()
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Join(c.lines, "")), 0o600))
}
