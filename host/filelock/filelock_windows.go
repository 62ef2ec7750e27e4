package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// beyond returns the offset of the locked byte, which is after the end of any file.
// Windows prevents other processes from reading locked bytes, but they must be able to
// read the text of a lock file.
func beyond() *windows.Overlapped { return &windows.Overlapped{OffsetHigh: 1 << 30} }

func lock(f *os.File) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, beyond())
}

func tryLock(f *os.File) (bool, error) { return try(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

func isLocked(f *os.File) (bool, error) {
	const shared = 0
	free, err := try(f, shared)
	if err != nil || !free {
		return err == nil, err
	}
	return false, unlock(f)
}

func try(f *os.File, how uint32) (bool, error) {
	err := windows.LockFileEx(windows.Handle(f.Fd()), how|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, beyond())
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

func unlock(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, beyond())
}
