package llm

import (
	"context"
	"fmt"
	"net/http"
	"os/exec"
	"time"

	"github.com/mcpctl/mcpctl/host/procgroup"
)

// run starts the server and returns after its process has exited. If a server already
// answers at HealthURL, run uses it, starts nothing and returns at once.
func (s *server) run() {
	if s.isHealthy() {
		s.setReady(true)
		return
	}
	env, err := s.environ()
	if err != nil {
		s.fail(err.Error())
		return
	}
	cmd := exec.Command(s.cfg.Command[0], s.cfg.Command[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr = env, &s.output, &s.output
	cmd.WaitDelay = time.Second
	procgroup.Own(cmd)
	if err := cmd.Start(); err != nil {
		s.fail(startFault(s.cfg.Command[0], err).Error())
		return
	}
	s.log.Info("LLM server started", "provider", s.cfg.Name, "pid", cmd.Process.Pid)
	exited := make(chan struct{})
	go func() {
		_ = procgroup.Reap(cmd) // the log line below contains the exit status
		close(exited)
	}()
	why := s.watch(exited)
	stop(cmd, exited)
	s.log.Info("LLM server ended", "provider", s.cfg.Name, "state", cmd.ProcessState.String(), "why", why)
	if why == "" {
		s.mu.Lock()
		s.enter(phaseCold, "")
		s.mu.Unlock()
		return
	}
	s.fail(why)
}

// watch waits until the process exits or must be stopped, and returns the reason. The
// reason is empty if the server is idle or the host shuts down.
func (s *server) watch(exited <-chan struct{}) (why string) {
	if why := s.awaitReady(exited); why != "" || s.life.Err() != nil {
		return why
	}
	s.setReady(false)
	for {
		timer := time.NewTimer(s.idleFor())
		select {
		case <-exited:
			timer.Stop()
			return "the server exited" + s.lastOutput()
		case <-s.life.Done():
			timer.Stop()
			return ""
		case <-timer.C:
			if s.stopIfIdle() {
				return ""
			}
		}
	}
}

// awaitReady waits until the server is ready, or returns the reason of its failure. It
// also returns "" if s.life ends first.
func (s *server) awaitReady(exited <-chan struct{}) (why string) {
	timeout := time.NewTimer(time.Duration(s.cfg.ReadyTimeout))
	defer timeout.Stop()
	poll := time.NewTicker(pollInterval)
	defer poll.Stop()
	for {
		select {
		case <-exited:
			return "the server exited before it was ready" + s.lastOutput()
		case <-timeout.C:
			return fmt.Sprintf("the server was not ready after %v (readyTimeout)", s.cfg.ReadyTimeout) + s.lastOutput()
		case <-s.life.Done():
			return ""
		case <-poll.C:
			if s.isHealthy() {
				return ""
			}
		}
	}
}

func (s *server) lastOutput() string {
	if line := s.output.line(); line != "" {
		return ": " + s.scrub(line)
	}
	return ""
}

// isHealthy reports whether HealthURL answers 200 within two seconds.
func (s *server) isHealthy() bool {
	ctx, cancel := context.WithTimeout(s.life, 2*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.cfg.HealthURL, nil)
	if err != nil {
		return false
	}
	s.sign(req)
	resp, err := s.client.Do(req)
	if err != nil {
		return false
	}
	_ = resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

func (s *server) setReady(foreign bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.external, s.began = foreign, time.Now()
	s.enter(phaseReady, "")
}

// fail records a failure and sets the earliest time of the next start. The delay doubles
// with each failure; it is reset after the server was ready for a while.
func (s *server) fail(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == phaseReady && time.Since(s.began) >= stableAfter {
		s.backoff = 0
	}
	s.backoff = min(max(2*s.backoff, minBackoff), maxBackoff)
	s.nextStart = time.Now().Add(s.backoff)
	why = shorten(s.scrub(why))
	s.enter(phaseFailed, why)
	s.log.Warn("LLM server failed", "provider", s.cfg.Name, "why", why, "again", s.backoff)
}

// idleFor returns the time until the next check whether the server is idle.
func (s *server) idleFor() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.cfg.IdleStop == 0:
		return 24 * time.Hour
	case s.activeRequests > 0:
		return time.Duration(s.cfg.IdleStop)
	}
	return max(time.Duration(s.cfg.IdleStop)-time.Since(s.lastUsed), time.Millisecond)
}

// stopIfIdle ends the ready phase of a server that was not used for IdleStop.
func (s *server) stopIfIdle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	idle := s.cfg.IdleStop > 0 && s.activeRequests == 0 && time.Since(s.lastUsed) >= time.Duration(s.cfg.IdleStop)
	if idle {
		s.enter(phaseWarming, "") // until its process has ended: new requests wait for the next one
	}
	return idle
}

// stop ends a running process, with a signal first.
func stop(cmd *exec.Cmd, exited <-chan struct{}) {
	select {
	case <-exited:
		return // another process may have the same id now
	default:
		procgroup.Terminate(cmd)
	}
	late := time.NewTimer(shutdown)
	defer late.Stop()
	select {
	case <-exited:
	case <-late.C:
		procgroup.Kill(cmd)
		<-exited
	}
}
