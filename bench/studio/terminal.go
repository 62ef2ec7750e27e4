package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// terminal is a tmux server with one window, and a control client that reads its frames
// without starting a process for each.
type terminal struct {
	socket string
	pid    int // of the program in the window
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
}

func startTerminal(ctx context.Context, home, program string, size [2]int) (*terminal, error) {
	t := &terminal{socket: fmt.Sprintf("bench-studio-%d-%d", os.Getpid(), size[0])}
	start := t.tmux(ctx, "new-session", "-d", "-x", strconv.Itoa(size[0]), "-y", strconv.Itoa(size[1]),
		"-e", "MCPCTL_HOME="+home, "exec "+program+" console --model-studio "+project)
	if out, err := start.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("tmux: %w: %s", err, out)
	}
	out, err := t.tmux(ctx, "list-panes", "-F", "#{pane_pid}").Output()
	if err != nil {
		return nil, fmt.Errorf("tmux list-panes: %w", err)
	}
	if t.pid, err = strconv.Atoi(strings.TrimSpace(string(out))); err != nil {
		return nil, err
	}
	t.cmd = t.tmux(ctx, "-C", "attach", "-f", "ignore-size,no-output")
	if t.in, err = t.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := t.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	t.out = bufio.NewReader(stdout)
	if err := t.cmd.Start(); err != nil {
		return nil, err
	}
	_, err = t.answer() // of attach
	return t, err
}

func (t *terminal) tmux(ctx context.Context, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, "tmux", append([]string{"-L", t.socket, "-f", "/dev/null"}, args...)...)
}

// Close ends the program and the server.
func (t *terminal) Close() {
	_ = t.in.Close()
	_ = t.tmux(context.Background(), "kill-server").Run()
	_ = t.cmd.Wait()
}

func (t *terminal) do(command string) (string, error) {
	if _, err := io.WriteString(t.in, command+"\n"); err != nil {
		return "", err
	}
	return t.answer()
}

// answer reads the output of a command; notifications before it are ignored.
func (t *terminal) answer() (string, error) {
	var b strings.Builder
	inside := false
	for {
		line, err := t.out.ReadString('\n')
		if err != nil {
			return "", fmt.Errorf("tmux ended: %w", err)
		}
		switch {
		case strings.HasPrefix(line, "%begin "):
			inside = true
		case strings.HasPrefix(line, "%end "):
			return b.String(), nil
		case strings.HasPrefix(line, "%error "):
			return "", fmt.Errorf("tmux: %s", b.String())
		case inside:
			b.WriteString(line)
		}
	}
}

func (t *terminal) send(key string) error {
	_, err := t.do("send-keys " + key)
	return err
}

func (t *terminal) capture() (string, error) { return t.do("capture-pane -p") }

// await waits for a text in the frame.
func (t *terminal) await(text string) error {
	var frame string
	var err error
	for range 600 {
		if frame, err = t.capture(); err != nil || strings.Contains(frame, text) {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("no %q on the screen after 60 s:\n%s", text, frame)
}

// rss returns the resident memory of a process in MB.
func rss(pid int) float64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "VmRSS:" {
			kb, _ := strconv.Atoi(f[1]) // the kernel writes a number
			return float64(kb) / 1024
		}
	}
	return 0
}

// cpuTime returns the processor time of a process.
func cpuTime(pid int) time.Duration {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	f := strings.Fields(rest)
	if len(f) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(f[11]) // the kernel writes numbers
	system, _ := strconv.Atoi(f[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}
