package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// daemon is a real mcplocal in a home of its own.
type daemon struct {
	cmd  *exec.Cmd
	home string
	url  string
}

// projects in front of the same upstream: without stages, and with the index.
const objects = `kind: Server
metadata: {name: up}
spec: {url: %q}
---
kind: ProxyModel
metadata: {name: through}
spec: {controller: none, stages: []}
---
kind: Project
metadata: {name: through}
spec: {proxyMode: proxy, servers: [up], gated: false, proxyModel: through, toolNames: bare}
---
kind: Project
metadata: {name: subindex}
spec: {proxyMode: proxy, servers: [up], gated: false, proxyModel: subindex, toolNames: bare}
`

func startDaemon(ctx context.Context, bin, upstream string) (*daemon, error) {
	home, err := os.MkdirTemp("", "mcpctl-bench")
	if err != nil {
		return nil, err
	}
	d := &daemon{home: home}
	d.cmd = exec.CommandContext(ctx, filepath.Join(bin, "mcplocal"), "serve", "--listen", "127.0.0.1:0", "--no-token")
	d.cmd.Env = append(os.Environ(), "MCPCTL_HOME="+home)
	d.cmd.Stderr = os.Stderr
	d.cmd.Cancel = func() error { return d.cmd.Process.Signal(syscall.SIGTERM) }
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := d.cmd.Start(); err != nil {
		return nil, fmt.Errorf("%w (make build first)", err)
	}
	var ready struct{ Listening string }
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &ready)
	}
	if err != nil {
		d.stop()
		return nil, fmt.Errorf("mcplocal did not get ready: %w", err)
	}
	d.url = ready.Listening
	return d, d.apply(ctx, bin, fmt.Sprintf(objects, upstream))
}

func (d *daemon) apply(ctx context.Context, bin, yaml string) error {
	file := filepath.Join(d.home, "bench.yaml")
	if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "mcpctl"), "apply", "-f", file)
	cmd.Env = append(os.Environ(), "MCPCTL_HOME="+d.home)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("apply: %w: %s", err, out)
	}
	return nil
}

func (d *daemon) endpoint(project string) string { return d.url + "/projects/" + project + "/mcp" }

func (d *daemon) stop() {
	_ = d.cmd.Process.Signal(syscall.SIGTERM) // it may have ended by itself
	_ = d.cmd.Wait()
	os.RemoveAll(d.home)
}
