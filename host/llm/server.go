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
	cfg     llmconfig.Provider
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

func newServer(cfg llmconfig.Provider, c *http.Client, environ func() ([]string, error), sign func(*http.Request), scrub func(string) string, log *slog.Logger) *server {
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
