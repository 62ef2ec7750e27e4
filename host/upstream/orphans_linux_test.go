package upstream

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// watch returns a function that waits for the end of a process.
func watch(t *testing.T, pid int) (ended func(within time.Duration) bool) {
	t.Helper()
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		t.Fatalf("process %d: %v", pid, err)
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
	return func(within time.Duration) bool {
		n, _ := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(within.Milliseconds()))
		return n == 1
	}
}

// A killed daemon cannot end the processes that its servers have started. The next daemon
// ends them and no others.
func TestOrphansOfAKilledDaemonAreEnded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mark")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	daemon := exec.Command(exe)
	daemon.Env = append(os.Environ(), fakeVar+"=daemon="+file)
	out, err := daemon.StdoutPipe()
	if err != nil || daemon.Start() != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	orphan, err := strconv.Atoi(strings.Fields(line)[0])
	if err != nil {
		t.Fatalf("the daemon says %q", line)
	}
	orphanEnded := watch(t, orphan)
	_ = daemon.Process.Kill()
	_ = daemon.Wait()
	if orphanEnded(50 * time.Millisecond) {
		t.Fatal("nothing was left behind: this test proves nothing")
	}

	mark, session, ok := readMark(file)
	if !ok {
		t.Fatal("no mark")
	}
	others := map[string]func(time.Duration) bool{
		"another mark":         stranger(t, exe, mark+"x", false),
		"a session of its own": stranger(t, exe, mark, true),
	}
	next, err := EndOrphans(file)
	if err != nil || next == mark {
		t.Errorf("new mark %q, %v", next, err)
	}
	if !orphanEnded(0) {
		t.Error("the orphan lives on")
	}
	for rule, ended := range others {
		if ended(0) {
			t.Errorf("%s: ended too", rule)
		}
	}
	if now, s, ok := readMark(file); now != next || s != session || !ok {
		t.Errorf("kept %q %d, want %q %d", now, s, next, session)
	}
}

// stranger starts a process that is not to be ended.
func stranger(t *testing.T, exe, mark string, leaves bool) func(time.Duration) bool {
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), fakeVar+"=slow=1m", markVar+"="+mark)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: leaves}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return watch(t, cmd.Process.Pid)
}

// An invalid mark is ignored: an empty mark would match every process.
func TestReadMarkRefusesInvalidMarks(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mark")
	for _, text := range []string{"", "\n", " 1", "x 1", "abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwxyz one", "abcdefghijklmnopqrstuvwxyz 1 2"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if mark, _, ok := readMark(file); ok {
			t.Errorf("%q: taken for the mark %q", text, mark)
		}
	}
}
