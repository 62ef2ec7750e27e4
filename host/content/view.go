package content

import (
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// SetView keeps what stages made of an Original, and returns once it and the
// Original are written: an answer that names ref may then go out. A View that
// is there already is not written again. Of two that are set at once one stays.
//
// Errors: abi.ErrNotFound for a Ref that is not scope's; abi.ErrUnavailable if
// it could not be written: the content must then go on untransformed.
func (s *Store) SetView(scope flow.Scope, ref string, v View) error {
	e, err := s.entry(scope, ref)
	if err != nil {
		return s.lost(ref, err)
	}
	if v.Key != [32]byte{} && v.Key == e.key && s.written(ref, e.hash) {
		return nil
	}
	r := record{hash: e.hash, project: scope.Project, info: e.info, view: &v}
	data := r.encode()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	original, reference := s.pending[e.hash.name()], s.pending[ref]
	if now := s.refs[ref]; now == nil || now.view != r.sum {
		reference = s.enqueue(&write{name: ref, data: data}, s.opt.Now())
		s.own(ref, scope.Project)
	}
	set := &entry{hash: e.hash, info: e.info, since: e.since, view: r.sum}
	s.refs[ref] = set
	if err := s.wait(original, reference); err != nil {
		return err
	}
	if s.files[e.hash.name()] == nil {
		return s.unwritten(e.hash.name())
	}
	if s.refs[ref] == set { // else another View was set meanwhile, or the Ref evicted
		s.refs[ref] = &entry{hash: e.hash, info: e.info, since: e.since, view: r.sum, key: v.Key}
	}
	return nil
}

// lost names the true cause why a Ref is not there: its file, or that of its
// Original, could not be written. Without such a cause it is err.
func (s *Store) lost(ref string, err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.unsaved[ref] == nil {
		return err
	}
	return s.unwritten(ref)
}

// unwritten is the error of a file that the disk did not take. The caller holds
// the lock.
func (s *Store) unwritten(name string) error {
	if cause := s.unsaved[name]; cause != nil {
		return fmt.Errorf("%w: originals cannot be written: %w", abi.ErrUnavailable, cause)
	}
	return fmt.Errorf("%w: an original that was just written is gone", abi.ErrUnavailable)
}

// written reports whether a Ref's record and Original are on disk, nothing of
// them on its way.
func (s *Store) written(ref string, h hash) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range [...]string{ref, h.name()} {
		if s.files[name] == nil || s.pending[name] != nil {
			return false
		}
	}
	return !s.closed
}

// View returns what SetView kept, and its version, as Touch reports it; the zero
// View if nothing was kept, or if its file is damaged: the content is then read
// in windows.
//
// Errors: abi.ErrNotFound for a Ref that is not scope's.
func (s *Store) View(scope flow.Scope, ref string) (v View, version [32]byte, err error) {
	if _, err := s.entry(scope, ref); err != nil {
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
	r, err := decodeRecord(data)
	if err != nil || r.view == nil {
		return View{}, version, nil
	}
	return *r.view, r.sum, nil
}
