package upstream

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

func sessionID() int {
	id, _ := unix.Getsid(0) // cannot fail for the calling process
	return id
}

// maxSweeps bounds the passes over all processes. A process may start another one while
// it is being ended.
const maxSweeps = 5

// endMarked ends the processes with a mark in a session.
func endMarked(mark string, session int) {
	for range maxSweeps {
		found := findMarked(mark, session)
		if len(found) == 0 {
			return
		}
		signalAll(found, unix.SIGTERM)
		waitAll(found, leave)
		signalAll(found, unix.SIGKILL)
		waitAll(found, leave)
		for _, fd := range found {
			_ = unix.Close(fd)
		}
	}
}

// findMarked returns descriptors of the processes with a mark in a session.
func findMarked(mark string, session int) (found []int) {
	dirs, _ := filepath.Glob("/proc/[0-9]*") // fails only for a bad pattern
	for _, dir := range dirs {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			continue
		}
		// The descriptor is opened first. The data read afterwards then belongs to its
		// process, unless that has ended, which the signal 0 detects.
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			continue
		}
		if hasMark(dir, mark) && isInSession(pid, session) && unix.PidfdSendSignal(fd, 0, nil, 0) == nil {
			found = append(found, fd)
		} else {
			_ = unix.Close(fd)
		}
	}
	return found
}

func hasMark(dir, mark string) bool {
	env, err := os.ReadFile(filepath.Join(dir, "environ"))
	want := []byte(markVar + "=" + mark)
	for entry := range bytes.SplitSeq(env, []byte{0}) {
		if bytes.Equal(entry, want) {
			return err == nil
		}
	}
	return false
}

func isInSession(pid, session int) bool {
	id, err := unix.Getsid(pid)
	return err == nil && id == session
}

func signalAll(fds []int, s unix.Signal) {
	for _, fd := range fds {
		_ = unix.PidfdSendSignal(fd, s, nil, 0) // fails if the process has ended
	}
}

// waitAll waits until all processes have ended, for at most limit.
func waitAll(fds []int, limit time.Duration) {
	end := time.Now().Add(limit)
	for _, fd := range fds {
		for {
			left := max(time.Until(end), 0)
			_, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(left.Milliseconds()))
			if err != unix.EINTR {
				break
			}
		}
	}
}
