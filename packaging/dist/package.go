package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// nfpm is the program that builds packages. It is not a dependency of the module.
const nfpm = "github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.0"

// writePackage builds a deb or rpm of the tree of a Linux target.
func (r release) writePackage(ctx context.Context, packager string, t target, tree string) (string, error) {
	service, err := filepath.Abs(filepath.Join("packaging", "mcplocal.service"))
	if err != nil {
		return "", err
	}
	text, err := r.packageConfig(t, tree, service)
	if err != nil {
		return "", err
	}
	config := filepath.Join(r.work, "nfpm-"+t.arch+".yaml")
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		return "", err
	}
	file := filepath.Join(r.out, fmt.Sprintf("mcpctl_%s_%s_%s.%s", r.version, t.os, t.arch, packager))
	cmd := exec.CommandContext(ctx, "go", "run", nfpm, "pkg", "--packager", packager, "--config", config, "--target", file)
	cmd.Env = append(os.Environ(), "GOFLAGS=", fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.time.Unix()))
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s package for %s: %w\n%s", packager, t.arch, err, text)
	}
	return file, nil
}

// packageConfig returns the input of nfpm: the files of the tree below /usr and the
// systemd user unit. It lists each file, because nfpm applies the mode of a tree's files to
// its directories.
func (r release) packageConfig(t target, tree, service string) (string, error) {
	modified := r.time.Format(time.RFC3339)
	var b strings.Builder
	fmt.Fprintf(&b, `name: mcpctl
arch: %s
platform: linux
version: %q
version_schema: semver
section: utils
priority: optional
maintainer: The mcpctl authors <mcpctl@localhost>
homepage: https://github.com/mcpctl/mcpctl
license: Apache-2.0
description: |
  MCP proxy that shapes what MCP servers put into a model's context
  WebAssembly stages decide what a coding agent reads of the results of MCP
  servers. Every original byte stays reachable.
mtime: %s
rpm:
  buildhost: localhost
contents:
`, t.arch, r.version, modified)
	entry := func(src, dst string, mode fs.FileMode) {
		fmt.Fprintf(&b, "  - {src: %q, dst: %q, file_info: {mode: %04o, mtime: %s}}\n", src, dst, mode, modified)
	}
	err := eachFile(os.DirFS(tree), func(name string, mode fs.FileMode, _ []byte) error {
		entry(filepath.Join(tree, name), path.Join("/usr", name), mode)
		return nil
	})
	entry(service, "/usr/lib/systemd/user/mcplocal.service", 0o644)
	return b.String(), err
}
