package studiomcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/server"
)

// Serve runs the server on stdio until in ends.
func Serve(ctx context.Context, o Options, in io.Reader, out io.Writer) error {
	d := &drain{in: bufio.NewReader(in), out: out, ctx: ctx, answered: make(chan struct{}, 1)}
	return server.NewStdioServer(New(o)).Listen(ctx, d, d)
}

// drainTime is how long answers are awaited after the input has ended.
const drainTime = 30 * time.Second

// drain delays the end of the input until the requests before it are answered. Otherwise
// the server would cancel them, and requests in a pipe would have no answers.
type drain struct {
	in   *bufio.Reader
	out  io.Writer
	ctx  context.Context
	rest []byte // of the line that is being read

	mu       sync.Mutex
	waiting  int           // requests without an answer
	answered chan struct{} // has a value if waiting has changed
}

func (d *drain) Read(p []byte) (int, error) {
	if len(d.rest) == 0 {
		line, err := d.in.ReadBytes('\n')
		if err != nil && len(line) == 0 {
			d.wait()
			return 0, err
		}
		if err != nil { // the last line has no end
			line = append(line, '\n')
		}
		d.rest = line
		d.count(line)
	}
	n := copy(p, d.rest)
	d.rest = d.rest[n:]
	return n, nil
}

// count counts a request; it must be called before the server can answer it.
func (d *drain) count(line []byte) {
	var m struct {
		ID     json.RawMessage
		Method string
	}
	if json.Unmarshal(line, &m) != nil || m.Method == "" || m.ID == nil || string(m.ID) == "null" {
		return
	}
	d.mu.Lock()
	d.waiting++
	d.mu.Unlock()
}

// Write passes on answers; the server sends nothing else.
func (d *drain) Write(p []byte) (int, error) {
	n, err := d.out.Write(p)
	d.mu.Lock()
	d.waiting -= bytes.Count(p, []byte{'\n'})
	d.mu.Unlock()
	select {
	case d.answered <- struct{}{}:
	default:
	}
	return n, err
}

func (d *drain) wait() {
	limit := time.NewTimer(drainTime)
	defer limit.Stop()
	for {
		d.mu.Lock()
		left := d.waiting
		d.mu.Unlock()
		if left <= 0 {
			return
		}
		select {
		case <-d.answered:
		case <-limit.C:
			return
		case <-d.ctx.Done():
			return
		}
	}
}
