package event

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"sync"
	"time"
)

// Options are the settings of New. The zero value works.
type Options struct {
	MaxEvents int              // default 10,000
	MaxBytes  int              // default 32 MiB, estimated
	Now       func() time.Time // default time.Now
}

// Ring stores the latest Events. It is safe for concurrent use.
type Ring struct {
	opt Options
	key [sha256.Size]byte

	mu     sync.Mutex
	slots  []*Event // by id modulo length; grows up to MaxEvents
	first  uint64   // id of the oldest stored Event
	next   uint64   // id of the next Event
	bytes  int
	waiter chan struct{} // closed by the next Add; nil without waiters
}

// New returns an empty Ring.
func New(opt Options) *Ring {
	if opt.MaxEvents <= 0 {
		opt.MaxEvents = 10_000
	}
	if opt.MaxBytes <= 0 {
		opt.MaxBytes = 32 << 20
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	r := &Ring{opt: opt, slots: make([]*Event, min(opt.MaxEvents, 256)), first: 1, next: 1}
	rand.Read(r.key[:]) // never returns an error
	return r
}

// Digest returns the digest of arguments. It is keyed with a secret of the Ring, so
// that short arguments cannot be guessed.
func (r *Ring) Digest(args []byte) *Digest {
	mac := hmac.New(sha256.New, r.key[:])
	mac.Write(args)
	return &Digest{Bytes: len(args), Hash: hex.EncodeToString(mac.Sum(nil)[:8])}
}

// Add stores an Event and returns its new ID. It evicts the oldest Events if
// necessary and never waits for readers.
//
// Texts are cut at 2 KiB; an Event over 64 KiB loses logs and metadata.
func (r *Ring) Add(e Event) uint64 {
	if e.Time.IsZero() {
		e.Time = r.opt.Now()
	}
	e.Time = e.Time.UTC()
	e.Dropped = 0
	e = e.limit()
	size := e.size()

	r.mu.Lock()
	defer r.mu.Unlock()
	for r.first < r.next && (r.next-r.first >= uint64(r.opt.MaxEvents) || r.bytes+size > r.opt.MaxBytes) {
		r.evict()
	}
	r.grow()
	e.ID = r.next
	*r.slot(r.next) = &e
	r.next++
	r.bytes += size
	if r.waiter != nil {
		close(r.waiter)
		r.waiter = nil
	}
	return e.ID
}

func (r *Ring) slot(id uint64) **Event { return &r.slots[id%uint64(len(r.slots))] }

func (r *Ring) evict() {
	s := r.slot(r.first)
	r.bytes -= (*s).size()
	*s = nil
	r.first++
}

// grow doubles the slots when all are in use.
func (r *Ring) grow() {
	if r.next-r.first < uint64(len(r.slots)) {
		return
	}
	old := r.slots
	r.slots = make([]*Event, min(2*len(old), r.opt.MaxEvents))
	for id := r.first; id < r.next; id++ {
		*r.slot(id) = old[id%uint64(len(old))]
	}
}

// Last returns the ID of the newest Event, or 0 if none was added.
func (r *Ring) Last() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.next - 1
}

// Since returns the matching Events after an ID, oldest first; 0 selects all. Dropped
// of the first one is the number of Events after id that were evicted.
//
// An ID larger than Last comes from an earlier process and counts as 0.
func (r *Ring) Since(id uint64, q Query) []Event {
	stored, dropped := r.after(id, 0)
	return newest(stored, dropped, q)
}

// newest returns up to q.Limit matching Events, oldest first.
func newest(stored []*Event, dropped uint64, q Query) (events []Event) {
	for _, e := range slices.Backward(stored) {
		if q.Limit > 0 && len(events) == q.Limit {
			break
		}
		if q.Matches(*e) {
			events = append(events, *e)
		}
	}
	slices.Reverse(events)
	if len(events) > 0 {
		events[0].Dropped = dropped
	}
	return events
}

// after returns up to limit Events after id (limit 0: all), and the number of Events
// after id that were evicted. The Events must not be modified.
func (r *Ring) after(id uint64, limit int) (stored []*Event, dropped uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if id >= r.next {
		id = 0
	}
	if id+1 < r.first {
		dropped = r.first - id - 1
		id = r.first - 1
	}
	end := r.next
	if limit > 0 {
		end = min(end, id+1+uint64(limit))
	}
	stored = make([]*Event, 0, end-id-1)
	for at := id + 1; at < end; at++ {
		stored = append(stored, *r.slot(at))
	}
	return stored, dropped
}

// Get returns one Event unless it was evicted.
func (r *Ring) Get(id uint64) (Event, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if id < r.first || id >= r.next {
		return Event{}, false
	}
	return **r.slot(id), true
}

// batch is the number of Events that a subscription reads at once.
const batch = 64

// Subscribe sends the matching Events after an ID, then new ones, until ctx is done or
// cancel is called. Then it closes the channel. q.Limit limits the stored Events that
// are sent first.
//
// A slow subscriber does not delay writers or other subscribers. Events that were
// evicted before it received them are counted in Dropped of the next Event. cancel may
// be called more than once; it returns after the last send.
func (r *Ring) Subscribe(ctx context.Context, after uint64, q Query) (events <-chan Event, cancel func()) {
	ctx, stop := context.WithCancel(ctx)
	s := subscription{ring: r, query: q, last: after, out: make(chan Event)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer close(s.out)
		s.run(ctx)
	}()
	return s.out, func() { stop(); <-done }
}

// subscription sends Events to one subscriber.
type subscription struct {
	ring    *Ring
	query   Query
	last    uint64 // id of the last Event that was examined
	dropped uint64 // to be added to the next Event that is sent
	out     chan Event
}

func (s *subscription) run(ctx context.Context) {
	if s.query.Limit > 0 && !s.sendNewest(ctx) {
		return
	}
	for {
		changed := s.ring.nextChange()
		stored, dropped := s.ring.after(s.last, batch)
		s.dropped += dropped
		for _, e := range stored {
			s.last = e.ID
			if s.query.Matches(*e) && !s.send(ctx, *e) {
				return
			}
		}
		if len(stored) == batch {
			continue
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// sendNewest sends the stored Events within the limit, and reports false if ctx is done.
func (s *subscription) sendNewest(ctx context.Context) bool {
	var stored []*Event
	stored, s.dropped = s.ring.after(s.last, 0)
	if len(stored) > 0 {
		s.last = stored[len(stored)-1].ID
	}
	for _, e := range newest(stored, 0, s.query) {
		if !s.send(ctx, e) {
			return false
		}
	}
	return true
}

func (s *subscription) send(ctx context.Context, e Event) bool {
	e.Dropped += s.dropped
	s.dropped = 0
	select {
	case s.out <- e:
		return true
	case <-ctx.Done():
		return false
	}
}

// nextChange returns a channel that is closed by the next Add.
func (r *Ring) nextChange() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.waiter == nil {
		r.waiter = make(chan struct{})
	}
	return r.waiter
}
