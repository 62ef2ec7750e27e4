package content

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

var errClosed = fmt.Errorf("%w: store of originals is closed", abi.ErrUnavailable)

// maxUnsaved is the maximum number of files in Store.unsaved.
const maxUnsaved = 1000

// write is a queued write of a file. Its fields are guarded by Store.mu until begun is
// set.
type write struct {
	name    string
	scope   flow.Scope // whose turn it is, see lane
	data    []byte
	compare bool // skip the write if the existing file is equal
	begun   bool
	done    chan struct{}
	err     error
}

// enqueue queues a write. It replaces the data of a queued write of the same name that
// has not begun.
func (s *Store) enqueue(w *write, now instant) *write {
	if old := s.pending[w.name]; old != nil && !old.begun {
		s.waiting += int64(len(w.data) - len(old.data))
		s.recordFile(w.name, int64(len(w.data)), now)
		old.data, old.compare = w.data, false
		return old
	}
	w.done = make(chan struct{})
	s.pending[w.name] = w
	s.waiting += int64(len(w.data))
	s.recordFile(w.name, int64(len(w.data)), now)
	s.schedule(w)
	return w
}

// wait releases mu until the writes are done and returns the error of a failed one.
func (s *Store) wait(writes ...*write) error {
	s.mu.Unlock()
	defer s.mu.Lock()
	var failed error
	for _, w := range writes {
		if w == nil {
			continue
		}
		<-w.done
		if w.err != nil {
			failed = fmt.Errorf("%w: originals cannot be written: %w", abi.ErrUnavailable, w.err)
		}
	}
	return failed
}

// writeSmall writes the small files. Like writeLarge, it ends when the Store is closed and
// nothing is left to do.
func (s *Store) writeSmall() {
	defer s.running.Done()
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.isDone() {
		w := s.small.pop()
		switch {
		case w == nil:
			s.wake.Wait()
		case len(w.data) > smallBytes: // replaced while it was queued
			s.schedule(w)
		default:
			s.write(w)
		}
	}
}

// writeLarge tidies files and writes large ones. Files are removed first, so that large
// writes do not exceed the quota on disk.
func (s *Store) writeLarge() {
	defer s.running.Done()
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.isDone() {
		if len(s.untidy) > 0 {
			name := s.untidy[0]
			s.untidy = s.untidy[1:]
			s.tidy(name)
		} else if w := s.large.pop(); w != nil {
			s.write(w)
		} else {
			s.wake.Wait()
		}
	}
}

// write performs a write. It releases mu meanwhile.
func (s *Store) write(w *write) {
	w.begun = true
	s.busy[w.name] = nil
	used := s.now().time()
	s.mu.Unlock()
	err := s.put(w, used)
	s.mu.Lock()
	s.finish(w, err)
	s.release(w.name)
	s.makeRoom()
}

// put writes one file. With compare, it does not write an equal file again.
func (s *Store) put(w *write, used time.Time) error {
	if w.compare {
		if old, _, err := s.disk.read(w.name); err == nil && bytes.Equal(old, w.data) {
			return nil
		}
	}
	return s.disk.write(w.name, w.data, used)
}

func (s *Store) finish(w *write, err error) {
	s.waiting -= int64(len(w.data))
	latest := s.pending[w.name] == w // no newer write is queued
	if latest {
		delete(s.pending, w.name)
	}
	s.failure = err
	if err != nil {
		s.stats.Failed++
		if len(s.unsaved) >= maxUnsaved {
			clear(s.unsaved)
		}
		s.unsaved[w.name] = err
		if latest {
			s.forget(w.name)
		}
	} else {
		delete(s.unsaved, w.name)
		if f := s.files[w.name]; f != nil {
			f.checked = true
		} else if latest {
			s.tidyLater(w.name) // it was removed from the index meanwhile
		}
	}
	w.err = err
	close(w.done)
}

// Close writes the pending files, removes those to be removed, and closes the disk. It can be called twice.
func (s *Store) Close() error {
	s.mu.Lock()
	first := !s.closed
	s.closed = true
	if first {
		close(s.closing)
	}
	s.wake.Broadcast()
	s.mu.Unlock()
	s.running.Wait()
	if !first {
		return nil
	}
	var failed error
	if s.failure != nil {
		failed = fmt.Errorf("%w: originals cannot be written: %w", abi.ErrUnavailable, s.failure)
	}
	stampClock(s.disk, s.now())
	return errors.Join(failed, s.disk.close())
}
