// Package rig provides the parts of the benchmarks: a real daemon with a temporary home, an
// MCP client, and an MCP server that uses only the standard library.
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

// Daemon is a running mcplocal. The caller must stop it.
type Daemon struct {
	cmd  *exec.Cmd
	bin  string
	home string
	url  string
}

// objects are two projects with the same upstream: one without stages, one with an index.
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
spec: {proxyMode: proxy, servers: [up], gated: false, proxyModel: through, toolNames: bare, maxAnswerTokens: 0}
---
kind: Project
metadata: {name: subindex}
spec: {proxyMode: proxy, servers: [up], gated: false, proxyModel: subindex, toolNames: bare}
`

// Start starts the mcplocal in directory bin with two projects that use the upstream:
// "through" has no stages, "subindex" has an index. Tools keep their names.
func Start(ctx context.Context, bin, upstream string) (*Daemon, error) {
	return StartWith(ctx, bin, fmt.Sprintf(objects, upstream))
}

// StartWith starts the mcplocal in directory bin with the given objects, which are YAML.
func StartWith(ctx context.Context, bin, yaml string) (*Daemon, error) {
	home, err := os.MkdirTemp("", "mcpctl-bench")
	if err != nil {
		return nil, err
	}
	d := &Daemon{bin: bin, home: home}
	err = d.Restart(ctx)
	if err == nil {
		err = d.apply(ctx, yaml)
	}
	if err != nil {
		d.Stop()
		return nil, err
	}
	return d, nil
}

// Restart starts the daemon of the home after it has ended. Its address may be another one.
func (d *Daemon) Restart(ctx context.Context) error {
	d.cmd = exec.CommandContext(ctx, filepath.Join(d.bin, "mcplocal"), "serve", "--listen", "127.0.0.1:0", "--no-token")
	d.cmd.Env = append(os.Environ(), "MCPCTL_HOME="+d.home)
	d.cmd.Stderr = os.Stderr
	d.cmd.Cancel = func() error { return d.cmd.Process.Signal(syscall.SIGTERM) }
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := d.cmd.Start(); err != nil {
		return fmt.Errorf("%w (make build first)", err)
	}
	var ready struct{ Listening string }
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &ready)
	}
	if err != nil {
		return fmt.Errorf("mcplocal did not get ready: %w", err)
	}
	d.url = ready.Listening
	return nil
}

// Kill ends the daemon like a crash.
func (d *Daemon) Kill() error {
	if err := d.cmd.Process.Kill(); err != nil {
		return err
	}
	_ = d.cmd.Wait() // it was killed
	return nil
}

func (d *Daemon) apply(ctx context.Context, yaml string) error {
	file := filepath.Join(d.home, "bench.yaml")
	if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
		return err
	}
	return d.mcpctl(ctx, "apply", "-f", file)
}

// CreateGated creates a gated project with the same upstream and a number of prompts, one of
// them for every session.
func (d *Daemon) CreateGated(ctx context.Context, project string, prompts int) error {
	dir := filepath.Join(d.home, "prompts", project)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for i := range prompts {
		text := fmt.Sprintf("---\nspec: {priority: %d}\n---\n# %s %d\n\nWhat to know about %s in part %d of the house, before anything is changed there.\n\n## Steps\n\nRead, then act.\n",
			1+i%9, topics[i%len(topics)], i, topics[i%len(topics)], i)
		if i == 0 {
			text = "---\nspec: {priority: 10}\n---\nThis one is always sent.\n"
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("p%05d.md", i)), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return d.apply(ctx, fmt.Sprintf(gated, project))
}

const gated = `kind: Project
metadata: {name: %s}
spec: {servers: [up], gated: true, proxyModel: default, toolNames: bare}
`

var topics = []string{"zigbee", "billing", "heating", "garden", "backup", "network", "relay", "printing", "lights", "travel"}

// Endpoint returns the MCP address of a project.
func (d *Daemon) Endpoint(project string) string { return d.url + "/projects/" + project + "/mcp" }

// Stop stops the daemon and removes its home.
func (d *Daemon) Stop() {
	if d.cmd.Process != nil {
		_ = d.cmd.Process.Signal(syscall.SIGTERM) // it may have already ended
		_ = d.cmd.Wait()
	}
	os.RemoveAll(d.home)
}
