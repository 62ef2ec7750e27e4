//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/host/team/teamtest"
)

// TestSignalEndsCommandThatWaitsForInput verifies that one Ctrl-C ends a command that reads
// standard input.
func TestSignalEndsCommandThatWaitsForInput(t *testing.T) {
	home := t.TempDir()
	for _, args := range []string{"proxymodel run default", "stage run paginate", "apply -f -"} {
		t.Run(args, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := self(ctx, t, home, strings.Fields(args)...)
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			// This exceeds the buffer of a pipe: once it is written, the command is reading.
			if _, err := in.Write(bytes.Repeat([]byte("text\n"), 1<<20)); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			if ctx.Err() != nil || cmd.ProcessState.ExitCode() != 1 || !strings.HasPrefix(stderr.String(), "error: interrupt") {
				t.Errorf("%v, output %q: want status 1 and an error about the interrupt", cmd.ProcessState, stderr.String())
			}
		})
	}
}

// TestSignalEndsLogin verifies that one Ctrl-C ends a login that waits for its confirmation.
func TestSignalEndsLogin(t *testing.T) {
	m := teamtest.Start()
	t.Cleanup(m.Close)
	m.SetLogins("pending")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := self(ctx, t, t.TempDir(), "login", m.URL, "--oidc")
	pipe, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stderr := bufio.NewReader(pipe)
	for line := ""; !strings.HasPrefix(line, "the code is valid"); {
		if line, err = stderr.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(stderr)
	if err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	want := "error: interrupt signal received\n  the login was not confirmed: it was interrupted before\nhint: mcpctl login " + m.URL + " --oidc\n"
	if string(text) != want || cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("%v, output %q, want %q", cmd.ProcessState, text, want)
	}
}

// TestSignalEndsMCP verifies that SIGTERM ends `mcpctl mcp`, because some clients never close
// its standard input.
func TestSignalEndsMCP(t *testing.T) {
	dir, err := os.MkdirTemp("", "h") // a short path, because that of a socket is limited
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	home := filepath.Join(dir, "h")
	write(t, filepath.Join(home, "projects", "p.yaml"), "kind: Project\nmetadata: {name: p}\nspec: {gated: false}\n")
	daemon := exec.CommandContext(t.Context(), filepath.Join(build(t).bin, "mcplocal"), "serve", "--listen", "127.0.0.1:0")
	daemon.Env = append(os.Environ(), "MCPCTL_HOME="+home)
	ready, err := daemon.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = daemon.Process.Signal(syscall.SIGTERM)
		_ = daemon.Wait()
	}()
	readLine(t, ready)

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	entry := self(ctx, t, home, "mcp", "--project", "p")
	in, err := entry.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := entry.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := entry.Start(); err != nil {
		t.Fatal(err)
	}
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	if _, err := io.WriteString(in, hello+"\n"); err != nil {
		t.Fatal(err)
	}
	readLine(t, out)
	if err := entry.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := entry.Wait(); err != nil {
		t.Errorf("mcpctl mcp ends with %v, want status 0", err)
	}
}

// self returns a command that runs this test binary as mcpctl.
func self(ctx context.Context, t *testing.T, home string, args ...string) *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "mcpctl")
	if err := os.Symlink(program, link); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, link, args...)
	cmd.Env = append(os.Environ(), "MCPCTL_HOME="+home)
	return cmd
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// readLine reads one line.
func readLine(t *testing.T, from io.Reader) {
	t.Helper()
	for b := []byte{0}; b[0] != '\n'; {
		if _, err := from.Read(b); err != nil {
			t.Fatal(err)
		}
	}
}
