package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// product describes the contents of one archive or package. Each program is built from
// ./cmd/NAME; only the first one has completions.
type product struct {
	programs    []string
	readme      string // file of the repository
	systems     []string
	unit        string // file of the repository: the systemd unit of packages
	unitDir     string // where packages install it
	description string // the summary, and after a line break the text, of packages
}

var products = []product{
	{
		programs: []string{"mcpctl", "mcplocal"},
		readme:   "README.md",
		systems:  []string{"linux", "darwin", "windows"},
		unit:     "packaging/mcplocal.service",
		unitDir:  "/usr/lib/systemd/user",
		description: `MCP proxy that shapes what MCP servers put into a model's context
WebAssembly plugins transform the results of MCP servers before a coding
agent reads them. Every original byte can still be read.`,
	},
	{
		programs: []string{"mcpd"},
		readme:   "docs/mcpd.md",
		systems:  []string{"linux"},
		unit:     "packaging/team/mcpd.service",
		unitDir:  "/usr/lib/systemd/system",
		description: `team server of mcpctl
It stores the MCP servers, projects and prompts that a team shares, has the
credentials of the servers, and decides who may see and do what.`,
	},
}

// name is the name of the archives and packages.
func (p product) name() string { return p.programs[0] }

// completions returns the paths of completion files by shell, relative to share.
func (p product) completions() map[string]string {
	return map[string]string{
		"bash": "bash-completion/completions/" + p.name(),
		"zsh":  "zsh/site-functions/_" + p.name(),
		"fish": "fish/vendor_completions.d/" + p.name() + ".fish",
	}
}

// writeShared writes the files that all targets share: completions, manual pages and
// documents, in the layout of a PREFIX.
func (r release) writeShared(ctx context.Context, p product, dir string) error {
	host := target{runtime.GOOS, runtime.GOARCH}
	program := filepath.Join(r.work, "host-"+p.name())
	if err := r.compile(ctx, host, p.name(), program); err != nil {
		return err
	}
	for shell, name := range p.completions() {
		text, err := exec.CommandContext(ctx, program, "completion", shell).Output()
		if err != nil {
			return fmt.Errorf("completions for %s: %w", shell, err)
		}
		if err := writeFile(filepath.Join(dir, "share", name), text); err != nil {
			return err
		}
	}
	man := filepath.Join(dir, "share", "man", "man1")
	for _, program := range p.programs {
		if err := goRun(ctx, "./cmd/"+program+"/internal/reference", "-man", man); err != nil {
			return err
		}
	}
	for name, file := range map[string]string{"LICENSE": "LICENSE", "README.md": p.readme} {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := writeFile(filepath.Join(dir, "share", "doc", p.name(), name), text); err != nil {
			return err
		}
	}
	return nil
}

// writeTree writes the files of one target in the layout of a PREFIX.
func (r release) writeTree(ctx context.Context, p product, t target, shared string) (string, error) {
	tree := filepath.Join(r.work, p.name()+"-"+t.os+"-"+t.arch)
	if err := os.CopyFS(tree, os.DirFS(shared)); err != nil {
		return "", err
	}
	for _, program := range p.programs {
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
