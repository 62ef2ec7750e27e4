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

// maxUnsent is how many messages may wait for a server that does not read.
const maxUnsent = 16

// stdio is a link to a process. One goroutine reads and never waits for a Peer,
// one writes, so that a call which ends early leaves no half message behind, one
// waits for the end of the process.
type stdio struct {
	*wire
	p    *process
	from int64         // bytes of standard error that earlier processes have written
	out  chan []byte   // frames to write, newline included
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
		lines.end() // no writer is left
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

// read takes in messages until the process closes its stdout.
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

// ended records why the connection is lost. The end of the process explains more than
// the end of a pipe, and its standard error explains the end of the process.
func (s *stdio) ended(err error) {
	if s.p.gone(drain) {
		err = s.p.err
		if line := FindErrorLine(s.shared.stderr.linesSince(s.from, s.shared.scrub)); line != "" {
			err = fmt.Errorf("%w; its standard error: %s", err, line)
		}
	}
	s.fail(err)
}

// errMixed: what a server prints without ending the line spoils the message behind it.
var errMixed = errors.New("other text stands before it on its line: what the server logs belongs on its standard error")

// take hands a frame on, or counts it; a bad answer ends the call it is for.
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

// finish ends the call with this id; false if there is none.
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

// likelyOwner guesses which call a message belongs to, since stdio does not say:
// the one there is. A server asks for roots of its own accord, often while the
// first list is read: such a question must outlive that call.
func (s *stdio) likelyOwner(m jsonrpc.Message) *call {
	if m.Method == rootsRequest {
		return nil
	}
	return s.calls.only()
}

// write is the only one to write to the process.
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

// exchange sends a request and hands on the call's mail until its answer comes.
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

// open empties a call's mailbox; what comes last in it may be the answer.
func (s *stdio) open(c *call) (last mail, done bool) {
	for _, it := range c.box.take() {
		if it.final() {
			return it, true
		}
		s.deliver(it.m, c)
	}
	return mail{}, false
}
