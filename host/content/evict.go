package content

import "time"

// stampEvery is the precision of the last use on disk. sweepEvery is the interval at
// which expired files are removed.
const (
	stampEvery = time.Minute
	sweepEvery = time.Minute
)

// recordFound records that a file was read and is valid. It returns nil if the file was
// removed meanwhile or has expired.
func (s *Store) recordFound(name string) *file {
	f := s.touch(name, s.now())
	if f != nil {
		f.checked = true
	}
	return f
}

// touch records a use of a file. It returns nil if the file is missing or has
// expired.
func (s *Store) touch(name string, now instant) *file {
	f := s.files[name]
	if f == nil {
		return nil
	}
	if now.since(f.at) > s.opt.TTL && s.pending[name] == nil {
		s.stats.Expired++
		s.forget(name)
		return nil
	}
	f.at = now
	f.quota.remove(f)
	f.quota.push(f)
	if now.since(f.stamped) >= stampEvery && s.pending[name] == nil {
		f.stamped = now
		s.tidyLater(name)
	}
	return f
}

// forget removes a file from memory and accounts, and later from disk.
func (s *Store) forget(name string) {
	s.memory.remove(name)
	if f := s.files[name]; f != nil {
		s.drop(f)
	}
	s.tidyLater(name)
}

// makeRoom removes expired files, then evicts files until the limits are met. It does
// not remove files that are being written.
func (s *Store) makeRoom() {
	if now := s.now(); now.since(s.swept) >= sweepEvery {
		s.swept = now
		s.expire(now)
		s.tidyLater(clockFile) // after the files that open has queued
	}
	for s.bytes > s.opt.MaxBytes || len(s.files) > s.opt.MaxFiles {
		if !s.evict() {
			return
		}
	}
}

// sweepRegularly removes expired files while nothing is written.
func (s *Store) sweepRegularly() {
	defer s.running.Done()
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		select {
		case <-s.closing:
			return
		case <-ticker.C:
			s.mu.Lock()
			s.makeRoom()
			s.mu.Unlock()
		}
	}
}

// expire removes the files that were not used for Options.TTL.
func (s *Store) expire(now instant) {
	for _, q := range s.quotas {
		for f := q.oldest; f != nil; f = f.next { // forget keeps f.next
			if now.since(f.at) <= s.opt.TTL {
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
