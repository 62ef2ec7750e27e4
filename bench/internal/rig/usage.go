package rig

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// Usage is what a daemon uses. Memory and files are 0 where /proc does not exist.
type Usage struct{ Memory, Goroutines, Files int }

// String implements fmt.Stringer.
func (u Usage) String() string {
	return fmt.Sprintf("%d MB, %d goroutines, %d files", u.Memory>>20, u.Goroutines, u.Files)
}

// Max returns the larger of each figure.
func (u Usage) Max(v Usage) Usage {
	return Usage{max(u.Memory, v.Memory), max(u.Goroutines, v.Goroutines), max(u.Files, v.Files)}
}

// Usage reads the figures of the daemon.
func (d *Daemon) Usage(ctx context.Context) (u Usage, err error) {
	process := filepath.Join("/proc", strconv.Itoa(d.cmd.Process.Pid))
	if text, err := os.ReadFile(filepath.Join(process, "statm")); err == nil {
		var total, resident int
		if _, err := fmt.Sscan(string(text), &total, &resident); err == nil {
			u.Memory = resident * os.Getpagesize()
		}
	}
	files, _ := os.ReadDir(filepath.Join(process, "fd"))
	u.Files = len(files)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.url+"/metrics", nil)
	if err != nil {
		return u, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return u, err
	}
	defer res.Body.Close()
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		if value, ok := strings.CutPrefix(lines.Text(), "mcpctl_goroutines "); ok {
			u.Goroutines, err = strconv.Atoi(value)
			return u, err
		}
	}
	return u, fmt.Errorf("%s/metrics has no mcpctl_goroutines", d.url)
}

// Reload makes the daemon read the files of its home.
func (d *Daemon) Reload(ctx context.Context) error { return d.mcpctl(ctx, "reload") }

// AddStage copies a module into the home, and creates a project of its name that uses it.
func (d *Daemon) AddStage(ctx context.Context, name, module string) error {
	file, err := os.ReadFile(module)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(d.home, "stages", name+".wasm"), file, 0o600); err != nil {
		return err
	}
	return d.apply(ctx, fmt.Sprintf("kind: ProxyModel\nmetadata: {name: %[1]s}\nspec: {stages: [{type: %[1]s}]}\n---\n"+
		"kind: Project\nmetadata: {name: %[1]s}\nspec: {proxyMode: proxy, servers: [up], gated: false, proxyModel: %[1]s, toolNames: bare, maxAnswerTokens: 0}\n", name))
}

// mcpctl runs a command on the home.
func (d *Daemon) mcpctl(ctx context.Context, args ...string) error {
	if out, err := d.Command(ctx, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", args[0], err, out)
	}
	return nil
}

// Command returns a command of mcpctl that uses the home and has not been started.
func (d *Daemon) Command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(d.bin, "mcpctl"), args...)
	cmd.Env = append(os.Environ(), "MCPCTL_HOME="+d.home)
	return cmd
}
