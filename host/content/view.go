package content

import (
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// SetView stores the View of an Original and returns when both are written. An answer
// that contains ref may be sent only after that. An equal View is not written again. Of
// two concurrent calls, one View is stored.
//
// Errors: abi.ErrNotFound for a Ref that is not of scope; abi.ErrUnavailable if the
// files could not be written: the content must then be passed on untransformed.
func (s *Store) SetView(scope flow.Scope, ref string, v View) error {
	e, err := s.findEntry(scope, ref)
	if err != nil {
		return s.writeError(ref, err)
	}
	h := e.hash()
	if v.Key != [32]byte{} && v.Key == e.key && s.isWritten(ref, h) {
		return nil
	}
	r := record{hash: h, project: scope.Project, info: e.info(), view: &v}
	data := r.encode(ref)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	original, reference := s.pending[h.name()], s.pending[ref]
	set := &entry{head: e.head, since: e.since, view: r.sum}
	if now := s.entryOf(ref); now == nil || now.view != r.sum {
		reference = s.enqueue(&write{name: ref, scope: scope, data: data}, s.now())
		s.addOwner(ref, scope.Project)
	}
	s.files[ref].entry = set
	if err := s.wait(original, reference); err != nil {
		return err
	}
	if s.files[h.name()] == nil {
		return s.unwrittenError(h.name())
	}
	if s.entryOf(ref) == set { // no other View was set and the Ref was not evicted
		s.files[ref].entry = &entry{head: e.head, since: e.since, view: r.sum, key: v.Key}
	}
	return nil
}

// writeError returns the write error of the file of a missing Ref, or err if there is none.
func (s *Store) writeError(ref string, err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.unsaved[ref] == nil {
		return err
	}
	return s.unwrittenError(ref)
}

// unwrittenError returns the error of a file that could not be written. The caller holds
// mu.
func (s *Store) unwrittenError(name string) error {
	if cause := s.unsaved[name]; cause != nil {
		return fmt.Errorf("%w: originals cannot be written: %w", abi.ErrUnavailable, cause)
	}
	return fmt.Errorf("%w: an original was removed right after it was written", abi.ErrUnavailable)
}

// isWritten reports whether the record and the Original of a Ref are on disk and neither
// has a pending write.
func (s *Store) isWritten(ref string, h hash) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range [...]string{ref, h.name()} {
		if s.files[name] == nil || s.pending[name] != nil {
			return false
		}
	}
	return !s.closed
}

// View returns the View of a Ref and its version, which equals that of Touch. It
// returns the zero View if none was set or its file is damaged; the content can then be
// read only in windows.
//
// It returns abi.ErrNotFound for a Ref that is not of scope.
func (s *Store) View(scope flow.Scope, ref string) (v View, version [32]byte, err error) {
	e, err := s.findEntry(scope, ref)
	if err != nil {
		return View{}, version, err
	}
	s.mu.Lock()
	var data []byte
	if w := s.pending[ref]; w != nil {
		data = w.data
	}
	s.mu.Unlock()
	if data == nil {
		data, _, _ = s.disk.read(ref)
	}
	r, err := decodeRecord(ref, data)
	if err != nil || r.view == nil || r.hash != e.hash() {
		return View{}, version, nil
	}
	return *r.view, r.sum, nil
}
