package content

import (
	"container/list"
	"time"
)

// stampEvery is how exact the last use is that the disk knows; sweepEvery how
// often all files are looked at for their age.
const (
	stampEvery = time.Minute
	sweepEvery = time.Minute
)

// account notes a file that will be there.
func (s *Store) account(name string, size int64, now time.Time) {
	if el := s.files[name]; el != nil {
		f := el.Value.(*file)
		s.bytes += size - f.size
		f.size, f.at, f.stamped = size, now, now
		s.used.MoveToBack(el)
		return
	}
	s.files[name] = s.used.PushBack(&file{name: name, size: size, at: now, stamped: now})
	s.bytes += size
}

// found notes a file that was read and is whole; nil if it is too old.
func (s *Store) found(name string, size int64, at time.Time) *file {
	if s.files[name] == nil {
		s.account(name, size, at)
	}
	s.files[name].Value.(*file).checked = true
	return s.touch(name, s.opt.Now())
}

// touch notes a use of a file; nil if it is not there or too old.
func (s *Store) touch(name string, now time.Time) *file {
	el := s.files[name]
	if el == nil {
		return nil
	}
	f := el.Value.(*file)
	if now.Sub(f.at) > s.opt.TTL {
		s.stats.Expired++
		s.forget(name)
		return nil
	}
	f.at = now
	s.used.MoveToBack(el)
	if now.Sub(f.stamped) >= stampEvery && s.pending[name] == nil {
		f.stamped = now
		_ = s.disk.touch(name, now) // the file may go sooner after a restart, no more
	}
	return f
}

// forget removes a file and all that is known of it.
func (s *Store) forget(name string) {
	delete(s.refs, name)
	s.memory.remove(name)
	if el := s.files[name]; el != nil {
		s.bytes -= el.Value.(*file).size
		s.used.Remove(el)
		delete(s.files, name)
	}
	_ = s.disk.remove(name) // what is left is found, and removed, by a later start
}

// makeRoom removes what is too old, and of the rest the longest unused until all
// fit. What is being written stays.
func (s *Store) makeRoom() {
	now := s.opt.Now()
	sweep := now.Sub(s.swept) >= sweepEvery
	if sweep {
		s.swept = now
	}
	var next *list.Element
	for el := s.used.Front(); el != nil; el = next {
		next = el.Next()
		f := el.Value.(*file)
		old := sweep && now.Sub(f.at) > s.opt.TTL
		if !old && s.bytes <= s.opt.MaxBytes && len(s.files) <= s.opt.MaxFiles {
			return // those behind it were used later
		}
		if s.pending[f.name] != nil {
			continue
		}
		if old {
			s.stats.Expired++
		} else {
			s.stats.Evicted++
		}
		s.forget(f.name)
	}
}

// Clear removes all Originals and Refs but those that are being written, and
// returns how many Originals it removed.
func (s *Store) Clear() (originals int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name := range s.files {
		if s.pending[name] != nil {
			continue
		}
		if isHash(name) {
			originals++
		}
		s.forget(name)
	}
	return originals
}
