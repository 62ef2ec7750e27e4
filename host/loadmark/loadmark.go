// Package loadmark records on disk which modules are being loaded. If the process ends during
// a load, the mark remains on disk, and the next process refuses to load that module.
package loadmark

import (
	"os"
	"path/filepath"
	"sync"
)

// Marks are the marks in one directory. It is safe for concurrent use.
type Marks struct {
	dir string

	mu   sync.Mutex
	left map[string]bool // by hash: marks of earlier processes
	held map[string]int  // by hash: loads in progress
}

// Open creates the directory if there is none, and reads the marks that earlier processes
// left. Only one process at a time may use a directory.
func Open(dir string) (*Marks, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	m := &Marks{dir: dir, left: make(map[string]bool), held: make(map[string]int)}
	for _, f := range files {
		m.left[f.Name()] = true
	}
	return m, nil
}

// Left reports whether an earlier process ended while it loaded the module with a hash.
func (m *Marks) Left(hash string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.left[hash]
}

// Begin marks a module until end is called. Loads of the same module share a mark. A mark
// that cannot be written does not keep the module from being loaded.
func (m *Marks) Begin(hash string) (end func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	path := filepath.Join(m.dir, hash)
	if m.held[hash]++; m.held[hash] == 1 {
		_ = os.WriteFile(path, nil, 0o600) // the disk may be full
	}
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.held[hash]--; m.held[hash] == 0 {
			delete(m.held, hash)
			_ = os.Remove(path) // it may not have been written
		}
	}
}

// Forget removes the marks that earlier processes left.
func (m *Marks) Forget() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for hash := range m.left {
		if m.held[hash] == 0 {
			if err := os.Remove(filepath.Join(m.dir, hash)); err != nil && !os.IsNotExist(err) {
				return err
			}
		}
		delete(m.left, hash)
	}
	return nil
}
