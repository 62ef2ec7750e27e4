package stream

import (
	"context"
	"net/http"
	"time"
)

const (
	keepAliveEvery = 25 * time.Second // sends a comment when idle
	writeTimeout   = 30 * time.Second // for a client that does not read
)

// eventStream writes frames as server-sent events. It is not safe for concurrent use.
type eventStream struct {
	w  http.ResponseWriter
	rc *http.ResponseController
}

// openEvents sends the header of the response.
func openEvents(w http.ResponseWriter) *eventStream {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no") // for proxies that would collect events
	w.WriteHeader(http.StatusOK)
	e := &eventStream{w: w, rc: http.NewResponseController(w)}
	_ = e.rc.Flush()
	return e
}

// ServeQueue writes the frames of a queue as the response to r, until the queue is closed or
// the client ends it.
func ServeQueue(w http.ResponseWriter, r *http.Request, q *Queue) {
	openEvents(w).pump(r.Context(), q)
	q.Close()
}

// pump writes the frames of a queue until it is closed and empty, the client
// disconnects or ctx ends. It returns the frames that were not sent.
func (e *eventStream) pump(ctx context.Context, q *Queue) (unsent [][]byte) {
	idle := time.NewTicker(keepAliveEvery)
	defer idle.Stop()
	for {
		frames, open := q.take()
		if unsent, err := e.writeFrames(frames); err != nil {
			return unsent
		}
		if !open {
			return nil
		}
		select {
		case <-q.wake:
		case <-idle.C:
			if e.write([]byte(": keep-alive\n\n")) != nil {
				return nil
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// writeFrames writes each frame as one event and returns those that were not sent.
func (e *eventStream) writeFrames(frames [][]byte) (unsent [][]byte, err error) {
	for i, frame := range frames {
		if err := e.write([]byte("event: message\ndata: "), frame, []byte("\n\n")); err != nil {
			return frames[i:], err
		}
	}
	return nil, nil
}

func (e *eventStream) write(pieces ...[]byte) error {
	_ = e.rc.SetWriteDeadline(time.Now().Add(writeTimeout)) // not every server supports it
	for _, b := range pieces {
		if _, err := e.w.Write(b); err != nil {
			return err
		}
	}
	if err := e.rc.Flush(); err != nil {
		return err
	}
	_ = e.rc.SetWriteDeadline(time.Time{})
	return nil
}
