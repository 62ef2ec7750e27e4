package content

import (
	"container/list"
	"time"
)

// stampEvery is the precision of the last use on disk. sweepEvery is the interval at
// which expired files are removed.
const (
	stampEvery = time.Minute
	sweepEvery = time.Minute
)

// recordFound records that a file was read and is valid. It returns nil if the file was
// removed meanwhile or has expired.
func (s *Store) recordFound(name string) *file {
	f := s.touch(name, s.opt.Now())
	if f != nil {
		f.checked = true
	}
	return f
}

// touch records a use of a file. It returns nil if the file is missing or has
// expired.
func (s *Store) touch(name string, now time.Time) *file {
	el := s.files[name]
	if el == nil {
		return nil
	}
	f := el.Value.(*file)
	if now.Sub(f.at) > s.opt.TTL && s.pending[name] == nil {
		s.stats.Expired++
		s.forget(name)
		return nil
	}
	f.at = now
	s.quotas[f.owner].used.MoveToBack(el)
	if now.Sub(f.stamped) >= stampEvery && s.pending[name] == nil {
		f.stamped = now
		s.tidyLater(name)
	}
	return f
}

// forget removes a file from memory and accounts, and later from disk.
func (s *Store) forget(name string) {
	delete(s.refs, name)
	s.memory.remove(name)
	if el := s.files[name]; el != nil {
		s.drop(el)
	}
	s.tidyLater(name)
}

// makeRoom removes expired files, then evicts files until the limits are met. It does
// not remove files that are being written.
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

// expire removes the files that were not used for Options.TTL.
func (s *Store) expire(now time.Time) {
	for _, q := range s.quotas {
		var next *list.Element
		for el := q.used.Front(); el != nil; el = next {
			next = el.Next()
			f := el.Value.(*file)
			if now.Sub(f.at) <= s.opt.TTL {
				break // the following files were used later
			}
			if s.pending[f.name] == nil {
				s.stats.Expired++
				s.forget(f.name)
			}
		}
	}
}

// Clear removes all Originals and Refs except those that are being written, and
// returns the number of removed Originals. It returns when they are removed from disk.
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
	s.waitTidy()
	return originals
}
