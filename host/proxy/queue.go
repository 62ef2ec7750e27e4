package proxy

import (
	"bytes"
	"slices"
	"sync"
)

// urgency says what becomes of a frame when too much waits for a client.
type urgency int

const (
	note   urgency = iota // is dropped and counted
	news                  // waits once however often it is sent (that a list has changed); else as demand
	demand                // is refused: who sends it is told
	answer                // always finds room; their number is bounded elsewhere
)

// Bounds of what waits for one slow or absent client.
const (
	queuedFrames = 1024
	queuedBytes  = 8 << 20
	demandBytes  = 64 << 20
)

// queue holds frames on their way to one stream of a client, so that nobody who
// sends has to wait for the client to read. Safe for concurrent use.
type queue struct {
	wake chan struct{} // has a value if something may be there

	mu      sync.Mutex
	frames  [][]byte
	bytes   int
	dropped int
	closed  bool
}

func newQueue() *queue { return &queue{wake: make(chan struct{}, 1)} }

// push adds a frame, which then belongs to the queue. It reports false if the
// queue takes none.
func (q *queue) push(frame []byte, u urgency) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.closed, (u == demand || u == news) && q.bytes+len(frame) > demandBytes:
		return false
	case u == note && (len(q.frames) >= queuedFrames || q.bytes+len(frame) > queuedBytes):
		q.dropped++
		return true
	case u == news && slices.ContainsFunc(q.frames, func(f []byte) bool { return bytes.Equal(f, frame) }):
		return true
	}
	q.frames = append(q.frames, frame)
	q.bytes += len(frame)
	q.signal()
	return true
}

// take returns all frames that wait, in order, and whether more can come.
func (q *queue) take() (frames [][]byte, open bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	frames, q.frames, q.bytes = q.frames, nil, 0
	return frames, !q.closed
}

// close lets take report the end once the queue is empty.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.signal()
}

func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}
