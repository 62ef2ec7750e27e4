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

// recordFile records a file that is going to be written.
func (s *Store) recordFile(name string, size int64, now time.Time) {
	if el := s.files[name]; el != nil {
		f := el.Value.(*file)
		s.drop(el)
		f.size, f.at, f.stamped = size, now, now
		s.add(f)
		return
	}
	s.add(&file{name: name, size: size, at: now, stamped: now})
}

// recordFound records a file that was read and is valid. It returns nil if the file has
// expired.
func (s *Store) recordFound(name string, size int64, at time.Time) *file {
	if s.files[name] == nil {
		s.recordFile(name, size, at)
	}
	s.files[name].Value.(*file).checked = true
	return s.touch(name, s.opt.Now())
}

// touch records a use of a file. It returns nil if the file is missing or has
// expired.
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
		_ = s.disk.touch(name, now) // on failure the file may expire earlier after a restart
	}
	return f
}

// forget removes a file from disk, memory and accounts.
func (s *Store) forget(name string) {
	delete(s.refs, name)
	s.memory.remove(name)
	if el := s.files[name]; el != nil {
		s.drop(el)
	}
	_ = s.disk.remove(name) // on failure the file is found at the next start
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
// returns the number of removed Originals.
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
