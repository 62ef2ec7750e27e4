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
	id, _ := unix.Getsid(0) // of oneself it does not fail
	return id
}

// maxSweeps bounds how often all processes are looked at: one may start another
// while it is being ended.
const maxSweeps = 5

// endMarked ends the processes with a mark in a session.
func endMarked(mark string, session int) {
	for range maxSweeps {
		found := marked(mark, session)
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

// marked returns descriptors of the processes with a mark in a session.
func marked(mark string, session int) (found []int) {
	dirs, _ := filepath.Glob("/proc/[0-9]*") // fails only for a bad pattern
	for _, dir := range dirs {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			continue
		}
		// The descriptor comes first: what is read afterwards is of the process
		// it stands for, or of none if that one has ended.
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			continue
		}
		if carries(dir, mark) && inSession(pid, session) && unix.PidfdSendSignal(fd, 0, nil, 0) == nil {
			found = append(found, fd)
		} else {
			_ = unix.Close(fd)
		}
	}
	return found
}

func carries(dir, mark string) bool {
	env, err := os.ReadFile(filepath.Join(dir, "environ"))
	want := []byte(markVar + "=" + mark)
	for entry := range bytes.SplitSeq(env, []byte{0}) {
		if bytes.Equal(entry, want) {
			return err == nil
		}
	}
	return false
}

func inSession(pid, session int) bool {
	id, err := unix.Getsid(pid)
	return err == nil && id == session
}

func signalAll(fds []int, s unix.Signal) {
	for _, fd := range fds {
		_ = unix.PidfdSendSignal(fd, s, nil, 0) // it may have ended
	}
}

// waitAll waits until all have ended, for a while.
func waitAll(fds []int, most time.Duration) {
	end := time.Now().Add(most)
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
