// Package packaging tests make install and the version of builds.
package packaging

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestMakeInstall installs into a temporary PREFIX, runs the programs, and uninstalls them.
func TestMakeInstall(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs, in other processes")
	}
	prefix, bin := filepath.Join(t.TempDir(), "with blank"), t.TempDir()
	path := "export PATH=\"" + prefix + "/bin:$PATH\""
	stderr := makeTarget(t, nil, "install", "PREFIX="+prefix, "BIN="+bin)
	if !strings.Contains(stderr, prefix+"/bin is not on PATH") || !strings.Contains(stderr, path) {
		t.Errorf("a directory that is not on PATH is not reported:\n%s", stderr)
	}
	for _, name := range []string{"share/bash-completion/completions/mcpctl", "share/zsh/site-functions/_mcpctl",
		"share/fish/vendor_completions.d/mcpctl.fish", "share/man/man1/mcpctl.1", "share/man/man1/mcpctl-daemon-logs.1", "share/man/man1/mcplocal-serve.1"} {
		if info, err := os.Stat(filepath.Join(prefix, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s is missing or empty: %v", name, err)
		}
	}
	version := strings.TrimSpace(output(t, exec.Command("./version")))
	mcpctl := exec.Command(filepath.Join(prefix, "bin", "mcpctl"), "daemon", "start", "--listen", "127.0.0.1:0")
	home := t.TempDir()
	mcpctl.Env = append(os.Environ(), "MCPCTL_HOME="+home)
	t.Cleanup(func() {
		stop := exec.Command(filepath.Join(bin, "mcpctl"), "daemon", "stop")
		stop.Env = mcpctl.Env
		_ = stop.Run() // the daemon may not be running
	})
	if out := output(t, mcpctl); !strings.HasPrefix(out, "started, pid ") {
		t.Errorf("the daemon of the installed programs: %q", out)
	}
	status := exec.Command(filepath.Join(prefix, "bin", "mcpctl"), "daemon", "status")
	status.Env = mcpctl.Env
	if out := output(t, status); !strings.Contains(out, "version "+version+",") {
		t.Errorf("daemon status %q, want version %s of packaging/version", out, version)
	}

	stderr = makeTarget(t, []string{"PATH=" + prefix + "/bin:" + os.Getenv("PATH")}, "install", "PREFIX="+prefix, "BIN="+bin)
	if strings.Contains(stderr, "not on PATH") {
		t.Errorf("a directory on PATH is reported as missing:\n%s", stderr)
	}
	other := filepath.Join(prefix, "share", "man", "man1", "other.1")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	makeTarget(t, nil, "uninstall", "PREFIX="+prefix)
	if left := files(t, prefix); !slices.Equal(left, []string{"share/man/man1/other.1"}) {
		t.Errorf("after make uninstall: %q, want only the file of another program", left)
	}
}

// TestMakeInstallTeam installs mcpd beside another program, runs it, and uninstalls it.
func TestMakeInstallTeam(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs, in other processes")
	}
	prefix, bin := filepath.Join(t.TempDir(), "with blank"), t.TempDir()
	makeTarget(t, nil, "install-team", "PREFIX="+prefix, "BIN="+bin)
	want := []string{"bin/mcpd", "lib/systemd/system/mcpd.service", "share/bash-completion/completions/mcpd", "share/fish/vendor_completions.d/mcpd.fish",
		"share/man/man1/mcpd-bootstrap.1", "share/man/man1/mcpd-serve.1", "share/man/man1/mcpd.1", "share/zsh/site-functions/_mcpd"}
	installed := files(t, prefix)
	for _, name := range want {
		if info, err := os.Stat(filepath.Join(prefix, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s is missing or empty: %v", name, err)
		}
	}
	if slices.Contains(installed, "bin/mcpctl") {
		t.Error("make install-team also installs mcpctl")
	}
	unit, err := os.ReadFile(filepath.Join(prefix, "lib/systemd/system/mcpd.service"))
	if line := `ExecStart="` + prefix + `/bin/mcpd" serve $MCPD_FLAGS`; err != nil || !strings.Contains(string(unit), "\n"+line+"\n") {
		t.Errorf("the unit lacks %s: %v\n%s", line, err, unit)
	}
	version := strings.TrimSpace(output(t, exec.Command("./version")))
	if out := output(t, exec.Command(filepath.Join(prefix, "bin", "mcpd"), "--version")); out != "mcpd "+version+"\n" {
		t.Errorf("mcpd --version prints %q, want version %s", out, version)
	}
	makeTarget(t, nil, "uninstall", "PREFIX="+prefix)
	if left := files(t, prefix); len(left) != 0 {
		t.Errorf("after make uninstall: %q", left)
	}
}

// makeTarget runs make at the root of the repository.
func makeTarget(t *testing.T, env []string, args ...string) string {
	t.Helper()
	cmd := exec.Command("make", append([]string{"-s", "-C", ".."}, args...)...)
	cmd.Env = append(os.Environ(), env...)
	return output(t, cmd)
}

func output(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	return string(out)
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, strings.TrimPrefix(path, dir+"/"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestVersionOfABuild(t *testing.T) {
	repo := t.TempDir()
	for name, text := range map[string]string{"packaging/version": "", "cmd/internal/release/release.go": "var Version = \"0.3.0-dev\"\n"} {
		file := filepath.Join(repo, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if text == "" {
			b, err := os.ReadFile("version")
			if err != nil {
				t.Fatal(err)
			}
			text = string(b)
		}
		if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	script := filepath.Join(repo, "packaging", "version")
	run := func(args ...string) string {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = repo
		cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(repo), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
		return strings.TrimSpace(output(t, cmd))
	}
	expect := func(state, pattern string) {
		t.Helper()
		if got := run(script); !regexp.MustCompile("^" + pattern + "$").MatchString(got) {
			t.Errorf("%s: version %q, want %s", state, got, pattern)
		}
	}
	expect("no repository", `0\.3\.0-dev`)
	run("git", "init", "-q")
	run("git", "add", "-A")
	run("git", "commit", "-q", "-m", "x")
	expect("a commit", `0\.3\.0-dev\.1\+g[0-9a-f]{12}`)
	run("git", "tag", "v0.3.0")
	expect("a tag", `0\.3\.0`)
	if err := os.WriteFile(filepath.Join(repo, "cmd/internal/release/release.go"), []byte("var Version = \"0.3.0-dev\"\n\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	expect("changed files", `0\.3\.0-dev\.1\+g[0-9a-f]{12}\.dirty`)
}

// The first section of README.md is about the installation.
func TestReadmeBeginsWithInstall(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\n## ")
	heading, body, _ := strings.Cut(rest, "\n")
	if heading != "Install" || !strings.Contains(strings.SplitN(body, "\n## ", 2)[0], "\nmake install ") {
		t.Errorf("the first section is %q, want Install with make install", heading)
	}
}
