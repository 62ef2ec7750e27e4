// Package filelock locks open files between processes. A lock ends with the
// process that holds it, however that process ends.
package filelock

import "os"

// Lock locks f exclusively and waits for a process that holds the lock.
func Lock(f *os.File) error { return lock(f) }

// TryLock locks f exclusively, and returns false if another process holds the lock.
func TryLock(f *os.File) (bool, error) { return tryLock(f) }

// IsLocked reports whether another open file holds the lock of the same file. It takes a
// shared lock for a moment, which concurrent calls of IsLocked do not notice.
func IsLocked(f *os.File) (bool, error) { return isLocked(f) }

// Unlock releases the lock at once. Closing f is not enough while a child process
// that is being started still has it open.
func Unlock(f *os.File) error { return unlock(f) }
