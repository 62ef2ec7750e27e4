package host

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/host/hosttest"
)

// These make this test binary an MCP server: on stdin and stdout, or over HTTP.
const (
	fakeServerVar = "HOST_TEST_SERVER"
	webServerVar  = "HOST_TEST_WEB_SERVER"
)

// compiled is hosttest.CompiledCode, the cache of compiled code of all homes.
var compiled string

func TestMain(m *testing.M) {
	if os.Getenv(fakeServerVar) != "" {
		serveFake(os.Stdin, os.Stdout)
		os.Exit(0)
	}
	if os.Getenv(webServerVar) != "" {
		os.Exit(serveWeb())
	}
	var err error
	if compiled, err = hosttest.CompiledCode(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if code == 0 {
		code = checkNothingLeft()
	}
	os.Exit(code)
}

// checkNothingLeft fails the run if a goroutine of the host or a child process
// outlives its test.
func checkNothingLeft() int {
	if left := eventually(ourGoroutines, ""); left != "" {
		fmt.Fprintf(os.Stderr, "FAIL: goroutines outlived their tests:\n%s\n", left)
		return 1
	}
	if left := eventually(children, ""); left != "" {
		fmt.Fprintf(os.Stderr, "FAIL: child processes outlived their tests: %s\n", left)
		return 1
	}
	return 0
}

// eventually calls ask until it returns want, for at most a minute, and returns
// the last value.
func eventually[T comparable](ask func() T, want T) T {
	end := time.After(time.Minute)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		got := ask()
		if got == want {
			return got
		}
		select {
		case <-tick.C:
		case <-end:
			return got
		}
	}
}

// ourGoroutines returns the stacks of goroutines that run code of the host.
func ourGoroutines() string {
	buf := make([]byte, 4<<20)
	var stacks []string
	for stack := range strings.SplitSeq(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
		_, creator, _ := strings.Cut(stack, "\ncreated by ")
		if strings.Contains(creator, "mcpctl/host") || strings.Contains(stack, "mcpctl/host/") && !strings.Contains(stack, "host.TestMain") {
			stacks = append(stacks, stack)
		}
	}
	return strings.Join(stacks, "\n\n")
}

// children returns the running child processes, on systems that list them.
func children() string {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", os.Getpid()))
	var pids []string
	for _, file := range tasks {
		b, _ := os.ReadFile(file)
		pids = append(pids, strings.Fields(string(b))...)
	}
	return strings.Join(pids, " ")
}
