package demo

import (
	"net/http"
	"sync"
)

// watchStream returns a copy of over that closes opened after the first response or error of a
// GET request.
func watchStream(over *http.Client, opened chan struct{}) *http.Client {
	c := *over
	next := c.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	c.Transport = &streams{next: next, opened: sync.OnceFunc(func() { close(opened) })}
	return &c
}

// streams is a transport that calls opened after each GET request.
type streams struct {
	next   http.RoundTripper
	opened func()
}

// RoundTrip implements http.RoundTripper.
func (s *streams) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := s.next.RoundTrip(r)
	if r.Method == http.MethodGet {
		s.opened()
	}
	return resp, err
}
