package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// programs are the programs of a release. Each is built from ./cmd/NAME.
var programs = []string{"mcpctl", "mcplocal"}

// completions are the paths of completion files by shell, relative to share.
var completions = map[string]string{
	"bash": "bash-completion/completions/mcpctl",
	"zsh":  "zsh/site-functions/_mcpctl",
	"fish": "fish/vendor_completions.d/mcpctl.fish",
}

// writeShared writes the files that all targets share: completions, manual pages and
// documents, in the layout of a PREFIX.
func (r release) writeShared(ctx context.Context, dir string) error {
	host := target{runtime.GOOS, runtime.GOARCH}
	mcpctl := filepath.Join(r.work, "host-mcpctl")
	if err := r.compile(ctx, host, "mcpctl", mcpctl); err != nil {
		return err
	}
	for shell, name := range completions {
		text, err := exec.CommandContext(ctx, mcpctl, "completion", shell).Output()
		if err != nil {
			return fmt.Errorf("completions for %s: %w", shell, err)
		}
		if err := writeFile(filepath.Join(dir, "share", name), text); err != nil {
			return err
		}
	}
	man := filepath.Join(dir, "share", "man", "man1")
	for _, program := range programs {
		if err := goRun(ctx, "./cmd/"+program+"/internal/reference", "-man", man); err != nil {
			return err
		}
	}
	for _, name := range []string{"LICENSE", "README.md"} {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if err := writeFile(filepath.Join(dir, "share", "doc", "mcpctl", name), text); err != nil {
			return err
		}
	}
	return nil
}

// writeTree writes the files of one target in the layout of a PREFIX.
func (r release) writeTree(ctx context.Context, t target, shared string) (string, error) {
	tree := filepath.Join(r.work, t.os+"-"+t.arch)
	if err := os.CopyFS(tree, os.DirFS(shared)); err != nil {
		return "", err
	}
	for _, program := range programs {
		if err := r.compile(ctx, t, program, filepath.Join(tree, "bin", program+t.suffix())); err != nil {
			return "", err
		}
	}
	return tree, nil
}

func (t target) suffix() string {
	if t.os == "windows" {
		return ".exe"
	}
	return ""
}

// compile builds one program. It ignores flags in the environment, such as -race.
func (r release) compile(ctx context.Context, t target, program, out string) error {
	flags := "-s -w -X github.com/mcpctl/mcpctl/cmd/internal/release.Version=" + r.version
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags="+flags, "-o", out, "./cmd/"+program)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOOS="+t.os, "GOARCH="+t.arch)
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s for %s/%s: %w\n%s", program, t.os, t.arch, err, text)
	}
	return nil
}

func goRun(ctx context.Context, pkg string, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", append([]string{"run", pkg}, args...)...)
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go run %s: %w\n%s", pkg, err, text)
	}
	return nil
}

func writeFile(file string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644)
}
