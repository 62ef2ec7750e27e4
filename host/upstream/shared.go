package upstream

import (
	"context"
	"sync"
	"sync/atomic"
)

// shared is the part of a Client that its connections use.
type shared struct {
	cfg     Config
	peer    Peer
	scrub   scrubber
	counts  counters
	garbage garbage
	loose   *mailbox     // messages for peer that belong to no call
	stderr  *tail        // standard error of all processes of the server
	lastID  atomic.Int64 // of the requests to the server
	pid     atomic.Int64 // of the process that runs, else 0

	life context.Context // ends with Close

	mu     sync.Mutex // lock order: Client.mu first
	closed bool
	work   sync.WaitGroup // all goroutines
}

func newShared(cfg Config, peer Peer) *shared {
	return &shared{cfg: cfg, peer: peer, scrub: newScrubber(cfg), loose: newMailbox(cfg.FrameBytes), stderr: newTail()}
}

// spawn runs work that Close waits for. It returns false once the Client is closed.
func (s *shared) spawn(work func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.work.Go(work)
	return true
}

// refuseWork lets spawn start no more goroutines.
func (s *shared) refuseWork() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}

// noteGarbage counts and records a frame that cannot be decoded.
func (s *shared) noteGarbage(frame []byte, err error) {
	s.counts.garbage.Add(1)
	s.garbage.note(s.cfg.Log, s.cfg.Name, frame, err)
}
