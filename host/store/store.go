package store

import (
	"os"
	"sync"
	"sync/atomic"

	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/object"
)

// Store is the set of Objects in a home. The file of an Object is named after it:
// servers/files.yaml, prompts/home/rules.md.
//
// It is safe for concurrent use. Each directory is opened as an os.Root, so that no link
// leads out of it.
type Store struct {
	mu      sync.Mutex // held while files are read or written
	root    *os.Root
	current atomic.Pointer[Snapshot]
}

// Prepare creates or checks a home and creates the directories of all Kinds.
func Prepare(home string) error {
	var dirs []string
	for _, kind := range object.Kinds() {
		dirs = append(dirs, kind.Dir())
	}
	return homedir.Prepare(home, dirs...)
}

// Open opens the Store of a home without loading it.
//
// It returns the errors of homedir.Check.
func Open(home string) (*Store, error) {
	if err := homedir.Check(home); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(home)
	if err != nil {
		return nil, homedir.DiskError("home", err)
	}
	s := &Store{root: root}
	s.current.Store(&Snapshot{})
	return s, nil
}

// Close closes the home. It may be called twice.
func (s *Store) Close() error { return s.root.Close() }

// Snapshot returns the Snapshot of the last Load.
func (s *Store) Snapshot() *Snapshot { return s.current.Load() }

// Problem is an error or a warning about one file.
type Problem struct {
	File    string     // relative to the home
	Key     object.Key // of the Object that the file should contain; zero if unknown
	Err     error
	Warning bool // the file was accepted
	Kept    bool // the Object that was loaded before stays active
}

// Load reads all files and makes them the current Snapshot. A broken file is a Problem
// and keeps the Object that was loaded from it before. A deleted file removes its Object.
// Unchanged files are not parsed again.
func (s *Store) Load() (*Snapshot, []Problem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	snap, problems, _ := s.load()
	return snap, problems
}

// load is Load with the lock held. It also returns the names of the broken files.
func (s *Store) load() (*Snapshot, []Problem, map[string]bool) {
	l := newLoader(s.Snapshot())
	for _, kind := range object.Kinds() {
		l.loadKind(s.root, kind)
	}
	snap := l.snapshot()
	s.current.Store(snap)
	return snap, l.problems, l.broken
}
