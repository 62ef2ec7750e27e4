package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
)

// Limits of a process beyond those of its guests.
const (
	grace     = 250 * time.Millisecond // to stop a guest whose time is over
	slowAfter = 50 * time.Millisecond  // a module that takes longer gives way to others, until it is idle
	pingAfter = 2500 * time.Millisecond
	pongWait  = 2 * time.Second // for a process that uses a processor and does not answer
	pongWall  = 10 * time.Second
)

// exitOverrun is the exit status of a process whose guest did not stop in time.
const exitOverrun = 4

// Process runs the guests of one module. Safe for concurrent use.
type Process struct {
	conn *conn
	cmd  *exec.Cmd
	in   io.Closer
	area *area // nil: the system has none
	log  *slog.Logger
	slow sync.Once

	strays atomic.Int64  // requests for calls that have ended
	gone   chan struct{} // closed when the process has ended and cause is set

	mu      sync.Mutex
	nextJob int
	jobs    map[int]*job
	killed  error // why it was killed
	cause   error // why it ended
	outside bool  // it was killed, but not by kill
}

// Start starts a process. command is the program and its arguments, which call Serve.
//
// Errors: abi.ErrUnavailable.
func Start(command []string, log *slog.Logger) (*Process, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = []string{} // no secret of this process
	cmd.Dir = "/"
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	var stderr Head
	cmd.Stderr = &stderr
	cmd.WaitDelay = time.Second
	contents, file := newArea()
	if file != nil {
		cmd.ExtraFiles = []*os.File{file}
		defer file.Close()
	}
	if err := cmd.Start(); err != nil {
		contents.close()
		return nil, fault.New(abi.ErrUnavailable, "the process for its guests cannot be started (%v), try again with `mcpctl reload`", err)
	}
	growPipe(in)
	growPipe(out)
	p := &Process{cmd: cmd, in: in, area: contents, log: log, gone: make(chan struct{}), jobs: make(map[int]*job)}
	p.conn = newConn(in, p.handle)
	p.conn.breach = func(why error) {
		p.log.Warn("the process of a module broke the rules and was ended", "cause", why)
		p.kill(fault.NewHost(abi.ErrGuest, "guest trapped: its process broke the rules"))
	}
	go func() {
		_ = p.conn.read(out)
		_ = cmd.Process.Kill() // it may have sent a damaged frame, or closed its output
		in.Close()
		err := cmd.Wait()
		p.mu.Lock()
		p.outside = p.killed == nil && isKilled(err)
		p.cause = p.describeEnd(err, stderr.Bytes())
		p.mu.Unlock()
		close(p.gone)
		p.area.close()
	}()
	return p, nil
}

// describeEnd returns the error for calls that the end of the process interrupted.
func (p *Process) describeEnd(err error, stderr []byte) error {
	var exit *exec.ExitError
	switch {
	case p.killed != nil:
		return p.killed
	case errors.As(err, &exit) && exit.ExitCode() == exitOverrun:
		return fault.NewHost(abi.ErrLimit, "guest did not stop %v after its time was over, so its process was ended", grace)
	case err == nil:
		return fault.NewHost(abi.ErrUnavailable, "the process of the guest was ended")
	}
	p.log.Warn("the process of a module ended", "err", err, "stderr", fault.Printable(stderr, maxErrorBytes))
	return fault.NewHost(abi.ErrGuest, "guest trapped: its process ended (%v)", err)
}

// Ended reports whether the process has ended or is ending.
func (p *Process) Ended() bool { return p.conn.ctx.Err() != nil }

// Close ends the process without waiting for its calls.
func (p *Process) Close() {
	p.kill(fault.NewHost(abi.ErrUnavailable, "the process of the guest was ended"))
}

// Wait waits until the process has ended.
func (p *Process) Wait() { <-p.gone }

func (p *Process) kill(why error) {
	p.mu.Lock()
	if p.killed == nil {
		p.killed = why
	}
	p.mu.Unlock()
	_ = p.cmd.Process.Kill() // it may have ended
}

// Load sends the description of the module, which Serve gives to its caller.
//
// Errors: as the module's start returns them; as for Run; abi.ErrUnavailable if something else
// killed the process, which is no fault of the module.
func (p *Process) Load(ctx context.Context, description []byte, limit time.Duration) error {
	w := newRequest(methodLoad, len(description))
	w.int(protocol)
	w.bool(p.area != nil)
	w.bytes(description)
	_, err := p.call(ctx, w, limit)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil && p.outside {
		return fault.NewHost(abi.ErrUnavailable, "its process was killed while it started, by the system or by hand, try again with `mcpctl reload`")
	}
	return err
}

// call sends a request and returns the answer. It ends the process if that hangs, or has no
// answer after a limit.
func (p *Process) call(ctx context.Context, w *writer, limit time.Duration) (*reader, error) {
	done := make(chan struct{})
	defer close(done)
	slow := time.AfterFunc(slowAfter, func() { p.slow.Do(p.giveWay) })
	defer slow.Stop()
	timer := time.AfterFunc(min(pingAfter, limit), func() { p.supervise(done, time.Now().Add(limit-pingAfter)) })
	defer timer.Stop()
	r, err := p.conn.call(ctx, w)
	if errors.Is(err, errLate) {
		p.kill(fault.NewHost(abi.ErrLimit, "guest did not stop %v after its call was cancelled, so its process was ended", cancelWait))
		return nil, context.Canceled
	}
	if errors.Is(err, errEnded) {
		<-p.gone
		p.mu.Lock()
		defer p.mu.Unlock()
		return nil, p.cause
	}
	return r, err
}

// supervise watches a call that takes long, until done is closed.
func (p *Process) supervise(done <-chan struct{}, deadline time.Time) {
	for {
		if time.Now().After(deadline) {
			p.kill(fault.NewHost(abi.ErrLimit, "guest did not return, so its process was ended"))
			return
		}
		if !p.isAlive(done, deadline) {
			return
		}
		select {
		case <-done:
			return
		case <-time.After(grace):
		}
	}
}

// isAlive waits for a sign of life of the process and kills it if there is none: a guest
// keeps a processor in a way that cannot be interrupted.
func (p *Process) isAlive(done <-chan struct{}, deadline time.Time) bool {
	pong, start, used := p.conn.ping(), time.Now(), ProcessorTime(p.cmd.Process.Pid)
	for {
		select {
		case <-pong:
			return true
		case <-done:
			return false
		case <-time.After(grace):
		}
		if ProcessorTime(p.cmd.Process.Pid)-used > pongWait || time.Since(start) > pongWall || time.Now().After(deadline) {
			p.kill(fault.NewHost(abi.ErrLimit, "guest's process did not answer for %v, so it was killed", time.Since(start).Round(time.Second/10)))
			return false
		}
	}
}

// String describes the process in logs.
func (p *Process) String() string { return fmt.Sprintf("process %d", p.cmd.Process.Pid) }
