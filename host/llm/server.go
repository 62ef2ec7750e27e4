package llm

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/host/llm/llmconfig"
)

// Phases of a server.
const (
	phaseCold    = "cold"
	phaseWarming = "warming"
	phaseReady   = "ready"
	phaseFailed  = "failed"
)

const (
	minBackoff   = time.Second // after a failure; doubles
	maxBackoff   = time.Minute
	stableAfter  = time.Minute            // after this time in the ready phase, the wait is reset
	pollInterval = 200 * time.Millisecond // between health checks
	shutdown     = 5 * time.Second        // from the signal until it is killed
)

// server is an LLM server that is started on demand and stopped when it is idle. A
// server that already listens at the address is used and never stopped. Safe for
// concurrent use.
type server struct {
	cfg     llmconfig.Provider
	client  *http.Client
	environ func() ([]string, error)
	sign    func(*http.Request) // adds the key
	scrub   func(string) string
	log     *slog.Logger
	output  tail

	life    context.Context
	end     context.CancelFunc
	running sync.WaitGroup

	mu             sync.Mutex
	current        string
	why            string        // reason of the failure
	changed        chan struct{} // closed when the phase ends
	backoff        time.Duration // until the next start
	nextStart      time.Time
	began          time.Time // of the warming phase
	activeRequests int
	lastUsed       time.Time
	external       bool // it was started by another program
	retired        bool // to be stopped when it is not used
}

func newServer(cfg llmconfig.Provider, c *http.Client, environ func() ([]string, error), sign func(*http.Request), scrub func(string) string, log *slog.Logger) *server {
	s := &server{cfg: cfg, client: c, environ: environ, sign: sign, scrub: scrub, log: log, current: phaseCold, changed: make(chan struct{})}
	s.life, s.end = context.WithCancel(context.Background())
	return s
}

// enter starts a phase. The caller holds the lock.
func (s *server) enter(phase, why string) {
	s.current, s.why = phase, why
	close(s.changed)
	s.changed = make(chan struct{})
}

// phase returns the phase, and the reason of a failure.
func (s *server) phase() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == phaseFailed {
		return s.current + ": " + s.why
	}
	return s.current
}

func (s *server) isReady() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current == phaseReady
}

func (s *server) lastLine() string { return s.output.line() }

// fault returns the reason why the server cannot be started now, or nil.
func (s *server) fault() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refusal()
}

// refusal is fault with the lock held by the caller.
func (s *server) refusal() error {
	left := time.Until(s.nextStart)
	if s.current != phaseFailed || left <= 0 {
		return nil
	}
	return unavailable("%s, started again in %v", s.why, left.Round(100*time.Millisecond))
}

// warm starts the server if necessary and reports whether it is ready.
func (s *server) warm() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.start()
	return s.current == phaseReady
}

// start starts the warming phase. The caller holds the lock.
func (s *server) start() {
	if s.current == phaseReady || s.current == phaseWarming || s.life.Err() != nil || s.refusal() != nil {
		return
	}
	s.enter(phaseWarming, "")
	s.lastUsed = time.Now()
	s.running.Go(s.run)
}

// use waits until the server is ready and keeps it running until done is called.
//
// It returns a *fault if the server cannot be started, or the error of ctx.
func (s *server) use(ctx context.Context) (done func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.activeRequests++
	for {
		s.start()
		if s.current == phaseReady {
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
	s.activeRequests--
	if err == nil {
		err = unavailable("the server is being stopped")
	}
	return nil, err
}

func (s *server) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.activeRequests--
	s.lastUsed = time.Now()
	if s.retired && s.activeRequests == 0 {
		s.end()
	}
}

// reportLost records that a request could not be sent. A server that was not started
// here may have ended; one that was is watched.
func (s *server) reportLost() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == phaseReady && s.external {
		s.enter(phaseCold, "")
	}
}

// retire stops the server when it is no longer used.
func (s *server) retire() {
	s.mu.Lock()
	s.retired = true
	if s.activeRequests == 0 {
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
