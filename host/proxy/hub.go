package proxy

import "sync"

// maxStreams bounds the GET streams of one session.
const maxStreams = 32

// hub is the outlet of an HTTP session: each frame goes to one of its open GET
// streams, the one opened last, or waits for the next to open. Safe for
// concurrent use.
type hub struct {
	mu      sync.Mutex
	streams []*queue
	waiting *queue // while none is open
	closed  bool
}

func newHub() *hub { return &hub{waiting: newQueue()} }

// send implements outlet.
func (h *hub) send(frame []byte, u urgency) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	for i := len(h.streams) - 1; i >= 0; i-- {
		if h.streams[i].push(frame, u) {
			return true
		}
	}
	return h.waiting.push(frame, u)
}

// listening reports whether a stream is open.
func (h *hub) listening() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.streams) > 0 && !h.closed
}

// open adds a stream, which gets what has waited. It returns nil if the session
// has ended or has too many.
func (h *hub) open() *queue {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || len(h.streams) >= maxStreams {
		return nil
	}
	q := h.waiting
	h.waiting = newQueue()
	h.streams = append(h.streams, q)
	return q
}

// leave takes a stream out that its client has left; what it was not given goes
// to the others.
func (h *hub) leave(q *queue, unsent [][]byte) {
	h.mu.Lock()
	for i, have := range h.streams {
		if have == q {
			h.streams = append(h.streams[:i], h.streams[i+1:]...)
			break
		}
	}
	h.mu.Unlock()
	q.close()
	rest, _ := q.take()
	for _, frame := range append(unsent, rest...) {
		h.send(frame, demand)
	}
}

// close ends all streams.
func (h *hub) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for _, q := range h.streams {
		q.close()
	}
}
