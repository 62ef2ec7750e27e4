package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// daemon answers the calls of the screen as a daemon with many events.
type daemon struct {
	server *http.Server

	mu   sync.Mutex
	last uint64 // id of the newest event
	more chan struct{}
}

func serve(home string) (*daemon, error) {
	socket := filepath.Join(home, "run", "mcplocal.sock")
	if err := os.MkdirAll(filepath.Dir(socket), 0o700); err != nil {
		return nil, err
	}
	_ = os.Remove(socket) // of the size before
	l, err := net.Listen("unix", socket)
	if err != nil {
		return nil, err
	}
	d := &daemon{last: stored, more: make(chan struct{})}
	mux := http.NewServeMux()
	text := func(s string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, s) }
	}
	mux.HandleFunc("GET /healthz", text("ok"))
	mux.HandleFunc("GET /api/v1/status", text(`{"running": true}`))
	mux.HandleFunc("GET /api/v1/projects/"+project, text(`{"kind": "project", "name": "load", "manifest": {"spec": {"proxyModel": "subindex"}}}`))
	mux.HandleFunc("GET /api/v1/projects/"+project+"/hold", text(`{}`))
	mux.HandleFunc("GET /api/v1/events/{id}/{kind}", body)
	mux.HandleFunc("GET /inspect", d.inspect)
	d.server = &http.Server{Handler: mux}
	go func() { _ = d.server.Serve(l) }() // ends in Close
	return d, nil
}

// Close ends the server and all streams.
func (d *daemon) Close() { _ = d.server.Close() }

// generate adds events at a rate until stop is called.
func (d *daemon) generate(rate int) (stop func()) {
	tick, done := time.NewTicker(time.Second/time.Duration(rate)), make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				d.mu.Lock()
				d.last++
				close(d.more)
				d.more = make(chan struct{})
				d.mu.Unlock()
			}
		}
	}()
	return func() {
		tick.Stop()
		close(done)
	}
}

func (d *daemon) inspect(w http.ResponseWriter, r *http.Request) {
	for id := uint64(1); ; {
		d.mu.Lock()
		last, more := d.last, d.more
		d.mu.Unlock()
		for ; id <= last; id++ {
			if _, err := fmt.Fprintf(w, "id: %d\nevent: tool_call\ndata: %s\n\n", id, event(id)); err != nil {
				return
			}
		}
		_ = http.NewResponseController(w).Flush() // the next write reports an error
		select {
		case <-r.Context().Done():
			return
		case <-more:
		}
	}
}

// event returns an event as a daemon writes it.
func event(id uint64) string {
	return fmt.Sprintf(`{"id":%d,"type":"tool_call","time":"2026-01-02T15:04:05.123456Z","request":%d,"project":"load","session":"SESSION%d","client":"client/1.0",`+
		`"method":"tools/call","server":"server%d","source":"server%d/get_thing_%d","args":{"bytes":25,"hash":"0123456789abcdef"},"inBytes":4000,"inTokens":%d,"outBytes":1000,"outTokens":%d,`+
		`"micros":%d,"upstreamMicros":900,"changed":true,"refs":["AAAABBBBCCCCDDDD"],"shown":["EEEEFFFFGGGGHHHH"],"runs":[{"model":"subindex","type":"json-array","stages":[`+
		`{"role":"section-split","moduleHash":"e4fd437bae38bc74","outcome":"done","micros":1200,"inBytes":4000,"outBytes":1000,"inHash":"0123456789abcdef","outHash":"fedcba9876543210","cacheKey":"0011223344556677","memoryBytes":4194304,"meta":{"confidence":"certain","type":"json-array"}},`+
		`{"role":"summarize-tree","moduleHash":"e4fd437bae38bc74","outcome":"pass","micros":200,"inBytes":1000,"outBytes":1000,"inHash":"0123456789abcdef","outHash":"fedcba9876543210"}]}]}`,
		id, id, id%7, id%5, id%5, id%40, 1000+id%300, 200+id%50, 1000+id%100_000)
}

// body writes a text of 60 lines.
func body(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.Atoi(r.PathValue("id"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "event %d line %d of the %s text, with some words\\n", id, i+1, r.PathValue("kind"))
	}
	fmt.Fprintf(w, `{"event": %d, "kind": %q, "parts": [{"text": "%s"}]}`, id, r.PathValue("kind"), b.String())
}
