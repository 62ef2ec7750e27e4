package worker

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// A frame is its length without the header (4 bytes), a kind (1), a number (4), and the
// payload. Integers are little-endian. Each side numbers its requests; an answer has the
// number of its request.
const (
	headerBytes = 9
	maxFrame    = 1 << 30 // bytes
)

// Limits of the requests of a process that are in progress. Guests cannot reach them; a
// process that does is under the control of one.
const (
	maxReply        = 256 << 20 // bytes of a frame
	maxRequests     = 4096
	maxRequestBytes = 256 << 20
)

// protocol is the version of the messages. Both processes must have the same.
const protocol = 4

// kind is the kind of a frame.
type kind byte

const (
	kindRequest kind = iota // the payload begins with the method
	kindReply
	kindFailure // the payload is an error
	kindCancel  // of a request; has no answer
	kindPing
	kindPong
)

// method is the function that a request calls.
type method byte

// conn exchanges frames with the other process. It is safe for concurrent use.
type conn struct {
	out    io.Writer
	handle func(ctx context.Context, m method, r *reader) (*writer, error)

	ctx  context.Context // ends when the connection has ended
	stop context.CancelCauseFunc

	// breach is called once if the other side breaks the rules; nil: it is trusted.
	breach func(why error)

	writing sync.Mutex

	mu      sync.Mutex
	next    uint32
	calls   map[uint32]chan answer             // requests that were sent
	running map[uint32]context.CancelCauseFunc // requests that were received
	bytes   int                                // of their payloads
	pong    chan struct{}                      // closed by the next pong; nil: no ping was sent
}

type answer struct {
	payload []byte
	failed  bool
}

// newConn returns a connection. handle answers requests; its writer has the payload. The
// caller must call read.
func newConn(out io.Writer, handle func(context.Context, method, *reader) (*writer, error)) *conn {
	c := &conn{out: out, handle: handle, calls: make(map[uint32]chan answer), running: make(map[uint32]context.CancelCauseFunc)}
	c.ctx, c.stop = context.WithCancelCause(context.Background())
	return c
}

var errEnded = errors.New("the process has ended")

// read reads frames until in ends or is damaged. Then all requests fail.
func (c *conn) read(in io.Reader) error {
	ended := make(chan error, 1)
	c.readFrames(bufio.NewReaderSize(in, 64<<10), ended)
	err := <-ended
	c.stop(errEnded)
	return err
}

// readFrames reads frames. It answers a request itself, which is faster than to wake another
// goroutine for it, and starts another one that continues to read.
func (c *conn) readFrames(in *bufio.Reader, ended chan<- error) {
	for {
		k, number, payload, err := c.readFrame(in)
		if err == nil && k == kindRequest {
			var ctx context.Context
			if ctx, err = c.admit(number, payload); err == nil {
				go c.readFrames(in, ended)
				c.serve(ctx, number, payload)
				return
			}
		}
		if err != nil {
			c.fail(err)
			ended <- err
			return
		}
		c.receive(k, number, payload)
	}
}

func (c *conn) readFrame(in *bufio.Reader) (k kind, number uint32, payload []byte, err error) {
	var header [headerBytes]byte
	if _, err := io.ReadFull(in, header[:]); err != nil {
		return 0, 0, nil, io.EOF // the process has ended
	}
	n, limit := binary.LittleEndian.Uint32(header[:]), uint32(maxFrame)
	if c.breach != nil {
		limit = maxReply
	}
	if n > limit {
		return 0, 0, nil, fmt.Errorf("%w of %d bytes", errFrame, n)
	}
	const first = 1 << 20 // memory for more is allocated as it arrives
	if n <= first {
		payload = make([]byte, n)
		_, err = io.ReadFull(in, payload)
	} else {
		var b bytes.Buffer
		b.Grow(first)
		_, err = io.CopyN(&b, in, int64(n))
		payload = b.Bytes()
	}
	if err != nil {
		err = io.EOF
	}
	return kind(header[4]), binary.LittleEndian.Uint32(header[5:]), payload, err
}

// admit counts a request that was received.
func (c *conn) admit(number uint32, payload []byte) (context.Context, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.running[number]; ok || len(payload) == 0 {
		return nil, fmt.Errorf("%w: request %d", errFrame, number)
	}
	if c.bytes += len(payload); c.breach != nil && (len(c.running) >= maxRequests || c.bytes > maxRequestBytes) {
		return nil, fmt.Errorf("%w: %d requests, %d bytes in progress", errFrame, len(c.running), c.bytes)
	}
	ctx, cancel := context.WithCancelCause(c.ctx)
	c.running[number] = cancel
	return ctx, nil
}

// fail ends the connection, and the process that broke the rules.
func (c *conn) fail(err error) {
	if c.breach != nil && errors.Is(err, errFrame) {
		c.breach(err)
	}
	c.stop(errEnded)
}

func (c *conn) receive(k kind, n uint32, payload []byte) {
	switch k {
	case kindReply, kindFailure:
		c.mu.Lock()
		ch := c.calls[n]
		delete(c.calls, n)
		c.mu.Unlock()
		if ch != nil { // nobody waits for the answer to a request that was given up
			ch <- answer{payload, k == kindFailure}
		}
	case kindCancel:
		c.mu.Lock()
		cancel := c.running[n]
		c.mu.Unlock()
		if cancel != nil {
			cancel(context.Canceled)
		}
	case kindPing:
		if c.breach != nil {
			return // a process has no reason to ask
		}
		go func() { _ = c.send(kindPong, n, newWriter(0)) }() // reading goes on while the pipe is full
	case kindPong:
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.pong != nil {
			close(c.pong)
			c.pong = nil
		}
	}
}

// serve answers a request.
func (c *conn) serve(ctx context.Context, n uint32, payload []byte) {
	defer func() {
		c.mu.Lock()
		cancel := c.running[n]
		delete(c.running, n)
		c.bytes -= len(payload)
		c.mu.Unlock()
		cancel(nil)
	}()
	w, err := c.handle(ctx, method(payload[0]), &reader{b: payload[1:]})
	k := kindReply
	if err != nil {
		k, w = kindFailure, newWriter(256)
		writeError(w, err)
	} else if w == nil {
		w = newWriter(0)
	}
	_ = c.send(k, n, w) // read reports the end of the connection
}

// send writes a frame. The writer must not be used any more.
func (c *conn) send(k kind, n uint32, w *writer) error {
	defer w.release()
	binary.LittleEndian.PutUint32(w.b, uint32(len(w.b)-headerBytes))
	w.b[4] = byte(k)
	binary.LittleEndian.PutUint32(w.b[5:], n)
	c.writing.Lock()
	defer c.writing.Unlock()
	if len(w.b)-headerBytes > maxFrame {
		return fmt.Errorf("frame of %d bytes", len(w.b))
	}
	_, err := c.out.Write(w.b)
	return err
}

// newRequest returns a writer of a request with about n bytes.
func newRequest(m method, n int) *writer {
	w := newWriter(n)
	w.b = append(w.b, byte(m))
	return w
}

// cancelWait is the time in which a request has to end after it was cancelled.
const cancelWait = 3 * time.Second

var errLate = errors.New("the process did not cancel the request in time")

// call sends a request and returns the answer. After the end of ctx, with which the other
// side cancels the request, it waits for a limited time.
//
// Errors: as the other side returned it; errEnded; errLate.
func (c *conn) call(ctx context.Context, w *writer) (*reader, error) {
	ch := make(chan answer, 1)
	c.mu.Lock()
	c.next++
	n := c.next
	c.calls[n] = ch
	c.mu.Unlock()
	if err := c.send(kindRequest, n, w); err != nil { // the pipe was closed
		return nil, errEnded
	}
	done := ctx.Done()
	var late <-chan time.Time
	for {
		select {
		case a := <-ch:
			r := &reader{b: a.payload}
			if a.failed {
				return nil, readError(r)
			}
			return r, nil
		case <-done:
			done, late = nil, time.After(cancelWait)
			go func() { _ = c.send(kindCancel, n, newWriter(0)) }() // the pipe of a process that hangs may be full
		case <-late:
			return nil, errLate
		case <-c.ctx.Done():
			return nil, errEnded
		}
	}
}

// ping asks for a sign of life and returns a channel that is closed when it arrives.
func (c *conn) ping() <-chan struct{} {
	c.mu.Lock()
	pong := c.pong
	if pong == nil {
		pong = make(chan struct{})
		c.pong = pong
	}
	c.mu.Unlock()
	go func() { _ = c.send(kindPing, 0, newWriter(0)) }() // the pipe of a process that hangs may be full
	return pong
}
