package team

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// maxEvent is the maximum size of one event in bytes. An object has at most 1 MiB, and twice
// as much in JSON with escapes.
const maxEvent = 3 << 20

// sseEvent is one event of a stream. Comments are skipped.
type sseEvent struct{ name, data string }

// events reads server-sent events.
type events struct{ r *bufio.Reader }

func newEvents(r io.Reader) events { return events{bufio.NewReaderSize(r, 32<<10)} }

// next returns the next event with data.
//
// Errors: those of the reader; abi.ErrLimit for an event over maxEvent.
func (e events) next() (sseEvent, error) {
	var ev sseEvent
	var data strings.Builder
	size := 0
	for {
		line, err := e.line(maxEvent - size)
		if err != nil {
			return sseEvent{}, err
		}
		size += len(line)
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "" && data.Len() == 0:
			ev, size = sseEvent{}, 0
		case line == "":
			ev.data = strings.TrimSuffix(data.String(), "\n")
			return ev, nil
		case name == "event":
			ev.name = value
		case name == "data":
			data.WriteString(value + "\n")
		}
	}
}

// line returns the next line without its end.
func (e events) line(limit int) (string, error) {
	var b strings.Builder
	for {
		part, err := e.r.ReadSlice('\n')
		b.Write(part)
		switch {
		case b.Len() > limit:
			return "", fmt.Errorf("%w: an event has more than %d bytes", abi.ErrLimit, maxEvent)
		case err == nil:
			return strings.TrimRight(b.String(), "\r\n"), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return "", err
		}
	}
}

// alive calls a function for each part that is read.
type alive struct {
	io.Reader
	read func()
}

func (a alive) Read(p []byte) (int, error) {
	n, err := a.Reader.Read(p)
	if n > 0 {
		a.read()
	}
	return n, err
}

// errSilent is the error of a stream without a heartbeat.
var errSilent = errors.New("no heartbeat within " + heartbeatLimit.String())

// heartbeatLimit is the time after which a stream without any byte has ended. mcpd writes a
// comment every 15 s.
const heartbeatLimit = 45 * time.Second
