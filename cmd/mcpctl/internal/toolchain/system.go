package toolchain

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host/procgroup"
)

// System is where tools are looked for.
type System struct {
	Getenv func(string) string // default os.Getenv
	OS     string              // default runtime.GOOS
}

func (s System) env(name string) string {
	if s.Getenv == nil {
		return os.Getenv(name)
	}
	return s.Getenv(name)
}

func (s System) os() string {
	if s.OS == "" {
		return runtime.GOOS
	}
	return s.OS
}

// all are the programs of a name, in the order of PATH.
func (s System) all(name string) []string {
	if s.os() == "windows" {
		name += ".exe"
	}
	var found []string
	for _, dir := range filepath.SplitList(s.env("PATH")) {
		path := filepath.Join(dir, name)
		if filepath.IsAbs(path) && isProgram(path) && !slices.Contains(found, path) {
			found = append(found, path)
		}
	}
	return found
}

// first is the program of a name that PATH comes to first, empty if there is none.
func (s System) first(name string) string {
	if found := s.all(name); len(found) > 0 {
		return found[0]
	}
	return ""
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (info.Mode().Perm()&0o111 != 0 || runtime.GOOS == "windows")
}

// install is the command that installs a package where this program runs.
func (s System) install(apt, brew, page string) string {
	switch {
	case brew != "" && s.first("brew") != "":
		return "brew install " + brew
	case apt != "" && s.first("apt-get") != "":
		return "sudo apt-get install " + apt
	}
	return page
}

// Missing is a tool that is not there, or not as it has to be.
type Missing struct {
	Language Language
	Tool     string
	Why      string // the purpose of the tool, or the defect of the one that was found
	Install  string // the command that helps
}

// Error returns the error in one line.
func (m *Missing) Error() string { return m.Problem().Error() }

// Problem returns the error in its three parts.
func (m *Missing) Problem() *problem.Problem {
	p := problem.New(abi.ErrNotFound, "no %s to build a stage in %s", m.Tool, m.Language.Title())
	p.Cause = m.Why
	return p.WithHint("%s", m.Install)
}

// Unwrap gives the Problem to who prints errors.
func (m *Missing) Unwrap() error { return m.Problem() }

// output returns the version or other description that a tool prints.
func output(tool string, args ...string) (string, error) {
	cmd := exec.Command(tool, args...)
	cmd.Env = append(os.Environ(), "GOTOOLCHAIN=local")
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}

// patience is how long a tool that is given up may take to end.
const patience = 5 * time.Second

// temp returns the environment in which a tool creates its temporary files in a directory
// that is deleted after the build. None of the tools deletes its files when it is killed.
func (j Job) temp() []string {
	dir := filepath.Dir(j.Out)
	return []string{"TMPDIR=" + dir, "TMP=" + dir, "TEMP=" + dir, "GOTMPDIR=" + dir}
}

// run runs a tool in the directory of a job and returns its stdout. When ctx ends, the
// tool and all its children are killed. The error of a failed tool contains all its output.
func run(ctx context.Context, j Job, env []string, tool string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, tool, args...)
	cmd.Dir = j.Dir
	cmd.Env = slices.Concat(os.Environ(), j.temp(), env)
	procgroup.Own(cmd)
	cmd.Cancel = func() error {
		procgroup.Terminate(cmd)
		return nil
	}
	cmd.WaitDelay = patience
	var stdout, all bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &all
	err := cmd.Start()
	if err == nil {
		err = procgroup.Reap(cmd)
	}
	switch {
	case err == nil:
		return stdout.Bytes(), nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	}
	messages := all.String()
	if stdout.Len() > 0 && !bytes.HasPrefix(stdout.Bytes(), []byte("{")) { // cargo's messages are for programs
		messages = stdout.String() + messages
	}
	if strings.TrimSpace(messages) == "" {
		messages = err.Error()
	}
	name := strings.TrimSuffix(filepath.Base(tool), ".exe")
	return nil, failure(strings.TrimSpace(name+" "+verb(args)), j.Dir, messages)
}

// failure returns the error of a failed build, with the compiler's messages.
func failure(command, dir, messages string) error {
	return &problem.Problem{Code: "E_FAILED", Message: fmt.Sprintf("%s in %s failed", command, dir), Cause: strings.TrimRight(messages, "\n")}
}

// verb returns the subcommand in a command line.
func verb(args []string) string {
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") && !strings.ContainsAny(args[0], "./") {
		return args[0]
	}
	return ""
}
