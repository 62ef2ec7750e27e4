package stream

import (
	"net/http"
	"slices"
	"sync"
)

// MaxStreams is the number of GET streams that one session may have open.
const MaxStreams = 32

// Hub is the Outlet of an HTTP session. It sends each frame to the most recently opened
// GET stream; while none is open, frames wait for the next one. It is safe for
// concurrent use.
type Hub struct {
	mu      sync.Mutex
	streams []*Queue
	waiting *Queue // used while no stream is open
	closed  bool
}

// NewHub returns a Hub without streams.
func NewHub() *Hub { return &Hub{waiting: NewQueue()} }

// Send implements Outlet.
func (h *Hub) Send(frame []byte, u Urgency) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	for _, q := range slices.Backward(h.streams) {
		if q.Push(frame, u) {
			return true
		}
	}
	return h.waiting.Push(frame, u)
}

// IsListening implements Outlet: it reports whether a stream is open.
func (h *Hub) IsListening() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.streams) > 0 && !h.closed
}

// Open adds a stream, which receives the waiting frames. It returns nil if the session
// has ended or has too many streams.
func (h *Hub) Open() *Queue {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || len(h.streams) >= MaxStreams {
		return nil
	}
	q := h.waiting
	h.waiting = NewQueue()
	h.streams = append(h.streams, q)
	return q
}

// Serve writes the frames of a stream that Open returned as the response to r, until
// the client or the session ends it. Frames that were not sent go to another stream.
func (h *Hub) Serve(w http.ResponseWriter, r *http.Request, q *Queue) {
	h.remove(q, openEvents(w).pump(r.Context(), q))
}

// remove removes a stream and sends its remaining frames to another one.
func (h *Hub) remove(q *Queue, unsent [][]byte) {
	h.mu.Lock()
	if i := slices.Index(h.streams, q); i >= 0 {
		h.streams = slices.Delete(h.streams, i, i+1)
	}
	h.mu.Unlock()
	q.Close()
	rest, _ := q.take()
	for _, frame := range append(unsent, rest...) {
		h.Send(frame, Required)
	}
}

// Close ends all streams.
func (h *Hub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for _, q := range h.streams {
		q.Close()
	}
}
