package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/mcpctl/mcpctl/abi"
)

// The buckets of the file. Each key of the first two has a note in the third.
var (
	bucketValues = []byte("values") // key -> appendValue
	bucketGuest  = []byte("guest")  // key -> appendValue
	bucketIndex  = []byte("index")  // storedKey -> appendNote
	bucketCounts = []byte("counts") // appendCounts of a project and role
)

func bucketOf(k kind) []byte {
	if k == kindGuest {
		return bucketGuest
	}
	return bucketValues
}

// lockTimeout is how long another process may hold the file; without one bbolt
// waits for ever.
const lockTimeout = time.Second

// file is an open bbolt file that can die.
//
// bbolt panics, or faults on its mapping, when pages are damaged, and may then
// keep locks of its own for ever. So every operation runs in a goroutine that
// survives both, and nobody waits for one longer than the file lives.
type file struct {
	db   *bolt.DB
	info fs.FileInfo
	dead chan struct{} // closed by kill

	once  sync.Once
	cause error // why it died; read after dead is closed
}

// errDead is wrapped by every error of a file that died.
var errDead = errors.New("cache file is damaged")

// openFile opens or makes the file at path.
//
// Errors: abi.ErrConflict if another process has it, errDead if what is there
// is no cache file of ours and whole, anything else as the system said.
func openFile(path string) (*file, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	if err := inspect(path); err != nil {
		return nil, err
	}
	f := &file{dead: make(chan struct{})}
	err := f.run(func() error {
		db, err := bolt.Open(path, 0o600, &bolt.Options{
			Timeout: lockTimeout,
			NoSync:  true, // rebuildable; the writer syncs now and then
			// Not NoFreelistSync: without a stored free list bbolt scans the file at
			// the next open, in a goroutine that no recover of ours can reach.
			FreelistType: bolt.FreelistMapType,
			NoStatistics: true,
		})
		f.db = db
		return err
	})
	if err != nil {
		return nil, openError(path, err)
	}
	if err := f.run(func() error { return f.db.Update(makeBuckets) }); err != nil {
		f.close()
		return nil, err
	}
	if f.info, err = os.Stat(path); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// inspect verifies what lies at path, if anything. It holds bbolt's shared lock
// meanwhile, so it never looks at a file that another process writes.
func inspect(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%w: not a regular file", errDead)
	}
	if info.Size() == 0 {
		return nil
	}
	f := &file{dead: make(chan struct{})}
	err = f.run(func() error {
		db, err := bolt.Open(path, 0o600, &bolt.Options{Timeout: lockTimeout, ReadOnly: true, NoStatistics: true})
		f.db = db
		return err
	})
	if err != nil {
		return openError(path, err)
	}
	defer f.close()
	r, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	if info, err = r.Stat(); err != nil {
		return err
	}
	if err := verify(r, info.Size()); err != nil {
		return fmt.Errorf("%w: %v", errDead, err)
	}
	return nil
}

// openError tells apart who holds the file, what the system refused and damage.
func openError(path string, err error) error {
	if errors.Is(err, bolterrors.ErrTimeout) {
		return fmt.Errorf("%w: %s is in use by another process", abi.ErrConflict, path)
	}
	if ofSystem(err) || errors.Is(err, errDead) {
		return err
	}
	return fmt.Errorf("%w: %v", errDead, err)
}

// ofSystem reports whether err is the disk's or the system's, not the file's: a
// full or read-only disk is no reason to throw a good file away. That a file
// may not be read is the file's own.
func ofSystem(err error) bool {
	if errors.Is(err, fs.ErrPermission) {
		return false
	}
	var no syscall.Errno
	return errors.As(err, &no)
}

// makeBuckets creates the buckets of a new file; a file with other ones is
// somebody else's.
func makeBuckets(tx *bolt.Tx) error {
	n := 0
	err := tx.ForEach(func([]byte, *bolt.Bucket) error {
		n++
		return nil
	})
	if err != nil {
		return err
	}
	names := [][]byte{bucketValues, bucketGuest, bucketIndex, bucketCounts}
	for _, name := range names {
		if n == 0 {
			if _, err := tx.CreateBucket(name); err != nil {
				return err
			}
		} else if tx.Bucket(name) == nil {
			return fmt.Errorf("%w: it has no bucket %q, so it is not a cache of ours", errDead, name)
		}
	}
	return nil
}

// read runs fn in a read transaction; what fn needs later it must copy.
func (f *file) read(fn func(*bolt.Tx) error) error {
	return f.run(func() error { return f.db.View(fn) })
}

// write runs fn in the write transaction.
func (f *file) write(fn func(*bolt.Tx) error) error {
	return f.run(func() error { return f.db.Update(fn) })
}

// run runs op where a panic or a fault ends nothing but the file. Its error
// wraps errDead if the file has died, by op or by another one meanwhile.
func (f *file) run(op func() error) error {
	select {
	case <-f.dead:
		return f.cause
	default:
	}
	done := make(chan error, 1)
	go func() { done <- survive(op) }()
	select {
	case err := <-done:
		if errors.Is(err, errDead) {
			f.kill(err)
		}
		return err
	case <-f.dead:
		return f.cause
	}
}

// survive turns a panic, or a fault on mapped memory, into errDead.
func survive(op func() error) (err error) {
	debug.SetPanicOnFault(true) // of this goroutine only, which ends with op
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", errDead, r)
		}
	}()
	return op()
}

func (f *file) kill(cause error) {
	f.once.Do(func() {
		f.cause = cause
		close(f.dead)
	})
}

// close closes the file. One that died is closed in the background, as far as
// bbolt's locks allow; at worst its mapping stays until the process ends.
func (f *file) close() {
	if f.db == nil {
		return
	}
	select {
	case <-f.dead:
		go func() { _ = survive(f.db.Close) }()
	default:
		_ = f.run(f.db.Close)
	}
}
