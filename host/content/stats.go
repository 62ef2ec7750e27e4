package content

// Stats are the figures of a Store.
type Stats struct {
	Originals, Refs                   int
	Bytes                             int64 // of all files
	PendingBytes, MemoryBytes         int64
	Puts, Repeated, Gets, FromMemory  int64
	Evicted, Expired, Damaged, Failed int64
	Failure                           string // error of the last write, if it failed
}

// Stats returns the current figures.
func (s *Store) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.stats
	st.Refs, st.Originals = s.refs, len(s.files)-s.refs
	st.Bytes, st.PendingBytes, st.MemoryBytes = s.bytes, s.waiting, s.memory.bytes
	if s.failure != nil {
		st.Failure = s.failure.Error()
	}
	return st
}
