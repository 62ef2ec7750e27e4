package llm

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os/exec"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/host/object"
)

// Phases of a server.
const (
	phaseCold    = "cold"
	phaseWarming = "warming"
	phaseReady   = "ready"
	phaseFailed  = "failed"
)

const (
	restartFirst = time.Second // after a failure; doubles
	restartMost  = time.Minute
	steady       = time.Minute            // ready for so long, a failure counts as the first
	lookEvery    = 200 * time.Millisecond // whether it is ready
	shutdown     = 5 * time.Second        // from being asked to end until it is killed
)

// server is an LLM server that we start when it is needed and stop when it was
// not for a while. One that already answers at its address is used as it is, and
// never stopped. Safe for concurrent use.
type server struct {
	cfg     object.LLMProvider
	client  *http.Client
	environ func() ([]string, error)
	sign    func(*http.Request) // adds the key
	scrub   func(string) string
	log     *slog.Logger
	said    tail

	life    context.Context
	end     context.CancelFunc
	running sync.WaitGroup

	mu      sync.Mutex
	is      string
	why     string        // it failed
	changed chan struct{} // closed at the end of the phase
	wait    time.Duration // until it is started again
	until   time.Time
	began   time.Time // to be ready
	users   int
	used    time.Time
	foreign bool // it is not ours
	retired bool // to be stopped once nobody uses it
}

func newServer(cfg object.LLMProvider, c *http.Client, environ func() ([]string, error), sign func(*http.Request), scrub func(string) string, log *slog.Logger) *server {
	s := &server{cfg: cfg, client: c, environ: environ, sign: sign, scrub: scrub, log: log, is: phaseCold, changed: make(chan struct{})}
	s.life, s.end = context.WithCancel(context.Background())
	return s
}

// enter begins a phase; the caller holds the lock.
func (s *server) enter(phase, why string) {
	s.is, s.why = phase, why
	close(s.changed)
	s.changed = make(chan struct{})
}

// phase is where it is, and why if it failed.
func (s *server) phase() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.is == phaseFailed {
		return s.is + ": " + s.why
	}
	return s.is
}

func (s *server) isReady() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.is == phaseReady
}

func (s *server) lastLine() string { return s.said.line() }

// fault is why it will not be started now, nil if it may be.
func (s *server) fault() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refusal()
}

// refusal is fault for callers that hold the lock.
func (s *server) refusal() error {
	left := time.Until(s.until)
	if s.is != phaseFailed || left <= 0 {
		return nil
	}
	return unavailable("%s, started again in %v", s.why, left.Round(100*time.Millisecond))
}

// warm starts the server if need be, and reports whether it is ready.
func (s *server) warm() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.start()
	return s.is == phaseReady
}

// start begins to warm up; the caller holds the lock.
func (s *server) start() {
	if s.is == phaseReady || s.is == phaseWarming || s.life.Err() != nil || s.refusal() != nil {
		return
	}
	s.enter(phaseWarming, "")
	s.used = time.Now()
	s.running.Go(s.run)
}

// use waits until the server is ready and keeps it from being stopped until done.
//
// Errors: *fault if it cannot be started; that of ctx.
func (s *server) use(ctx context.Context) (done func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users++
	for {
		s.start()
		if s.is == phaseReady {
			return s.leave, nil
		}
		if err = s.refusal(); err != nil || s.life.Err() != nil {
			break
		}
		changed := s.changed
		s.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
		case <-s.life.Done():
		}
		s.mu.Lock()
		if err = context.Cause(ctx); err != nil {
			break
		}
	}
	s.users--
	if err == nil {
		err = unavailable("the server is being stopped")
	}
	return nil, err
}

func (s *server) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users--
	s.used = time.Now()
	if s.retired && s.users == 0 {
		s.end()
	}
}

// lost is told when a request could not be sent: a server that is not ours may be
// gone. One of ours is watched.
func (s *server) lost() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.is == phaseReady && s.foreign {
		s.enter(phaseCold, "")
	}
}

// retire stops the server once nobody uses it any more.
func (s *server) retire() {
	s.mu.Lock()
	s.retired = true
	if s.users == 0 {
		s.end()
	}
	s.mu.Unlock()
	<-s.life.Done()
	s.running.Wait()
}

// close stops the server.
func (s *server) close() {
	s.end()
	s.running.Wait()
}

// run is the life of one process, from cold to cold or failed.
func (s *server) run() {
	if s.healthy() {
		s.ready(true)
		return
	}
	env, err := s.environ()
	if err != nil {
		s.fail(err.Error())
		return
	}
	cmd := exec.Command(s.cfg.Command[0], s.cfg.Command[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr = env, &s.said, &s.said
	cmd.WaitDelay = time.Second
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		s.fail(startFault(s.cfg.Command[0], err).Error())
		return
	}
	s.log.Info("LLM server started", "provider", s.cfg.Name, "pid", cmd.Process.Pid)
	exited := make(chan struct{})
	go func() {
		_ = reap(cmd) // how it ended is in its state
		close(exited)
	}()
	why := s.attend(exited)
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

// attend watches a process until it has to end or has; why is empty if it is
// merely not needed.
func (s *server) attend(exited <-chan struct{}) (why string) {
	if why := s.awaitReady(exited); why != "" || s.life.Err() != nil {
		return why
	}
	s.ready(false)
	for {
		timer := time.NewTimer(s.idleFor())
		select {
		case <-exited:
			timer.Stop()
			return "the server has ended" + s.lastWords()
		case <-s.life.Done():
			timer.Stop()
			return ""
		case <-timer.C:
			if s.putToSleep() {
				return ""
			}
		}
	}
}

// awaitReady looks until the server answers.
func (s *server) awaitReady(exited <-chan struct{}) (why string) {
	late := time.NewTimer(time.Duration(s.cfg.ReadyTimeout))
	defer late.Stop()
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		select {
		case <-exited:
			return "the server has ended before it was ready" + s.lastWords()
		case <-late.C:
			return fmt.Sprintf("the server was not ready after %v (readyTimeout)", s.cfg.ReadyTimeout) + s.lastWords()
		case <-s.life.Done():
			return ""
		case <-look.C:
			if s.healthy() {
				return ""
			}
		}
	}
}

func (s *server) lastWords() string {
	if line := s.said.line(); line != "" {
		return ": " + s.scrub(line)
	}
	return ""
}

// healthy asks the server whether it is ready.
func (s *server) healthy() bool {
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

func (s *server) ready(foreign bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.foreign, s.began = foreign, time.Now()
	s.enter(phaseReady, "")
}

// fail begins the time until the next start.
func (s *server) fail(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.is == phaseReady && time.Since(s.began) >= steady {
		s.wait = 0
	}
	s.wait = min(max(2*s.wait, restartFirst), restartMost)
	s.until = time.Now().Add(s.wait)
	why = shorten(s.scrub(why))
	s.enter(phaseFailed, why)
	s.log.Warn("LLM server failed", "provider", s.cfg.Name, "why", why, "again", s.wait)
}

// idleFor is how long nothing may happen before it is looked whether it is idle.
func (s *server) idleFor() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.cfg.IdleStop == 0:
		return 24 * time.Hour
	case s.users > 0:
		return time.Duration(s.cfg.IdleStop)
	}
	return max(time.Duration(s.cfg.IdleStop)-time.Since(s.used), time.Millisecond)
}

// putToSleep ends the readiness of a server that nobody has used for long.
func (s *server) putToSleep() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	idle := s.cfg.IdleStop > 0 && s.users == 0 && time.Since(s.used) >= time.Duration(s.cfg.IdleStop)
	if idle {
		s.enter(phaseWarming, "") // until its process is gone: who comes now waits for the next one
	}
	return idle
}

// stop ends a process that has not ended yet: kindly at first.
func stop(cmd *exec.Cmd, exited <-chan struct{}) {
	select {
	case <-exited:
		return // its number may be another's by now
	default:
		terminateGroup(cmd.Process)
	}
	late := time.NewTimer(shutdown)
	defer late.Stop()
	select {
	case <-exited:
	case <-late.C:
		killGroup(cmd.Process)
		<-exited
	}
}
