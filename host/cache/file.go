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

// Buckets of the file. Each key of the first two has a note in the third.
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

// lockTimeout is the maximum wait for the file lock. bbolt has no limit by default.
const lockTimeout = time.Second

// file is an open bbolt file that survives damage.
//
// With damaged pages, bbolt panics or faults on mapped memory and may never release
// its locks. Every operation therefore runs in its own goroutine, which recovers from
// both. After that the file is dead: all pending and later operations fail.
type file struct {
	db   *bolt.DB
	info fs.FileInfo
	dead chan struct{} // closed by kill

	once  sync.Once
	cause error // cause of death; valid once dead is closed
}

// errDead is wrapped by every error of a dead file.
var errDead = errors.New("cache file is damaged")

// openFile opens or creates the file at path.
//
// Errors: abi.ErrConflict if another process has it open, errDead if it is damaged or
// not a cache file, or an error of the system.
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
			NoSync:  true, // values can be computed again; the writer syncs periodically
			// NoFreelistSync is off: without a stored free list, bbolt scans the file at
			// the next open in its own goroutine, where a panic cannot be recovered.
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

// inspect verifies the file at path, if there is one. It uses bbolt's shared lock, so
// that no other process writes the file meanwhile.
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

// openError classifies an error of bolt.Open: file in use, error of the system, or
// damage.
func openError(path string, err error) error {
	if errors.Is(err, bolterrors.ErrTimeout) {
		return fmt.Errorf("%w: %s is in use by another process", abi.ErrConflict, path)
	}
	if isSystemError(err) || errors.Is(err, errDead) {
		return err
	}
	return fmt.Errorf("%w: %v", errDead, err)
}

// isSystemError reports whether err comes from the system and not from the file. A valid
// file must not be discarded because the disk is full or read-only. A permission
// error counts as an error of the file.
func isSystemError(err error) bool {
	if errors.Is(err, fs.ErrPermission) {
		return false
	}
	var no syscall.Errno
	return errors.As(err, &no)
}

// makeBuckets creates the buckets of a new file. It returns errDead for a file with
// other buckets.
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
			return fmt.Errorf("%w: bucket %q is missing, so it is not a cache of mcpctl", errDead, name)
		}
	}
	return nil
}

// read runs fn in a read transaction. fn must copy the data that it keeps.
func (f *file) read(fn func(*bolt.Tx) error) error {
	return f.run(func() error { return f.db.View(fn) })
}

// write runs fn in a write transaction.
func (f *file) write(fn func(*bolt.Tx) error) error {
	return f.run(func() error { return f.db.Update(fn) })
}

// run runs op in a goroutine that recovers from panics and memory faults. Its error
// wraps errDead if the file is dead or dies before op returns.
func (f *file) run(op func() error) error {
	select {
	case <-f.dead:
		return f.cause
	default:
	}
	done := make(chan error, 1)
	go func() { done <- recoverFaults(op) }()
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

// recoverFaults runs op and converts a panic or a fault on mapped memory to errDead.
func recoverFaults(op func() error) (err error) {
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

// close closes the file. A dead file is closed in the background, because bbolt may
// never release its locks; its mapping may then stay until the process ends.
func (f *file) close() {
	if f.db == nil {
		return
	}
	select {
	case <-f.dead:
		go func() { _ = recoverFaults(f.db.Close) }()
	default:
		_ = f.run(f.db.Close)
	}
}
