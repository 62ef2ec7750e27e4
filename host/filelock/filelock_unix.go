//go:build unix

package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func lock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX) }

func tryLock(f *os.File) (bool, error) { return try(f, unix.LOCK_EX) }

func isLocked(f *os.File) (bool, error) {
	free, err := try(f, unix.LOCK_SH)
	if err != nil || !free {
		return err == nil, err
	}
	return false, unlock(f)
}

func try(f *os.File, how int) (bool, error) {
	err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

func unlock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_UN) }
