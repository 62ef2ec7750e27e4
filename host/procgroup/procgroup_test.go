//go:build unix

package procgroup

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"testing"
)

// start runs a script of sh and waits for its first line. out ends when no process has
// the script's output open.
func start(t *testing.T, script string) (cmd *exec.Cmd, out *bufio.Reader) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	cmd = exec.Command("sh", "-c", script)
	cmd.Stdout = w
	Own(cmd)
	err = cmd.Start()
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	out = bufio.NewReader(r)
	if line, err := out.ReadString('\n'); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	return cmd, out
}

// The children of a process end with it.
func TestGroupEnds(t *testing.T) {
	tests := []struct {
		rule   string
		script string
		end    func(*exec.Cmd)
		ok     bool // exit status 0
	}{
		{"reap kills orphans", `sleep 1000 & echo up; exit 0`, func(*exec.Cmd) {}, true},
		// The child itself reports that it runs: between its fork and its exec it still
		// has its parent's trap, and would only note the signal there.
		{"terminate reaches all", `trap 'wait; exit 0' TERM; (echo up; exec sleep 1000) & wait`, Terminate, true},
		{"kill reaches all", `trap '' TERM; sleep 1000 & echo up; wait`, Kill, false},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			cmd, out := start(t, tt.script)
			tt.end(cmd)
			if err := Reap(cmd); (err == nil) != tt.ok {
				t.Errorf("ended with %v", err)
			}
			if _, err := io.Copy(io.Discard, out); err != nil {
				t.Error(err)
			}
		})
	}
}
