//go:build amd64 || arm64

package worker

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// attempts are what a guest that broke out of the engine might try.
var attempts = map[string]func() error{
	"read a file":     func() error { _, err := os.ReadFile("/etc/hostname"); return err },
	"write a file":    func() error { return os.WriteFile("/tmp/mcpctl-confined", nil, 0o600) },
	"connect":         func() error { _, err := net.DialTimeout("tcp", "127.0.0.1:1", time.Second); return err },
	"start a program": func() error { return exec.Command("/bin/true").Run() },
	"fork": func() error {
		_, _, err := unix.Syscall(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0)
		return orNil(err)
	},
	"send a signal by a file": func() error {
		if _, err := unix.FcntlInt(0, unix.F_SETOWN, os.Getppid()); err != nil {
			return err
		}
		_, err := unix.FcntlInt(0, unix.F_SETFL, unix.O_ASYNC)
		return err
	},
	"send a signal":        func() error { return unix.Kill(os.Getppid(), 0) },
	"send a thread signal": func() error { return unix.Tgkill(os.Getppid(), os.Getppid(), 0) },
	"read another process": func() error { return unix.PtraceAttach(os.Getppid()) },
	"allocate code": func() error {
		_, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_ANON|unix.MAP_PRIVATE)
		return err
	},
	"make data executable": func() error {
		b, _ := unix.Mmap(-1, 0, 4096, unix.PROT_READ, unix.MAP_ANON|unix.MAP_PRIVATE)
		return unix.Mprotect(b, unix.PROT_EXEC)
	},
	"change its limits":     func() error { return unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}) },
	"list a directory":      func() error { _, err := os.ReadDir("/"); return err },
	"create a user's space": func() error { return unix.Unshare(unix.CLONE_NEWUSER) },
}

func orNil(e syscall.Errno) error {
	if e == 0 {
		return nil
	}
	return e
}

// TestConfinedProcess is not a test: it is the process of TestConfine.
func TestConfinedProcess(t *testing.T) {
	if os.Getenv("MCPCTL_CONFINED") == "" {
		t.Skip("not the process of TestConfine")
	}
	const fileBytes = 1 << 20
	LimitFiles(fileBytes)
	Confine()
	for name, try := range attempts {
		if err := try(); err == nil {
			fmt.Printf("allowed: %s\n", name)
		} else if !errors.Is(err, syscall.EPERM) && !strings.Contains(err.Error(), "operation not permitted") {
			fmt.Printf("%s: %v\n", name, err)
		}
	}
	for files := 0; ; files++ { // memory that no limit of addresses counts
		file, err := unix.MemfdCreate("test", 0)
		if err != nil {
			break
		}
		if _, err := unix.Pwrite(file, []byte{1}, fileBytes); files >= maxFiles || !errors.Is(err, unix.EFBIG) {
			fmt.Printf("file %d in memory has a byte after its limit: %v\n", files, err)
			break
		}
	}
	done := make(chan int)
	for range 50 { // threads, timers, memory and its collection still work
		go func() {
			runtime.LockOSThread()
			time.Sleep(time.Millisecond)
			done <- len(slices.Repeat([]byte{1}, 1<<20))
		}()
	}
	for range 50 {
		<-done
	}
	runtime.GC()
	fmt.Println("done")
	os.Exit(0)
}

func TestConfine(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestConfinedProcess$")
	cmd.Env = []string{"MCPCTL_CONFINED=1"}
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != "done\n" {
		t.Errorf("%v\n%s", err, out)
	}
}
