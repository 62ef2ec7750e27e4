package stream

import (
	"bytes"
	"slices"
	"sync"
)

// Urgency decides the fate of a frame when the client reads too slowly.
type Urgency int

const (
	Droppable Urgency = iota // dropped silently
	Once                     // queued once for any number of sends, otherwise as Required
	Required                 // rejected, with an error for the sender
	Always                   // queued; other limits bound the number of such frames
)

// Limits of the frames that wait for one slow or absent client.
const (
	MaxFrames        = 1024
	maxBytes         = 8 << 20
	maxRequiredBytes = 64 << 20
)

// Queue holds the frames for one stream of a client, so that senders do not wait for
// the client to read. It is safe for concurrent use.
type Queue struct {
	wake chan struct{} // has a value if there may be something to take

	mu     sync.Mutex
	frames [][]byte
	bytes  int
	closed bool
}

// NewQueue returns an empty Queue.
func NewQueue() *Queue { return &Queue{wake: make(chan struct{}, 1)} }

// Push adds a frame, which the caller no longer modifies. It reports false if the
// queue refuses the frame.
func (q *Queue) Push(frame []byte, u Urgency) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.closed, (u == Required || u == Once) && q.bytes+len(frame) > maxRequiredBytes:
		return false
	case u == Droppable && (len(q.frames) >= MaxFrames || q.bytes+len(frame) > maxBytes):
		return true
	case u == Once && slices.ContainsFunc(q.frames, func(f []byte) bool { return bytes.Equal(f, frame) }):
		return true
	}
	q.frames = append(q.frames, frame)
	q.bytes += len(frame)
	q.signal()
	return true
}

// take removes and returns all frames, in order, and reports whether more can follow.
func (q *Queue) take() (frames [][]byte, open bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	frames, q.frames, q.bytes = q.frames, nil, 0
	return frames, !q.closed
}

// Close makes take report the end after the remaining frames.
func (q *Queue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.signal()
}

func (q *Queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}
