package object

import (
	"os"
	"sync"
	"sync/atomic"
)

// Store is the file source: the Objects under a home, one file each, named like
// the Object: servers/files.yaml, prompts/home/rules.md.
//
// It is safe for concurrent use. Files are reached through os.Root only, folder
// by folder, so that no link leads out of one.
type Store struct {
	mu      sync.Mutex // held while files are read or written
	root    *os.Root
	current atomic.Pointer[Snapshot]
}

// OpenStore opens the file source of a home; nothing is loaded yet.
//
// Errors: abi.ErrNotFound without a home, abi.ErrDenied for one that somebody
// else could have written: the text ends in the command that mends it.
func OpenStore(home string) (*Store, error) {
	if err := checkHome(home); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(home)
	if err != nil {
		return nil, diskError("home", err)
	}
	s := &Store{root: root}
	s.current.Store(&Snapshot{})
	return s, nil
}

// Close releases the home. It may be called twice.
func (s *Store) Close() error { return s.root.Close() }

// Snapshot returns what the last Load found.
func (s *Store) Snapshot() *Snapshot { return s.current.Load() }

// Problem is one file that is not as it should be.
type Problem struct {
	File    string // relative to the home
	Key     Key    // what the file should hold; the zero Key if not even that is known
	Err     error
	Warning bool // accepted all the same
	Kept    bool // the Object that was loaded before stays active
}

// Load reads all files and makes them the current Snapshot. A broken file is a
// Problem and leaves the Object that it held before as it was; a file that is
// gone takes its Object along. Files that did not change are not parsed again.
func (s *Store) Load() (*Snapshot, []Problem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	snap, problems, _ := s.load()
	return snap, problems
}

// load reads all files and makes them the current Snapshot. It returns their problems
// and the names of the broken files.
func (s *Store) load() (*Snapshot, []Problem, map[string]bool) {
	l := newLoader(s.Snapshot())
	for _, k := range kinds {
		l.folder(s.root, k.kind)
	}
	snap := l.snapshot()
	s.current.Store(snap)
	return snap, l.problems, l.broken
}
