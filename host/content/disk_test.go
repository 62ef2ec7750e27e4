package content

import (
	"crypto/sha256"
	"sync"
	"testing"
	"time"
)

func sha(b []byte) [sha256.Size]byte { return sha256.Sum256(b) }

// countingDisk is a real directory that counts writes, fails them on demand, and waits
// for gate, if any, before each write.
type countingDisk struct {
	gate chan struct{}

	mu     sync.Mutex
	dir    *dir
	writes int
	err    error
}

func openOn(t testing.TB, d *countingDisk, path string) *Store {
	t.Helper()
	real, err := openDir(path)
	if err != nil {
		t.Fatal(err)
	}
	d.dir = real
	s, err := open(d, testKey, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func (d *countingDisk) fail(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.err = err
}

func (d *countingDisk) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.writes
}

func (d *countingDisk) write(name string, data []byte, used time.Time) error {
	if d.gate != nil {
		<-d.gate
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if name != clockFile {
		d.writes++
	}
	if d.err != nil {
		return d.err
	}
	return d.dir.write(name, data, used)
}

func (d *countingDisk) list() ([]stat, error)                       { return d.dir.list() }
func (d *countingDisk) read(name string) ([]byte, time.Time, error) { return d.dir.read(name) }
func (d *countingDisk) head(name string, n int64) ([]byte, error)   { return d.dir.head(name, n) }
func (d *countingDisk) touch(name string, at time.Time) error       { return d.dir.touch(name, at) }
func (d *countingDisk) remove(name string) error                    { return d.dir.remove(name) }
func (d *countingDisk) close() error                                { return d.dir.close() }
