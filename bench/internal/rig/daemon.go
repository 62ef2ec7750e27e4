// Package rig is what the benchmarks share: a real daemon in a home of its own,
// an MCP client, and an MCP server of the standard library alone.
package rig

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

// Daemon is a running mcplocal. Stop it.
type Daemon struct {
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

// Start runs the mcplocal in folder bin with two projects in front of the
// upstream: "through" has no stages, "subindex" indexes. Tools keep their names.
func Start(ctx context.Context, bin, upstream string) (*Daemon, error) {
	home, err := os.MkdirTemp("", "mcpctl-bench")
	if err != nil {
		return nil, err
	}
	d := &Daemon{home: home}
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
	if err == nil {
		d.url = ready.Listening
		err = d.apply(ctx, bin, fmt.Sprintf(objects, upstream))
	}
	if err != nil {
		d.Stop()
		return nil, fmt.Errorf("mcplocal did not get ready: %w", err)
	}
	return d, nil
}

func (d *Daemon) apply(ctx context.Context, bin, yaml string) error {
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

// Endpoint is the MCP address of a project.
func (d *Daemon) Endpoint(project string) string { return d.url + "/projects/" + project + "/mcp" }

// Stop ends the daemon and removes its home.
func (d *Daemon) Stop() {
	_ = d.cmd.Process.Signal(syscall.SIGTERM) // it may have ended by itself
	_ = d.cmd.Wait()
	os.RemoveAll(d.home)
}
