//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPackagesInstallAndRun builds the archives and packages of this machine's target,
// unpacks each deb into a scratch root, and runs the programs from it.
func TestPackagesInstallAndRun(t *testing.T) {
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Skip("dpkg-deb is not installed")
	}
	const version = "9.8.7-dev.12+g0123"
	out, root := t.TempDir(), t.TempDir()
	packageRun(t, "..", nil, "go", "run", "./packaging/dist", "-version", version, "-out", out, "-targets", "host")
	packageRun(t, out, nil, "sha256sum", "--check", "--strict", "SHA256SUMS")
	for _, suffix := range []string{".rpm", ".tar.gz"} {
		if files, _ := filepath.Glob(filepath.Join(out, "*"+suffix)); len(files) != 2 {
			t.Errorf("files %q, want one of mcpctl and one of mcpd", files)
		}
	}
	debs, _ := filepath.Glob(filepath.Join(out, "mcpctl_*.deb"))
	teamDebs, _ := filepath.Glob(filepath.Join(out, "mcpd_*.deb"))
	if len(debs) != 1 || len(teamDebs) != 1 {
		t.Fatalf("packages %q, %q", debs, teamDebs)
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

	if _, err := os.Stat(filepath.Join(root, "usr/bin/mcpd")); err == nil {
		t.Error("the package of mcpctl has mcpd")
	}
	checkTeamPackage(t, teamDebs[0], version)

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

// checkTeamPackage unpacks the deb of mcpd and runs it.
func checkTeamPackage(t *testing.T, deb, version string) {
	t.Helper()
	root, home := t.TempDir(), t.TempDir()
	packageRun(t, root, nil, "dpkg-deb", "--extract", deb, root)
	for _, name := range []string{"bin/mcpctl", "bin/mcplocal", "share/man/man1/mcpctl.1"} {
		if _, err := os.Stat(filepath.Join(root, "usr", name)); err == nil {
			t.Errorf("the package of mcpd has %s", name)
		}
	}
	for name, mode := range map[string]os.FileMode{
		"bin/mcpd": 0o755, "share/man/man1/mcpd.1": 0o644, "share/man/man1/mcpd-keys-rotate.1": 0o644, "share/doc/mcpd/README.md": 0o644,
		"share/bash-completion/completions/mcpd": 0o644, "lib/systemd/system/mcpd.service": 0o644,
	} {
		if info, err := os.Stat(filepath.Join(root, "usr", name)); err != nil || info.Mode() != mode {
			t.Errorf("%s: %v, %v, want %v", name, info, err, mode)
		}
	}
	env := []string{"HOME=" + home, "PATH=/usr/bin:/bin"}
	mcpd := filepath.Join(root, "usr", "bin", "mcpd")
	if got := packageRun(t, home, env, mcpd, "--version"); got != "mcpd "+version+"\n" {
		t.Errorf("mcpd --version prints %s", got)
	}
	if got := packageRun(t, home, env, mcpd, "bootstrap", "--user", "anna"); !strings.HasPrefix(got, "created administrator anna\n") {
		t.Errorf("mcpd bootstrap prints %s", got)
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
