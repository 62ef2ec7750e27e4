package proxy

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

// stdioGrace is how long the requests of a client that has ended its input may
// run on.
const stdioGrace = 5 * time.Second

// ServeStdio serves one client over newline frames until r ends or ctx does: the
// same Session as over HTTP, but without an id and without an idle time. What
// runs when r ends has 5 seconds to be answered.
//
// Errors: of r and w. The end of r is none. A frame that is too long or no
// message is answered, and the next one read.
func (e *Endpoint) ServeStdio(ctx context.Context, project, subject string, r io.Reader, w io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	f := &stdio{e: e, project: project, subject: subject, q: newQueue()}
	written := make(chan error, 1)
	go func() {
		err := f.write(w)
		cancel()
		written <- err
	}()
	read := make(chan error, 1)
	go func() { read <- f.read(ctx, r) }()
	var err error
	select {
	case err = <-read:
		f.finish(ctx)
	case <-ctx.Done(): // whoever owns r closes it
	}
	f.close()
	f.running.Wait()
	f.q.close()
	return errors.Join(err, <-written)
}

// finish waits for the requests that are running, for a while.
func (f *stdio) finish(ctx context.Context) {
	done := make(chan struct{})
	go func() { f.running.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
	case <-time.After(stdioGrace):
	}
}

// stdio is one client on newline frames.
type stdio struct {
	e       *Endpoint
	project string
	subject string
	q       *queue
	running sync.WaitGroup

	mu     sync.Mutex
	t      *tenancy // nil before initialize
	closed bool
}

// send implements outlet.
func (f *stdio) send(frame []byte, u urgency) bool { return f.q.push(frame, u) }

// write puts frames out until the queue is closed.
func (f *stdio) write(w io.Writer) error {
	for {
		frames, open := f.q.take()
		for _, frame := range frames {
			if _, err := w.Write(append(frame, '\n')); err != nil {
				f.q.close()
				return err
			}
		}
		if !open {
			return nil
		}
		<-f.q.wake
	}
}

func (f *stdio) read(ctx context.Context, r io.Reader) error {
	frames := jsonrpc.NewFrameReader(r, f.e.opts.MaxBody)
	for {
		frame, err := frames.Next()
		var long *jsonrpc.FrameTooLongError
		switch {
		case errors.As(err, &long):
			f.say(failure(long.ID, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "%v", long)))
			continue
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		msg, err := jsonrpc.Decode(frame, jsonrpc.Limits{FrameBytes: f.e.opts.MaxBody})
		if err != nil {
			f.say(failure(msg.ID, err))
			continue
		}
		if err := f.message(ctx, msg); err != nil {
			f.say(failure(msg.ID, err))
		}
	}
}

func (f *stdio) say(m jsonrpc.Message) { f.send(encode(m), answer) }

// message hands a message to the session. Requests run beside each other; what
// is none takes effect in the order of arrival.
func (f *stdio) message(ctx context.Context, msg jsonrpc.Message) error {
	p, err := f.e.Projects.Project(f.project)
	if err != nil {
		return err
	}
	switch t := f.tenancy(); {
	case isStateless(msg, ""):
		return unsupported(stateless)
	case msg.Method == "initialize" && msg.IsRequest():
		f.initialize(ctx, p, msg)
	case t == nil && msg.Method == "ping" && msg.IsRequest():
		f.say(jsonrpc.Message{ID: msg.ID, Result: []byte(`{}`)})
	case t == nil && msg.IsRequest():
		return jsonrpc.Errorf(codeServer, "no session: send initialize first")
	case t == nil: // nobody to tell
	case msg.IsRequest():
		f.start(func() {
			if answer, wanted := t.Handle(ctx, p, msg, f); wanted {
				f.say(answer)
			}
		})
	case msg.IsNotification():
		t.Notify(ctx, p, msg)
	default:
		t.Answered(msg)
	}
	return nil
}

// initialize opens the session; a second one takes the place of the first.
func (f *stdio) initialize(ctx context.Context, p *Project, msg jsonrpc.Message) {
	s, answer := f.e.newSession(ctx, p, f.subject, msg, f)
	if s == nil {
		f.say(answer)
		return
	}
	f.end()
	if !f.e.sessions.add(s, func() {}) {
		s.close()
		f.say(failure(msg.ID, f.e.full()))
		return
	}
	t, _ := f.e.sessions.enter(s.id) // busy as long as the client is there
	f.mu.Lock()
	f.t = t
	gone := f.closed
	f.mu.Unlock()
	if gone {
		f.end()
	}
	f.say(answer)
}

func (f *stdio) tenancy() *tenancy {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.t
}

// start runs work beside the reading of further lines.
func (f *stdio) start(work func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.closed {
		f.running.Go(work)
	}
}

// close ends the session and takes no more work.
func (f *stdio) close() {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.end()
}

// end ends the session, if there is one.
func (f *stdio) end() {
	f.mu.Lock()
	t := f.t
	f.t = nil
	f.mu.Unlock()
	if t != nil {
		f.e.sessions.remove(t)
	}
}
