package upstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

// maxUnsent bounds the messages that wait for a server that does not read.
const maxUnsent = 16

// stdio is a link to a process. It has three goroutines: one reads and never waits for a
// Peer; one writes, so that a call that ends early leaves no partial message; one waits
// for the end of the process.
type stdio struct {
	*wire
	p    *process
	from int64         // bytes of standard error that earlier processes have written
	out  chan []byte   // frames to write, including the newline
	quit chan struct{} // closed by close
	once sync.Once
	work sync.WaitGroup
}

// startProcess starts the server and the goroutines of its link.
func startProcess(sh *shared) (link, error) {
	lines := &journalWriter{to: sh.cfg.Journal, scrub: sh.scrub}
	from := sh.stderr.written()
	p, err := startServer(sh.cfg, io.MultiWriter(sh.stderr, lines))
	if err != nil {
		return nil, err
	}
	s := &stdio{p: p, from: from, out: make(chan []byte, maxUnsent), quit: make(chan struct{})}
	s.wire = newWire(sh, s.send)
	s.boxed = true
	if has(sh.cfg.Capabilities, "/roots") {
		s.roots = &rootsWait{done: make(chan struct{})}
	}
	sh.pid.Store(int64(p.cmd.Process.Pid))
	s.work.Go(func() {
		p.wait()
		lines.end() // the process and its pipe writer have ended
	})
	s.work.Go(s.write)
	s.work.Go(s.read)
	return s, nil
}

func (s *stdio) wired() *wire { return s.wire }

func (s *stdio) opened(string) {}

// close ends the process and waits for the three goroutines.
func (s *stdio) close() {
	s.once.Do(func() { close(s.quit) })
	s.p.end()
	s.work.Wait()
	_ = s.p.stdout.Close()
	s.shared.pid.Store(0)
}

// read receives messages until the process closes its stdout.
func (s *stdio) read() {
	frames := jsonrpc.NewFrameReader(s.p.stdout, s.shared.cfg.FrameBytes)
	for {
		frame, err := frames.Next()
		var long *jsonrpc.FrameTooLongError
		switch {
		case err == nil:
			s.take(frame)
		case errors.As(err, &long):
			s.skipped(long)
		default:
			s.ended(fmt.Errorf("server closed its stdout: %w", err))
			return
		}
	}
}

// ended marks the link as lost. If the process has ended, the reason is its exit status
// and the error line of its standard error, which explain more than the end of a pipe.
func (s *stdio) ended(err error) {
	if s.p.hasExited(drain) {
		err = s.p.err
		if line := FindErrorLine(s.shared.stderr.linesSince(s.from, s.shared.scrub)); line != "" {
			err = fmt.Errorf("%w; its standard error: %s", err, line)
		}
	}
	s.fail(err)
}

// errMixed is the error of an answer after other text on the same line.
var errMixed = errors.New("other text precedes it on its line: what the server logs belongs on its standard error")

// take decodes a frame and passes it on. An invalid frame is counted; if it is an answer,
// it ends its call.
func (s *stdio) take(frame []byte) {
	m, err := jsonrpc.DecodeUpstream(frame, jsonrpc.Limits{FrameBytes: s.shared.cfg.FrameBytes})
	switch {
	case err != nil:
		s.shared.noteGarbage(frame, err)
		if first := bytes.TrimLeft(frame, " \t\r"); len(first) > 0 && first[0] != '{' && first[0] != '[' {
			err = errMixed
		}
		s.finish(m.ID, mail{err: fmt.Errorf("invalid answer: %w", err)})
	case m.IsResponse():
		if !s.finish(m.ID, mail{m: m}) {
			s.stray(m.ID)
		}
	default:
		s.receive(m, s.likelyOwner(m))
	}
}

func (s *stdio) skipped(long *jsonrpc.FrameTooLongError) {
	s.shared.counts.tooLong.Add(1)
	if long.Method == "" {
		s.finish(long.ID, mail{err: long})
	}
}

// finish ends the call with this id. It returns false if there is none.
func (s *stdio) finish(id jsonrpc.ID, it mail) bool {
	n, ok := id.Int64()
	if !ok {
		return false
	}
	c := s.calls.take(n)
	if c == nil {
		return false
	}
	c.box.put(it)
	return true
}

// likelyOwner guesses the call that a message belongs to, because stdio does not carry
// it: the only pending call. A request for roots has no owner: a server often sends it
// during the first list, and it must outlive that call. A client without a session can only
// be asked in an answer: it gets the message with its latest call that waits for no input.
func (s *stdio) likelyOwner(m jsonrpc.Message) *call {
	if s.shared.cfg.Stateless {
		return s.calls.latest()
	}
	if m.Method == rootsRequest {
		return nil
	}
	return s.calls.only()
}

// write writes all frames to the process.
func (s *stdio) write() {
	for {
		select {
		case frame := <-s.out:
			if _, err := s.p.stdin.Write(frame); err != nil {
				s.ended(fmt.Errorf("server closed its stdin: %w", err))
				return
			}
		case <-s.quit:
			return
		case <-s.p.exited:
			return
		}
	}
}

func (s *stdio) send(ctx context.Context, m jsonrpc.Message) error {
	if ctx.Err() != nil {
		return &notSentError{context.Cause(ctx)}
	}
	frame := append(jsonrpc.OneLine(m.Append(make([]byte, 0, m.Size()+1))), '\n')
	select {
	case s.out <- frame:
		return nil
	case <-s.lost:
		return &notSentError{s.cause()}
	case <-s.quit:
		return &notSentError{errClosed}
	case <-ctx.Done():
		return &notSentError{context.Cause(ctx)}
	}
}

// exchange sends a request and delivers the call's mail until the answer arrives.
func (s *stdio) exchange(ctx context.Context, c *call, m jsonrpc.Message) (jsonrpc.Message, error) {
	if err := s.send(ctx, m); err != nil {
		return jsonrpc.Message{}, err
	}
	for {
		select {
		case <-c.box.wake:
			if last, done := s.open(c); done {
				return last.m, last.err
			}
		case <-ctx.Done():
			if last, done := s.open(c); done {
				return last.m, last.err
			}
			return jsonrpc.Message{}, context.Cause(ctx)
		}
	}
}

// open delivers the mail of a call. done reports whether last is the answer.
func (s *stdio) open(c *call) (last mail, done bool) {
	for _, it := range c.box.take() {
		if it.final() {
			return it, true
		}
		s.deliver(it.m, c)
	}
	return mail{}, false
}
