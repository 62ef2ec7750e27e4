package upstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

// maxLingering bounds the streams that are still read after their answer.
const maxLingering = 4

// errStreamEnded means that a stream was closed before it carried the answer.
var errStreamEnded = errors.New("server closed the stream before it answered")

// stream reads a stream of events, the last of which is the answer. If the server closes
// the stream earlier, stream resumes it with a GET after the last event id.
func (h *httpLink) stream(ctx context.Context, c *call, resp *http.Response) (jsonrpc.Message, error) {
	body := &stream{ReadCloser: resp.Body}
	events := h.events(body)
	defer h.to.readers.Put(events)
	for {
		m, err := h.readAnswer(ctx, c, events)
		if err == nil {
			h.linger(c, body)
			return m, nil
		}
		_ = body.Close()
		var broken *brokenError
		if !errors.As(err, &broken) || events.lastID == "" {
			return jsonrpc.Message{}, err
		}
		pause(ctx, max(events.retry, firstBackoff))
		if resp, err = h.get(ctx, events.lastID); err != nil { //nolint:bodyclose // closed as body
			// The call was sent, so the error must not be one that allows to repeat it.
			return jsonrpc.Message{}, &brokenError{fmt.Errorf("stream cannot be taken up again: %v", err)}
		}
		*body = stream{ReadCloser: resp.Body}
		events.resume(body)
	}
}

// events returns a reader of a stream from the pool, or a new one.
func (h *httpLink) events(body io.Reader) *sseReader {
	if s, ok := h.to.readers.Get().(*sseReader); ok {
		s.reset(body)
		return s
	}
	return newSSEReader(body, h.shared.cfg.FrameBytes)
}

// stream is the body of a response that records whether it was read to its end.
type stream struct {
	io.ReadCloser
	ended bool
}

func (s *stream) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	s.ended = s.ended || err == io.EOF
	return n, err
}

// linger reads a stream to its end, because only then can net/http reuse the connection.
// The end usually arrives with the answer; otherwise a goroutine waits for it.
func (h *httpLink) linger(c *call, body *stream) {
	if body.ended {
		return
	}
	select {
	case h.lingering <- struct{}{}:
	default: // the server seems to keep its streams open
		_ = body.Close()
		return
	}
	c.lingers = h.shared.spawn(func() {
		defer context.AfterFunc(h.live, func() { c.cancel(nil) })()
		_, _ = body.Read(make([]byte, 1))
		_ = body.Close()
		c.cancel(nil)
		<-h.lingering
	})
}

// readAnswer reads events until the answer to c.
func (h *httpLink) readAnswer(ctx context.Context, c *call, events *sseReader) (jsonrpc.Message, error) {
	for {
		ev, err := events.next()
		var long *jsonrpc.FrameTooLongError
		switch {
		case errors.As(err, &long):
			h.shared.counts.tooLong.Add(1)
			if long.Method == "" {
				return jsonrpc.Message{}, err
			}
			continue
		case errors.Is(err, io.EOF) && ctx.Err() == nil:
			return jsonrpc.Message{}, &brokenError{errStreamEnded}
		case err != nil:
			return jsonrpc.Message{}, h.netError(ctx, err)
		}
		m, err := h.decode(ev)
		switch {
		case err != nil && m.ID == jsonrpc.NumberID(c.id):
			return jsonrpc.Message{}, fmt.Errorf("invalid answer: %w", err)
		case err != nil:
		case m.IsResponse() && isAnswerTo(m, c):
			return m, nil
		default:
			h.receive(m, c)
		}
	}
}

func (h *httpLink) decode(ev sseEvent) (jsonrpc.Message, error) {
	if len(ev.data) == 0 {
		return jsonrpc.Message{}, errEmptyEvent
	}
	m, err := jsonrpc.DecodeUpstream(ev.data, jsonrpc.Limits{FrameBytes: h.shared.cfg.FrameBytes})
	if err != nil {
		h.shared.noteGarbage(ev.data, err)
	}
	return m, err
}

// errEmptyEvent is the error of an event that only carries an id to resume the stream.
var errEmptyEvent = errors.New("event without data")

// get opens a stream of events, after the event with lastID unless that is "".
func (h *httpLink) get(ctx context.Context, lastID string) (*http.Response, error) {
	header := maps.Clone(h.header())
	header.Del("Content-Type")
	header.Set("Accept", "text/event-stream")
	if lastID != "" {
		header.Set("Last-Event-ID", lastID)
	}
	resp, err := h.do(ctx, http.MethodGet, header, nil)
	if err != nil {
		if h.shared.cfg.RequestIDHeader == "" { // otherwise calls are repeated over this link until the team server is back
			h.retireIfAway(err)
		}
		return nil, err
	}
	switch {
	case resp.StatusCode == http.StatusNotFound && h.sessionID() != "":
		h.retire(errSessionLost)
		err = errSessionLost
	case h.shared.cfg.RequestIDHeader != "" && isAwayStatus(resp.StatusCode):
		err = &awayError{err: fmt.Errorf("HTTP status %d", resp.StatusCode)}
	case resp.StatusCode/100 != 2, !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream"):
		err = errNoStream
	default:
		return resp, nil
	}
	_ = resp.Body.Close()
	return nil, err
}

// errNoStream means that the server offers no GET stream, which is optional.
var errNoStream = errors.New("server offers no stream")

// listen reads the stream of messages that belong to no call, and opens it again when it
// breaks. It returns if the server offers none.
func (h *httpLink) listen() {
	var lastID string
	for failures := 0; h.live.Err() == nil; {
		resp, err := h.get(h.live, lastID)
		if errors.Is(err, errNoStream) || errors.Is(err, errSessionLost) {
			return
		}
		failures++
		wait := backoff(failures)
		if err == nil {
			events := newSSEReader(resp.Body, h.shared.cfg.FrameBytes)
			began := time.Now()
			h.readLoose(events)
			_ = resp.Body.Close()
			if events.lastID != "" {
				lastID = events.lastID
			}
			wait = max(wait, events.retry)
			if time.Since(began) >= steady {
				failures = 0
			}
		}
		select {
		case <-h.lost:
			return
		default:
			pause(h.live, wait)
		}
	}
}

// readLoose receives events until the stream ends.
func (h *httpLink) readLoose(events *sseReader) {
	for {
		ev, err := events.next()
		if errors.Is(err, jsonrpc.ErrFrameTooLong) {
			h.shared.counts.tooLong.Add(1)
			continue
		}
		if err != nil {
			return
		}
		if m, err := h.decode(ev); err == nil {
			h.receive(m, nil)
		}
	}
}
