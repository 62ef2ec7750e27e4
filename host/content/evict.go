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
		s.drop(el)
		f.size, f.at, f.stamped = size, now, now
		s.add(f)
		return
	}
	s.add(&file{name: name, size: size, at: now, stamped: now})
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
	s.quotas[f.owner].used.MoveToBack(el)
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
		s.drop(el)
	}
	_ = s.disk.remove(name) // what is left is found, and removed, by a later start
}

// makeRoom removes what is too old, and then the longest unused files of whoever
// has stored most, until all fit. What is being written stays.
func (s *Store) makeRoom() {
	if now := s.opt.Now(); now.Sub(s.swept) >= sweepEvery {
		s.swept = now
		s.expire(now)
	}
	for s.bytes > s.opt.MaxBytes || len(s.files) > s.opt.MaxFiles {
		if !s.evict() {
			return
		}
	}
}

// expire removes the files that are too old.
func (s *Store) expire(now time.Time) {
	for _, q := range s.quotas {
		var next *list.Element
		for el := q.used.Front(); el != nil; el = next {
			next = el.Next()
			f := el.Value.(*file)
			if now.Sub(f.at) <= s.opt.TTL {
				break // those after it were used later
			}
			if s.pending[f.name] == nil {
				s.stats.Expired++
				s.forget(f.name)
			}
		}
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
