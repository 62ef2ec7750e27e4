package upstream

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/host/procgroup"
)

// A process is ended in three steps: its stdin is closed, after leave its group receives
// SIGTERM, and after grace its group is killed.
const (
	leave = 250 * time.Millisecond
	grace = 2 * time.Second
	// drain limits reading of the output after the process has ended, because a process
	// outside of its group may keep the pipe open.
	drain = 500 * time.Millisecond
)

// process is a running stdio server in a process group of its own.
type process struct {
	cmd    *exec.Cmd
	stdin  *os.File
	stdout *os.File
	exited chan struct{} // closed after the process is reaped and its group has ended
	err    error         // the reason of its end; valid once exited is closed

	closing sync.Once
}

// startServer starts the command of cfg and copies its stderr to errs.
func startServer(cfg Config, errs io.Writer) (*process, error) {
	cmd := exec.Command(cfg.Command[0], cfg.Command[1:]...)
	cmd.Env = environment(runtime.GOOS, cfg.Environ, cfg.PassEnv, cfg.Env, cfg.Mark)
	cmd.Dir = cfg.Dir
	cmd.Stderr = errs
	cmd.WaitDelay = drain
	procgroup.Own(cmd)
	inRead, inWrite, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	outRead, outWrite, err := os.Pipe()
	if err != nil {
		closeAll(inRead, inWrite)
		return nil, err
	}
	cmd.Stdin, cmd.Stdout = inRead, outWrite
	err = cmd.Start()
	closeAll(inRead, outWrite) // the process has its own descriptors
	if err != nil {
		closeAll(inWrite, outRead)
		return nil, startError(cfg, err)
	}
	p := &process{cmd: cmd, stdin: inWrite, stdout: outRead, exited: make(chan struct{})}
	return p, nil
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}

// startError returns a *permanentError for a command that cannot run, and another error
// for a failure that may pass.
func startError(cfg Config, err error) error {
	permanent := errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission)
	var path *os.PathError
	var search *exec.Error
	switch { // remove the path, which a client does not need
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &search):
		err = search.Err
	}
	hint := ""
	if errors.Is(err, exec.ErrNotFound) {
		hint = ` of the daemon; to set it: mcpctl config set path "$PATH"`
	}
	// Clean the command before Base, which could cut a secret that contains a slash.
	err = fmt.Errorf("start %s: %w%s", filepath.Base(newScrubber(cfg).clean(cfg.Command[0])), err, hint)
	if permanent {
		return &permanentError{err}
	}
	return err
}

// wait reaps the process and kills the rest of its group.
func (p *process) wait() {
	err := procgroup.Reap(p.cmd)
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		p.err = fmt.Errorf("server process ended (%s)", p.cmd.ProcessState)
	default:
		p.err = fmt.Errorf("server process ended: %w", err)
	}
	_ = p.stdout.SetReadDeadline(time.Now().Add(drain))
	close(p.exited)
}

// end ends the process in the three steps above and waits for it.
func (p *process) end() {
	p.closing.Do(func() { _ = p.stdin.Close() })
	if p.hasExited(leave) {
		return
	}
	procgroup.Terminate(p.cmd)
	if p.hasExited(grace) {
		return
	}
	procgroup.Kill(p.cmd)
	<-p.exited
}

// hasExited reports whether the process ends within a time.
func (p *process) hasExited(within time.Duration) bool {
	t := time.NewTimer(within)
	defer t.Stop()
	select {
	case <-p.exited:
		return true
	case <-t.C:
		return false
	}
}
