package proxy

import "sync"

// Bounds of what waits for one slow or absent client. A notification over them
// is dropped and counted; an answer or a request of ours is not, their number is
// bounded elsewhere.
const (
	queuedFrames = 1024
	queuedBytes  = 8 << 20
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
// queue is closed, or full and the frame one that may be lost.
func (q *queue) push(frame []byte, mayDrop bool) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	if mayDrop && (len(q.frames) >= queuedFrames || q.bytes+len(frame) > queuedBytes) {
		q.dropped++
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
