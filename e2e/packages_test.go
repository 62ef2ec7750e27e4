//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPackagesInstallAndRun builds the archive and packages of this machine's target,
// unpacks the deb into a scratch root, and runs the programs from it.
func TestPackagesInstallAndRun(t *testing.T) {
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Skip("dpkg-deb is not installed")
	}
	const version = "9.8.7-dev.12+g0123"
	out, root := t.TempDir(), t.TempDir()
	packageRun(t, "..", nil, "go", "run", "./packaging/dist", "-version", version, "-out", out, "-targets", "host")
	packageRun(t, out, nil, "sha256sum", "--check", "--strict", "SHA256SUMS")
	debs, _ := filepath.Glob(filepath.Join(out, "*.deb"))
	rpms, _ := filepath.Glob(filepath.Join(out, "*.rpm"))
	if len(debs) != 1 || len(rpms) != 1 {
		t.Fatalf("packages %q, %q", debs, rpms)
	}
	if got := packageRun(t, out, nil, "dpkg-deb", "--field", debs[0], "Version"); got != "9.8.7~dev.12+g0123\n" {
		t.Errorf("the deb has version %s", got)
	}
	packageRun(t, out, nil, "dpkg-deb", "--extract", debs[0], root)
	for name, mode := range map[string]os.FileMode{
		"usr/bin/mcpctl": 0o755, "usr/bin/mcplocal": 0o755, "usr/share/man/man1": os.ModeDir | 0o755, "usr/share/man/man1/mcpctl.1": 0o644,
		"usr/share/bash-completion/completions/mcpctl": 0o644, "usr/share/zsh/site-functions/_mcpctl": 0o644,
		"usr/share/fish/vendor_completions.d/mcpctl.fish": 0o644, "usr/lib/systemd/user/mcplocal.service": 0o644,
	} {
		if info, err := os.Stat(filepath.Join(root, name)); err != nil || info.Mode() != mode {
			t.Errorf("%s: %v, %v, want %v", name, info, err, mode)
		}
	}

	home := t.TempDir()
	env := []string{"HOME=" + home, "MCPCTL_HOME=" + filepath.Join(home, "h"), "PATH=/usr/bin:/bin"}
	mcpctl := filepath.Join(root, "usr", "bin", "mcpctl")
	t.Cleanup(func() { packageRun(t, home, env, mcpctl, "daemon", "stop") })
	packageRun(t, home, env, mcpctl, "daemon", "start", "--listen", "127.0.0.1:0")
	if got := packageRun(t, home, env, mcpctl, "daemon", "status"); !strings.Contains(got, "version "+version+",") {
		t.Errorf("the daemon of the package: %s", got)
	}
	if got := packageRun(t, home, env, mcpctl, "version"); !strings.HasPrefix(got, "mcpctl "+version+" ") {
		t.Errorf("mcpctl version: %s", got)
	}
}

func packageRun(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, env // nil is the environment of the test
	text, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, text)
	}
	return string(text)
}
