package content

// tidy removes a file from disk if the index does not have it, and otherwise writes the
// time of its last use. It also stamps clockFile. It releases mu meanwhile.
//
// A file that is being written or tidied is left alone: whoever does that compares it
// with the index afterwards.
func (s *Store) tidy(name string) {
	if _, busy := s.busy[name]; busy || s.pending[name] != nil {
		return
	}
	now, f := s.now(), s.files[name]
	var used instant
	if f != nil {
		used = f.stamped
	}
	s.busy[name] = nil
	s.tidying++
	s.mu.Unlock()
	switch {
	case name == clockFile:
		stampClock(s.disk, now)
	case f != nil:
		_ = s.disk.touch(name, used.time()) // on failure the file may expire earlier after a restart
	default:
		_ = s.disk.remove(name) // on failure the file is found at the next start
	}
	s.mu.Lock()
	s.tidying--
	s.release(name)
	if f != nil && s.files[name] == nil {
		s.tidyLater(name) // it was removed from the index meanwhile
	}
}
