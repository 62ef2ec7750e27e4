package wasm

import (
	"runtime/debug"
	"time"
)

// spare is the guest that a module prepares for its next call. A guest written in Go
// takes 0.5 ms to create and start, ten times as long as a call on a short content; this
// way a call rarely waits for it. The guest has only started, without any input, so it
// is as clean as one that is created for the call.
//
// It is guarded by the mutex of its Module.
type spare struct {
	snapshot *snapshot      // of a guest that has just started; nil: none was taken
	guest    chan *instance // receives the guest, or nil if it did not start; nil: none is prepared
	expiry   *time.Timer    // set when the guest is ready
}

// spareLifetime is how long a guest and the snapshot wait for a call. A module that is not
// used holds no memory but its compiled patterns.
const spareLifetime = time.Minute

// coolAfter is how long a guest waits for a call before the pages that it has written are freed.
// It shares all its memory with the snapshot then, and its next call takes up to half a
// millisecond longer.
const coolAfter = 10 * time.Second

// take returns the channel and empties the spare.
func (s *spare) take() chan *instance {
	guest := s.guest
	s.guest = nil
	s.stopExpiry()
	return guest
}

func (s *spare) stopExpiry() {
	if s.expiry != nil {
		s.expiry.Stop()
		s.expiry = nil
	}
}

// close ends the guest, if there is one, and forgets the snapshot. It waits for a guest that
// is being prepared.
func (s *spare) close() {
	if s.guest != nil {
		(<-s.guest).close()
		s.stopExpiry()
		s.guest = nil
	}
	s.snapshot.release()
	s.snapshot = nil
}

// takeSpare assigns the prepared guest to the run, if there is one. Waiting for it does
// not count against the time of the run, which has no turn meanwhile.
func (m *Module) takeSpare(r *run) bool {
	m.mu.Lock()
	guest := m.spare.take()
	m.mu.Unlock()
	if guest == nil {
		return false
	}
	if len(guest) == 0 {
		defer r.Pause()() // the guest may need the turn to become ready
	}
	select {
	case i := <-guest:
		return i != nil && r.adopt(i)
	case <-r.ctx.Done():
		m.rt.background.Go(func() { (<-guest).close() })
		return false
	}
}

// maxRestoredAtOnce is the size of a memory that is restored before the call returns. To wake
// another goroutine for it takes longer, and the next call would wait for that goroutine.
// Of a mapping only the pages that were written are restored, usually less than a tenth.
const (
	maxRestoredAtOnce = 256 << 10
	maxMappedAtOnce   = 4 << 20
)

// restoresAtOnce reports whether a guest is restored before the call returns.
func restoresAtOnce(i *instance) bool {
	if i.mem.mapping != nil {
		return len(i.mem.Bytes) <= maxMappedAtOnce
	}
	return len(i.mem.Bytes) <= maxRestoredAtOnce
}

// prepareSpare prepares the guest for the next call in the slot and the turn of a run that
// has ended. It restores the guest of that run if possible.
func (m *Module) prepareSpare(r *run) {
	i, returned, t := r.guest, r.returned, r.turn // do not keep the run: it holds the content
	room := len(i.mem.Bytes)
	guest := m.announceSpare()
	if guest == nil {
		i.close()
		m.leave(t)
		return
	}
	if returned && restoresAtOnce(i) && m.restore(i) {
		guest <- i
		m.expireSpare(guest)
		m.leave(t)
		return
	}
	m.rt.background.Go(func() {
		defer m.leave(t)
		if returned && m.restore(i) {
			guest <- i
		} else {
			i.close()
			guest <- m.shareMemory(m.startGuest(t, room))
		}
		m.expireSpare(guest)
	})
}

// restore restores a guest from the snapshot of the module. It returns false if there is none,
// or if that is not possible.
func (m *Module) restore(i *instance) bool {
	s := m.useSnapshot()
	defer s.release()
	return s.restore(i)
}

// useSnapshot returns the snapshot of a module that is in use, or nil. The caller must call
// release.
func (m *Module) useSnapshot() *snapshot {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.spare.snapshot != nil {
		m.spare.snapshot.uses.Add(1)
	}
	return m.spare.snapshot
}

// keepSnapshot makes s the snapshot of the module, unless it has one.
func (m *Module) keepSnapshot(s *snapshot) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.spare.snapshot != nil { // of another guest that was started at the same time
		s.release()
		return
	}
	m.spare.snapshot = s
}

// shareMemory returns a guest that has just started, which may be nil, after it shares its
// memory with the snapshot of the module. The first one becomes the snapshot. It returns nil if
// that has failed.
func (m *Module) shareMemory(i *instance) *instance {
	if !m.prepared.CanRestore || i == nil {
		return i
	}
	existing := m.useSnapshot()
	existing.release()
	if existing == nil {
		if s := newSnapshot(i, m.prepared.Globals); s != nil {
			m.keepSnapshot(s)
		}
	}
	if !m.restore(i) {
		i.close()
		return nil
	}
	return i
}

// announceSpare returns the channel for a guest that will be ready, or nil if none is
// needed.
func (m *Module) announceSpare() chan *instance {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed || m.spare.guest != nil || m.rt.ctx.Err() != nil {
		return nil
	}
	m.spare.guest = make(chan *instance, 1)
	return m.spare.guest
}

// startGuest creates a guest and starts it under the limits of the host. It returns nil
// if the guest did not start, or could start differently for a call with more memory.
func (m *Module) startGuest(t *turn, room int) (i *instance) {
	defer func() {
		if p := recover(); p != nil {
			m.rt.log.Error("start panicked", "module", m.info.Hash, "panic", p, "stack", string(debug.Stack()))
			i = nil
		}
	}()
	r := m.newStart(m.rt.ctx, t)
	r.room, r.keep = room, m.prepared.CanRestore && !m.rt.noMappings
	if err := r.start(); err != nil || r.guest.wasRefused() {
		r.close()
		return nil
	}
	r.leave()
	return r.guest
}

// expireSpare frees the written pages of an unused guest after coolAfter, and closes the guest
// after spareLifetime.
func (m *Module) expireSpare(guest chan *instance) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.spare.guest == guest {
		m.spare.expiry = time.AfterFunc(coolAfter, func() { m.coolSpare(guest) })
	}
}

func (m *Module) coolSpare(guest chan *instance) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.spare.guest != guest {
		return
	}
	i := <-guest
	if i != nil && i.mem.mapping != nil {
		i.mem.mapping.Cool()
	}
	guest <- i
	m.spare.expiry = time.AfterFunc(spareLifetime-coolAfter, func() { m.closeSpare(guest) })
}

func (m *Module) closeSpare(guest chan *instance) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.spare.guest == guest {
		m.spare.close()
	}
}
