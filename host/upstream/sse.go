package upstream

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"time"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

// dataField is what stands before the data on its line.
const dataField = "data: "

// maxHeader bounds what a server gives us to send back: session and event ids.
const maxHeader = 1024

// sseEvent is one server-sent event.
type sseEvent struct {
	data []byte // lines joined by a line feed; empty for an event that only names its id
	id   string
}

// sseReader reads a stream of server-sent events, each of a limited size.
//
// Source: HTML standard, section 9.2.6; a carriage return alone ends no line.
type sseReader struct {
	lines  *jsonrpc.FrameReader
	limit  int
	lastID string        // of the last event that had one
	retry  time.Duration // as the server asked; 0: it did not
}

func newSSEReader(r io.Reader, limit int) *sseReader {
	return &sseReader{lines: jsonrpc.NewFrameReader(r, limit+len(dataField)), limit: limit}
}

// reset makes s read another stream with the memory it has.
func (s *sseReader) reset(r io.Reader) {
	s.resume(r)
	s.lastID, s.retry = "", 0
}

// resume makes s read on, where the stream is taken up again.
func (s *sseReader) resume(r io.Reader) { s.lines.Reset(r) }

// next returns the next event that has data.
//
// Errors: *jsonrpc.FrameTooLongError for an event that was skipped, after which
// next goes on; io.EOF at the end of the stream, a half event left out.
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

// field takes in one line of an event.
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
