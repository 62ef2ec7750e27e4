package content

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// Peek is like Get, but does not record a use: a search over all Originals does not keep
// them from expiring and does not displace others in memory.
//
// Errors: those of Get; abi.ErrLimit for an Original of more than maxBytes, which is not
// read.
func (s *Store) Peek(scope flow.Scope, ref string, maxBytes int64) ([]byte, error) {
	if !isRef(ref) {
		return nil, notFound(ref)
	}
	e := s.load(ref)
	if e == nil || !hmac.Equal([]byte(makeRef(s.key, e.hash(), scope)), []byte(ref)) {
		return nil, notFound(ref)
	}
	h := e.hash()
	b, err := s.peekMemory(h.name(), ref, maxBytes)
	if b != nil || err != nil {
		return b, err
	}
	b, _, err = s.disk.read(h.name())
	if err != nil || hash(sha256.Sum256(b)) != h {
		return nil, notFound(ref)
	}
	return b, nil
}

// Recent returns the Refs of a project, those used last first, at most n.
func (s *Store) Recent(project string, n int) (refs []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.quotas[project]
	if q == nil {
		return nil
	}
	for f := q.newest; f != nil && len(refs) < n; f = f.prev {
		if isRef(f.name) {
			refs = append(refs, f.name)
		}
	}
	return refs
}

// peekMemory returns the bytes of a file if they are in memory, otherwise nil.
func (s *Store) peekMemory(name, ref string, maxBytes int64) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.files[name]
	switch {
	case f == nil || s.now().since(f.at) > s.opt.TTL:
		return nil, notFound(ref)
	case f.size > maxBytes:
		return nil, fmt.Errorf("%w: original %s has %d bytes, limit %d", abi.ErrLimit, ref, f.size, maxBytes)
	}
	if w := s.pending[name]; w != nil {
		return w.data, nil
	}
	return s.memory.peek(name), nil
}

// peek is like get, but does not record a use.
func (m *memory) peek(name string) []byte {
	if el := m.byName[name]; el != nil {
		return el.Value.(*kept).data
	}
	return nil
}
