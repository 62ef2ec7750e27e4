//go:build unix

package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"aead.dev/minisign"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mcpctl/mcpctl/cmd/internal/release"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/wasm/hostile"
)

// TestMain makes the test binary act as mcpctl when a script runs mcpctl. The daemon is a
// separate program, which is built once.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"mcpctl": mcpctl, "gate-server": gateServer, "where-server": whereServer})
}

func mcpctl() {
	if v := os.Getenv("TEST_VERSION"); v != "" { // simulates another release
		release.Version = v
	}
	if os.Getenv(printedFile) != "" {
		os.Exit(runRecorded())
	}
	main()
}

// TestScripts runs the scripts in testdata/script with the real programs. Each script has its
// own home, user directory and port.
func TestScripts(t *testing.T) {
	tools := build(t)
	printed := filepath.Join(t.TempDir(), "printed")
	t.Cleanup(func() { checkPrinted(t, printed) })
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		RequireUniqueNames:  true,
		RequireExplicitExec: false,
		Setup:               func(env *testscript.Env) error { env.Setenv(printedFile, printed); return setup(env, tools) },
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"kill9": kill9, "paste": paste, "shim": shim, "rereads": rereads, "contributing": contributing, "follow": follow, "words": words, "readme": readme, "page": page, "figures": figures, "yaml": yaml, "replace": replace, "mode": mode, "width": width, "listen": listen, "exits": exits, "drain": drain, "idle": idle, "until": until, "reports": reports, "answered": answered, "summary": summary, "serves": serves, "daemon-environ": daemonEnviron, "collector": collector, "collected": recorded, "hostile": hostileModule, "workers": workers, "sign": sign, "mcpd": fakeMcpd,
		},
	})
}

// tools are shared by all scripts: the daemon's program, and its compiled built-in module.
type tools struct{ bin, wasm string }

func build(t *testing.T) tools {
	t.Helper()
	dir := t.TempDir()
	daemon := filepath.Join(dir, "bin", "mcplocal")
	if out, err := exec.Command("go", "build", "-o", daemon, "../mcplocal").CombinedOutput(); err != nil {
		t.Fatalf("building mcplocal: %v\n%s", err, out)
	}
	home := filepath.Join(dir, "h")
	warm := exec.Command(daemon, "serve", "--listen", "127.0.0.1:0")
	warm.Env = append(os.Environ(), "MCPCTL_HOME="+home)
	if err := warm.Start(); err != nil {
		t.Fatal(err)
	}
	// A script that runs before the module is compiled compiles it again.
	return tools{filepath.Dir(daemon), warmUp(t, warm, home)}
}

// warmUp compiles the built-in module once for all scripts.
func warmUp(t *testing.T, daemon *exec.Cmd, home string) string {
	t.Helper()
	defer func() {
		_ = daemon.Process.Signal(syscall.SIGTERM)
		_ = daemon.Wait()
	}()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "mcpctl")
	if err := os.Symlink(self, link); err != nil {
		t.Fatal(err)
	}
	get := exec.Command(self, "get", "stages")
	get.Args[0] = link // like testscript
	get.Path = link
	get.Env = append(os.Environ(), "MCPCTL_HOME="+home)
	if out, err := get.CombinedOutput(); err != nil {
		t.Fatalf("warm-up: %v\n%s", err, out)
	}
	return filepath.Join(home, "cache", "wasm")
}

func setup(env *testscript.Env, t tools) error {
	home, user := filepath.Join(env.WorkDir, "h"), filepath.Join(env.WorkDir, "user")
	for _, dir := range []string{home, user} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	cache := filepath.Join(home, "cache", "wasm")
	if err := os.CopyFS(cache, os.DirFS(t.wasm)); err != nil {
		return err
	}
	if err := private(filepath.Join(home, "cache")); err != nil {
		return err
	}
	env.Setenv("PATH", t.bin+string(os.PathListSeparator)+env.Getenv("PATH"))
	env.Setenv("BIN", strings.Split(env.Getenv("PATH"), string(os.PathListSeparator))[1]) // contains only mcpctl
	env.Setenv("DAEMON", t.bin)                                                           // contains only mcplocal
	env.Setenv("HOME", user)
	if err := setExamples(env); err != nil {
		return err
	}
	env.Setenv("MCPCTL_HOME", home)
	env.Setenv("MCPCTL_MCPLOCAL_URL", "http://127.0.0.1:0")
	env.Setenv("GOCACHE", goEnv("GOCACHE"))
	env.Setenv("GOMODCACHE", goEnv("GOMODCACHE"))
	env.Setenv("GOFLAGS", "")
	env.Setenv("GOPROXY", "off") // no downloads
	env.Defer(func() { _ = killDaemon(home) })
	return nil
}

// setExamples sets EXAMPLES to the directory of the examples and their built modules.
func setExamples(env *testscript.Env) error {
	dir, err := filepath.Abs(filepath.Join("..", "..", "examples"))
	env.Setenv("EXAMPLES", dir)
	return err
}

func private(dir string) error {
	return filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.Chmod(path, 0o700)
		}
		return os.Chmod(path, 0o600)
	})
}

func goEnv(name string) string {
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

var pidText = regexp.MustCompile(`^pid (\d+)`)

// sign FROM TO KEY copies a module and signs it with the private key in the file KEY, which
// it creates if there is none. It sets $KEY to the public key.
func sign(ts *testscript.TestScript, _ bool, args []string) {
	keyFile := ts.MkAbs(args[2])
	if _, err := os.Stat(keyFile); err != nil {
		_, private, err := minisign.GenerateKey(rand.Reader)
		ts.Check(err)
		text, err := private.MarshalText()
		ts.Check(err)
		ts.Check(os.WriteFile(keyFile, text, 0o600))
	}
	text, err := os.ReadFile(keyFile)
	ts.Check(err)
	var private minisign.PrivateKey
	ts.Check(private.UnmarshalText(text))
	public, _ := private.Public().(minisign.PublicKey)
	ts.Setenv("KEY", public.String())
	module, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1])+".minisig", minisign.Sign(private, module), 0o600))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), module, 0o600))
}

// workers N [end] requires that the daemon has N processes of modules, and can end them like a
// crash.
func workers(ts *testscript.TestScript, _ bool, args []string) {
	pid, err := daemonPID(ts.Getenv("MCPCTL_HOME"))
	ts.Check(err)
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	var found []int
	for _, path := range lists {
		text, _ := os.ReadFile(path)
		for _, child := range strings.Fields(string(text)) {
			line, _ := os.ReadFile("/proc/" + child + "/cmdline")
			if id, err := strconv.Atoi(child); err == nil && strings.HasSuffix(string(line), "\x00worker\x00") {
				found = append(found, id)
			}
		}
	}
	if fmt.Sprint(len(found)) != args[0] {
		ts.Fatalf("%d processes of modules, want %s", len(found), args[0])
	}
	for _, id := range found {
		if len(args) > 1 {
			ts.Check(syscall.Kill(id, syscall.SIGKILL))
		}
	}
}

// killDaemon ends the daemon of a home like a crash.
func killDaemon(home string) error {
	pid, err := daemonPID(home)
	if err != nil {
		return err
	}
	return syscall.Kill(pid, syscall.SIGKILL)
}

func daemonPID(home string) (int, error) {
	text, err := os.ReadFile(filepath.Join(home, "run", "lock"))
	if err != nil {
		return 0, err
	}
	m := pidText.FindSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf("lock contains %q", text)
	}
	return strconv.Atoi(string(m[1]))
}

// kill9 ends the script's daemon like a crash, and waits until it has ended.
func kill9(ts *testscript.TestScript, _ bool, _ []string) {
	home := ts.Getenv("MCPCTL_HOME")
	ts.Check(killDaemon(home))
	for tick := time.Tick(time.Millisecond); ; <-tick { // the kernel releases the lock
		if lock, err := homedir.Dir(home).Lock(); err == nil {
			ts.Check(lock.Close())
			return
		}
	}
}

// replace FILE OLD NEW replaces a text in a file.
func replace(ts *testscript.TestScript, _ bool, args []string) {
	file := ts.MkAbs(args[0])
	text, err := os.ReadFile(file)
	ts.Check(err)
	if !strings.Contains(string(text), args[1]) {
		ts.Fatalf("%s does not contain %q:\n%s", args[0], args[1], text)
	}
	ts.Check(os.WriteFile(file, []byte(strings.ReplaceAll(string(text), args[1], args[2])), 0o600))
}

// mode FILE MODE requires the permissions of a file.
func mode(ts *testscript.TestScript, _ bool, args []string) {
	info, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	if got := fmt.Sprintf("%04o", info.Mode().Perm()); got != args[1] {
		ts.Fatalf("%s has mode %s, want %s", args[0], got, args[1])
	}
}

// exits STATUS COMMAND... runs a command and requires its exit status.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	err = ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got, err = exit.ExitCode(), nil
	}
	ts.Check(err)
	if got != want {
		ts.Fatalf("%s: exit status %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

// until FILE REGEXP waits until a line of a file matches.
func until(ts *testscript.TestScript, _ bool, args []string) {
	want := regexp.MustCompile("(?m)" + args[1])
	over := time.After(time.Minute)
	for tick := time.Tick(10 * time.Millisecond); ; {
		text, _ := os.ReadFile(ts.MkAbs(args[0])) // it may not exist yet
		if want.Match(text) {
			return
		}
		select {
		case <-tick:
		case <-over:
			ts.Fatalf("no line %s in %s:\n%s", args[1], args[0], text)
		}
	}
}

// hostileModule FILE writes a module that takes minutes to compile.
func hostileModule(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), hostile.CompileBomb().File, 0o600))
}

// reports REGEXP COMMAND... runs a command until it succeeds and a line of its output matches.
func reports(ts *testscript.TestScript, _ bool, args []string) {
	want := regexp.MustCompile("(?m)" + args[0])
	over := time.After(time.Minute)
	for tick := time.Tick(20 * time.Millisecond); ; {
		err := ts.Exec(args[1], args[2:]...)
		text := ts.ReadFile("stdout")
		if err == nil && want.MatchString(text) {
			return
		}
		select {
		case <-tick:
		case <-over:
			ts.Fatalf("no line %s in\n%s%s%v", args[0], text, ts.ReadFile("stderr"), err)
		}
	}
}

// listen VAR listens on a free port and sets a variable to its number.
func listen(ts *testscript.TestScript, _ bool, args []string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { l.Close() })
	ts.Setenv(args[0], strconv.Itoa(l.Addr().(*net.TCPAddr).Port))
}

// width N requires that no line of stdout has more than N characters.
func width(ts *testscript.TestScript, _ bool, args []string) {
	limit, err := strconv.Atoi(args[0])
	ts.Check(err)
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > limit {
			ts.Fatalf("a line of %d characters, limit %d: %s", n, limit, line)
		}
	}
}
