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
func (r release) writePackage(ctx context.Context, packager string, p product, t target, tree string) (string, error) {
	unit, err := filepath.Abs(p.unit)
	if err != nil {
		return "", err
	}
	text, err := r.packageConfig(p, t, tree, unit)
	if err != nil {
		return "", err
	}
	config := filepath.Join(r.work, "nfpm-"+p.name()+"-"+t.arch+".yaml")
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		return "", err
	}
	file := filepath.Join(r.out, r.fileName(p, t)+"."+packager)
	cmd := exec.CommandContext(ctx, "go", "run", nfpm, "pkg", "--packager", packager, "--config", config, "--target", file)
	cmd.Env = append(os.Environ(), "GOFLAGS=", fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.time.Unix()))
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s package for %s: %w\n%s", packager, t.arch, err, text)
	}
	return file, nil
}

// packageConfig returns the input of nfpm: the files of the tree below /usr and the
// systemd unit. It lists each file, because nfpm applies the mode of a tree's files to
// its directories.
func (r release) packageConfig(p product, t target, tree, unit string) (string, error) {
	modified := r.time.Format(time.RFC3339)
	var b strings.Builder
	fmt.Fprintf(&b, `name: %s
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
  %s
mtime: %s
rpm:
  buildhost: localhost
contents:
`, p.name(), t.arch, r.version, strings.ReplaceAll(p.description, "\n", "\n  "), modified)
	entry := func(src, dst string, mode fs.FileMode) {
		fmt.Fprintf(&b, "  - {src: %q, dst: %q, file_info: {mode: %04o, mtime: %s}}\n", src, dst, mode, modified)
	}
	err := eachFile(os.DirFS(tree), func(name string, mode fs.FileMode, _ []byte) error {
		entry(filepath.Join(tree, name), path.Join("/usr", name), mode)
		return nil
	})
	entry(unit, path.Join(p.unitDir, filepath.Base(unit)), 0o644)
	return b.String(), err
}
