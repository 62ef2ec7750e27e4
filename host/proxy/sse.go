package proxy

import (
	"context"
	"net/http"
	"time"
)

// Times of event streams.
const (
	keepAlive    = 25 * time.Second // a comment where nothing else was sent
	writeTimeout = 30 * time.Second // for a client that does not read
)

// eventStream writes frames as server-sent events. Not safe for concurrent use.
type eventStream struct {
	w  http.ResponseWriter
	rc *http.ResponseController
}

// openEvents sends the head of the answer.
func openEvents(w http.ResponseWriter) *eventStream {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	w.WriteHeader(http.StatusOK)
	e := &eventStream{w: w, rc: http.NewResponseController(w)}
	_ = e.rc.Flush()
	return e
}

// frames writes each frame as one event and returns those that were not sent.
func (e *eventStream) frames(frames [][]byte) (unsent [][]byte, err error) {
	for i, frame := range frames {
		if err := e.write([]byte("event: message\ndata: "), frame, []byte("\n\n")); err != nil {
			return frames[i:], err
		}
	}
	return nil, nil
}

func (e *eventStream) comment() error { return e.write([]byte(": keep-alive\n\n")) }

func (e *eventStream) write(pieces ...[]byte) error {
	_ = e.rc.SetWriteDeadline(time.Now().Add(writeTimeout)) // not every server can
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

// pump writes what comes through the queue until it is closed and empty, the
// client is gone or ctx ends. It returns what was not sent.
func (e *eventStream) pump(ctx context.Context, q *queue) (unsent [][]byte) {
	idle := time.NewTicker(keepAlive)
	defer idle.Stop()
	for {
		frames, open := q.take()
		if unsent, err := e.frames(frames); err != nil {
			return unsent
		}
		if !open {
			return nil
		}
		select {
		case <-q.wake:
		case <-idle.C:
			if e.comment() != nil {
				return nil
			}
		case <-ctx.Done():
			return nil
		}
	}
}
