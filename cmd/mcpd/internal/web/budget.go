package web

import (
	"context"
	"io"
	"math"
	"net/http"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/access"
)

// Limits of what callers may use at the same time.
const (
	// maxOpenCalls is the number of requests to servers of one caller. Each has two connections,
	// so that a caller without a limit could take all file descriptors of the process.
	maxOpenCalls = 1000

	// Bytes of the bodies of requests, which are held in memory.
	maxCallerBodies = 128 << 20
	maxBodies       = 512 << 20
	smallBody       = 64 << 10 // not counted
)

// Limits of snapshots and streams of changes.
const (
	// maxSnapshots is the number of snapshots of one caller that are read or sent.
	maxSnapshots = 4

	// Bytes of the objects of snapshots, which are held in memory until the client has them. A
	// larger snapshot counts as one of maxCallerSnapshot bytes.
	maxCallerSnapshot = 256 << 20
	maxSnapshotBytes  = 512 << 20

	// maxReads is the number of snapshots that are read from the database at the same time. It
	// leaves connections of the database for others.
	maxReads = 4

	// maxStreams is the number of streams of changes of one caller. A daemon has one, and the
	// daemons of all machines of a build system may have one service account.
	maxStreams = 200
)

// budget counts what callers use. Its zero value is empty. It is safe for concurrent use.
type budget struct {
	mu    sync.Mutex
	total int64
	by    map[string]int64
}

// take counts n for a caller. The caller of take must call end when it is no longer used.
//
// It returns an access.WaitError with a message if the caller, or all together, use too much.
func (b *budget) take(actor string, n, limit, total int64, message string) (end func(), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.by[actor]+n > limit || b.total+n > total {
		return nil, &access.WaitError{Message: message, After: time.Second}
	}
	if b.by == nil {
		b.by = make(map[string]int64)
	}
	b.by[actor] += n
	b.total += n
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.total -= n
		if b.by[actor] -= n; b.by[actor] == 0 {
			delete(b.by, actor)
		}
	}, nil
}

// beginCall counts a request to a server.
func (c *call) beginCall() (end func(), err error) {
	return c.calls.take(c.actor(), 1, maxOpenCalls, math.MaxInt64, c.actor()+" has 1000 open requests to servers")
}

// readSlots limits the number of snapshots that are read at the same time. Its zero value is
// ready for use.
type readSlots struct {
	once sync.Once
	free chan struct{}
}

// wait waits for a slot. The caller must call end.
func (s *readSlots) wait(ctx context.Context) (end func(), err error) {
	s.once.Do(func() { s.free = make(chan struct{}, maxReads) })
	select {
	case s.free <- struct{}{}:
		return func() { <-s.free }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// timedWriter writes the body of an answer. A client that does not read is disconnected, because
// the answer is in memory, or holds a transaction.
type timedWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

func newTimedWriter(w http.ResponseWriter) *timedWriter {
	return &timedWriter{w, http.NewResponseController(w)}
}

// answerLimit is the time of one write of an answer.
const answerLimit = time.Minute

// Write implements io.Writer.
func (t *timedWriter) Write(p []byte) (int, error) {
	_ = t.control.SetWriteDeadline(time.Now().Add(answerLimit)) // fails only in tests, which have no connection
	return t.w.Write(p)
}

// holdBody counts the body of a request of at most limit bytes.
func (c *call) holdBody(limit int64) (end func(), err error) {
	size := c.r.ContentLength
	if size < 0 || size > limit {
		size = limit
	}
	if size <= smallBody {
		return func() {}, nil
	}
	return c.bodies.take(c.actor(), size, maxCallerBodies, maxBodies, "the requests that are being received or answered have too many bytes")
}

// Limits of the time that a body takes.
const (
	publicBodyTime = 10 * time.Second // the whole
	bodyPause      = 30 * time.Second // between two parts of it
)

// timedBody is a body that must not take too long: a client that sends none of it would hold
// a connection for ever.
type timedBody struct {
	io.ReadCloser
	connection *http.ResponseController
	until      time.Time // zero: bodyPause after each part
	ended      bool
}

// timeBody limits the time that the body of a request takes. The caller calls finish at its end.
func timeBody(w http.ResponseWriter, r *http.Request, until time.Time) (finish func()) {
	if r.ContentLength == 0 {
		return func() {}
	}
	b := &timedBody{ReadCloser: r.Body, connection: http.NewResponseController(w), until: until}
	r.Body = b
	return b.finish
}

// Read implements io.Reader.
func (b *timedBody) Read(p []byte) (int, error) {
	until := b.until
	if until.IsZero() {
		until = time.Now().Add(bodyPause)
	}
	_ = b.connection.SetReadDeadline(until) // fails only in tests, which have no connection
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF { // after another error the deadline stays, for the server reads on before it answers
		b.ended = true
		_ = b.connection.SetReadDeadline(time.Time{}) // the server reads on, to notice that the client leaves
	}
	return n, err
}

// finish limits the time in which the server discards the rest of a body.
func (b *timedBody) finish() {
	if !b.ended {
		_ = b.connection.SetReadDeadline(time.Now().Add(time.Second))
	}
}
