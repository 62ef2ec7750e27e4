package upstream

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

func contextWithCause(t *testing.T) (context.Context, context.CancelCauseFunc) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	t.Cleanup(func() { cancel(nil) })
	return ctx, cancel
}

// fakeHTTP serves the fake over streamable HTTP, one session at a time.
type fakeHTTP struct {
	*fake
	url string
	sse bool // answers are streams
	lax bool // an unknown session is a 400, as in the TypeScript SDK's example

	// intercept may answer a request itself; it reports whether it did.
	intercept func(w http.ResponseWriter, r *http.Request, m jsonrpc.Message) bool

	lock    sync.Mutex
	session int // number of the one session; 0: none
	deleted int
	loose   chan jsonrpc.Message // sent on the GET stream
	header  http.Header          // of the last POST
	gets    int
}

func newFakeHTTP() *fakeHTTP {
	return &fakeHTTP{fake: newFake(), loose: make(chan jsonrpc.Message, 16)}
}

func serveFake(t *testing.T, f *fakeHTTP) *fakeHTTP {
	t.Helper()
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	f.url = server.URL + "/mcp"
	return f
}

func (f *fakeHTTP) config() Config { return Config{Name: "fake", URL: f.url} }

func (f *fakeHTTP) forget() {
	f.lock.Lock()
	defer f.lock.Unlock()
	f.session = -f.session
}

func (f *fakeHTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodPost:
		f.post(w, r)
	case http.MethodGet:
		f.stream(w, r)
	case http.MethodDelete:
		f.lock.Lock()
		f.deleted++
		f.lock.Unlock()
	}
}

// known reports whether the request has the id of the current session.
func (f *fakeHTTP) known(r *http.Request) bool {
	f.lock.Lock()
	defer f.lock.Unlock()
	f.header = r.Header
	return f.session > 0 && r.Header.Get("Mcp-Session-Id") == "s"+strconv.Itoa(f.session)
}

func (f *fakeHTTP) post(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	m, err := jsonrpc.DecodeUpstream(body, jsonrpc.Limits{})
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if m.Method == "initialize" {
		f.lock.Lock()
		if f.session < 0 {
			f.session = -f.session
		}
		f.session++
		w.Header().Set("Mcp-Session-Id", "s"+strconv.Itoa(f.session))
		f.lock.Unlock()
	} else if !f.known(r) {
		if f.lax {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}`)
			return
		}
		http.Error(w, "no such session", http.StatusNotFound)
		return
	}
	if f.intercept != nil && f.intercept(w, r, m) {
		return
	}
	if !m.IsRequest() {
		f.handle(m, nil)
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if f.sse {
		f.answerStream(w, r, m)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	answered := make(chan struct{})
	var once sync.Once
	go f.handle(m, func(answer jsonrpc.Message) {
		if answer.IsResponse() {
			once.Do(func() {
				_, _ = w.Write(answer.Append(nil))
				close(answered)
			})
		}
	})
	select {
	case <-answered:
	case <-r.Context().Done():
		once.Do(func() {})
	}
}

// answerStream sends what the fake sends as events, up to the answer.
func (f *fakeHTTP) answerStream(w http.ResponseWriter, r *http.Request, m jsonrpc.Message) {
	w.Header().Set("Content-Type", "text/event-stream")
	events := make(chan jsonrpc.Message)
	go f.handle(m, func(m jsonrpc.Message) {
		select {
		case events <- m:
		case <-r.Context().Done():
		}
	})
	for {
		select {
		case out := <-events:
			writeEvent(w, out)
			if out.IsResponse() {
				return
			}
		case <-r.Context().Done():
			return
		}
	}
}

func writeEvent(w http.ResponseWriter, m jsonrpc.Message) {
	_, _ = fmt.Fprintf(w, "event: message\ndata: %s\n\n", m.Append(nil))
	_ = http.NewResponseController(w).Flush()
}

// stream serves the GET stream with the messages of loose.
func (f *fakeHTTP) stream(w http.ResponseWriter, r *http.Request) {
	if !f.known(r) {
		http.Error(w, "no such session", http.StatusNotFound)
		return
	}
	f.lock.Lock()
	f.gets++
	f.lock.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(w).Flush()
	for {
		select {
		case m := <-f.loose:
			writeEvent(w, m)
		case <-r.Context().Done():
			return
		}
	}
}
