package upstream

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"time"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

// dataField is the prefix of a line with data.
const dataField = "data: "

// maxHeader bounds the session and event ids that are sent back to the server.
const maxHeader = 1024

// sseEvent is one server-sent event.
type sseEvent struct {
	data []byte // lines joined by a line feed; empty for an event that only carries an id
	id   string
}

// sseReader reads a stream of server-sent events, each of a limited size.
//
// Source: HTML standard, section 9.2.6. Unlike there, a carriage return alone does not
// end a line.
type sseReader struct {
	lines  *jsonrpc.FrameReader
	limit  int
	lastID string        // of the last event with an id
	retry  time.Duration // reconnection time that the server requested; 0 if none
}

func newSSEReader(r io.Reader, limit int) *sseReader {
	return &sseReader{lines: jsonrpc.NewFrameReader(r, limit+len(dataField)), limit: limit}
}

// reset makes s read another stream, reusing its buffers.
func (s *sseReader) reset(r io.Reader) {
	s.resume(r)
	s.lastID, s.retry = "", 0
}

// resume makes s read the continuation of its stream from r.
func (s *sseReader) resume(r io.Reader) { s.lines.Reset(r) }

// next returns the next event with a data field.
//
// Errors: *jsonrpc.FrameTooLongError for a skipped event, after which next can be called
// again; io.EOF at the end of the stream. An incomplete last event is ignored.
func (s *sseReader) next() (sseEvent, error) {
	var ev sseEvent
	var tooLong error
	for {
		line, err := s.lines.Line()
		var long *jsonrpc.FrameTooLongError
		if errors.As(err, &long) {
			long.Bytes, long.Limit = long.Bytes-int64(len(dataField)), s.limit
			tooLong = long
			continue
		}
		if err != nil {
			return sseEvent{}, err
		}
		switch {
		case len(line) > 0 && tooLong == nil:
			tooLong = s.field(&ev, line)
		case len(line) > 0:
		case tooLong != nil:
			return sseEvent{}, tooLong
		case ev.data != nil:
			ev.id = s.lastID
			return ev, nil
		}
	}
}

// field applies one line to an event.
func (s *sseReader) field(ev *sseEvent, line []byte) error {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "data":
		if ev.data == nil {
			ev.data = value
			break
		}
		if n := len(ev.data) + 1 + len(value); n > s.limit {
			return &jsonrpc.FrameTooLongError{Bytes: int64(n), Limit: s.limit}
		}
		ev.data = append(append(ev.data, '\n'), value...)
	case "id":
		if len(value) <= maxHeader && bytes.IndexByte(value, 0) < 0 {
			s.lastID = string(value)
		}
	case "retry":
		if ms, err := strconv.Atoi(string(value)); err == nil && ms >= 0 {
			s.retry = min(time.Duration(ms)*time.Millisecond, lastBackoff)
		}
	}
	return nil
}
