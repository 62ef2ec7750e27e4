package content

import (
	"crypto/hmac"
	"crypto/sha256"
	"time"

	"github.com/mcpctl/mcpctl/host/flow"
)

// Touch records a use of an Original and its View, like a Put of the same bytes, and
// returns the version of the View: equal versions of a Ref mean equal Views. It
// reports false if scope does not have the Ref or its files are not written. It does
// not read files that this process has read or written before.
func (s *Store) Touch(scope flow.Scope, ref string) (version [32]byte, ok bool) {
	e, err := s.findEntry(scope, ref)
	if err != nil || !s.isWritten(ref, e.hash()) {
		return version, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	return e.view, s.touch(ref, now) != nil && s.touch(e.hash().name(), now) != nil
}

// Get returns the Original of a Ref of scope.
//
// It returns the same abi.ErrNotFound for a Ref that is unknown, of another project or
// subject, expired, or damaged.
func (s *Store) Get(scope flow.Scope, ref string) ([]byte, Info, error) {
	e, err := s.findEntry(scope, ref)
	if err != nil {
		return nil, Info{}, err
	}
	b, err := s.readOriginal(e.hash(), ref)
	if err != nil {
		return nil, Info{}, err
	}
	return b, e.info(), nil
}

// Since returns the time at which a Ref was stored; for a Ref of an earlier process, the
// time of its last use there. Its errors are those of Get.
func (s *Store) Since(scope flow.Scope, ref string) (time.Time, error) {
	e, err := s.findEntry(scope, ref)
	if err != nil {
		return time.Time{}, err
	}
	return e.since.time(), nil
}

// findEntry returns the entry of a Ref and checks that the Ref belongs to scope.
func (s *Store) findEntry(scope flow.Scope, ref string) (*entry, error) {
	if !isRef(ref) {
		return nil, notFound(ref)
	}
	e := s.load(ref)
	if e == nil || !hmac.Equal([]byte(makeRef(s.key, e.hash(), scope)), []byte(ref)) {
		return nil, notFound(ref)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if f := s.touch(ref, now); f == nil {
		return nil, notFound(ref) // evicted or expired since load
	}
	s.addOwner(ref, scope.Project) // records of version 1 do not contain the project
	s.addOwner(e.hash().name(), scope.Project)
	return e, nil
}

// load returns the entry of a valid Ref, or nil. It reads the file if this process has
// not read or written it before.
func (s *Store) load(ref string) *entry {
	s.mu.Lock()
	f := s.files[ref]
	if f == nil || f.entry != nil {
		defer s.mu.Unlock()
		return s.entryOf(ref)
	}
	s.mu.Unlock()
	data, at, err := s.disk.read(ref)
	if err != nil {
		return nil
	}
	r, err := decodeRecord(ref, data)
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.entryOf(ref); e != nil {
		return e
	}
	if err != nil {
		s.stats.Damaged++
		s.forget(ref)
		return nil
	}
	if f = s.recordFound(ref); f != nil {
		f.entry = newEntry(&r, instantOf(at))
	}
	return s.entryOf(ref)
}

// readOriginal returns the bytes with a hash and verifies bytes read from disk.
func (s *Store) readOriginal(h hash, ref string) ([]byte, error) {
	name := h.name()
	s.mu.Lock()
	s.stats.Gets++
	f := s.touch(name, s.now())
	b, ok := s.inMemory(name)
	if ok && f != nil {
		s.stats.FromMemory++
	}
	s.mu.Unlock()
	if f == nil {
		return nil, notFound(ref)
	}
	if ok {
		return b, nil
	}

	b, _, err := s.disk.read(name)
	if err != nil {
		return nil, notFound(ref)
	}
	whole := hash(sha256.Sum256(b)) == h
	s.mu.Lock()
	defer s.mu.Unlock()
	if !whole {
		s.stats.Damaged++
		if b, ok := s.inMemory(name); ok { // repaired meanwhile
			return b, nil
		}
		s.forget(name)
		return nil, notFound(ref)
	}
	if f := s.recordFound(name); f == nil {
		return nil, notFound(ref)
	}
	s.memory.add(name, b)
	return b, nil
}

// inMemory returns the bytes of an Original that is being written or cached.
func (s *Store) inMemory(name string) ([]byte, bool) {
	if w := s.pending[name]; w != nil {
		return w.data, true
	}
	return s.memory.get(name)
}
