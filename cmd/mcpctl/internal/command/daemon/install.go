package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/internal/atomicfile"
)

func newInstall(f *factory.Factory) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Start the daemon at login, as a service of this user",
		Long: `Write a service for this user, enable it and start it: a systemd user unit on Linux, a launch agent on macOS. The
service runs the daemon with the current MCPCTL_HOME and the current PATH, so that it finds npx, uvx and other programs of
servers. A daemon running in the background is stopped first. Run the command again after changing PATH or updating
mcpctl.`,
		Example: `  mcpctl daemon install
  mcpctl daemon install --dry-run`,
		Args: factory.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := serviceOf(f)
			if err != nil {
				return err
			}
			if dryRun {
				return printService(f.IO.Out, s)
			}
			return install(cmd.Context(), f, s)
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "print the file and the commands without changing anything")
	return cmd
}

func newUninstall(f *factory.Factory) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Stop the service of the daemon and remove it",
		Long:  "Stop and disable the service that daemon install created, and remove its file. The home is kept.",
		Example: `  mcpctl daemon uninstall
  mcpctl daemon uninstall --dry-run`,
		Args: factory.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := serviceOf(f)
			if err != nil {
				return err
			}
			return uninstall(cmd.Context(), f, s, dryRun)
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "print the commands without changing anything")
	return cmd
}

// serviceOf returns the service of this system for the current home and PATH.
func serviceOf(f *factory.Factory) (service, error) {
	return serviceWith(f, f.Env("PATH"))
}

func serviceWith(f *factory.Factory, path string) (service, error) {
	home, err := f.Home()
	if err != nil {
		return service{}, err
	}
	exe, err := factory.DaemonProgram()
	if err != nil {
		return service{}, err
	}
	if exe, err = filepath.Abs(exe); err != nil {
		return service{}, err
	}
	userDir, err := f.UserHome()
	if err != nil {
		return service{}, err
	}
	configDir := f.Env("XDG_CONFIG_HOME")
	if !filepath.IsAbs(configDir) {
		configDir = filepath.Join(userDir, ".config")
	}
	u := unit{exe: exe, home: home, path: path, log: logFile(home)}
	for _, value := range []string{u.exe, u.home, u.path, userDir} {
		if strings.ContainsAny(value, "\n\r\x00") {
			return service{}, problem.New(abi.ErrConfig, "a path contains a line break: a service file cannot contain %q", value)
		}
	}
	return newService(runtime.GOOS, u, userDir, configDir, os.Getuid())
}

// restartService restarts the service that daemon install wrote for this program and this home, and
// waits until it answers. It returns false if there is no such service or it does not answer.
func restartService(ctx context.Context, f *factory.Factory, client *api.Client) bool {
	const anyPath = "/any-path"
	s, err := serviceWith(f, anyPath)
	if err != nil {
		return false
	}
	text, err := ownFile(s)
	if err != nil {
		return false
	}
	before, after, _ := strings.Cut(s.text, anyPath)
	if !strings.HasPrefix(string(text), before) || !strings.HasSuffix(string(text), after) {
		return false // different program or home
	}
	return runAll(ctx, s.restart) == nil && await(ctx, client, startLimit)
}

func printService(out io.Writer, s service) error {
	fmt.Fprintf(out, "# %s\n%s\n# then\n", s.file, s.text)
	for _, argv := range append([][]string{s.check}, s.start...) {
		fmt.Fprintln(out, strings.Join(argv, " "))
	}
	return nil
}

// install writes the file and starts the service. It restores the previous file if the service
// manager
// is not available.
func install(ctx context.Context, f *factory.Factory, s service) error {
	if err := needManager(s, "mcpctl daemon start"); err != nil {
		return err
	}
	old, err := ownFile(s)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	home, err := f.Home()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(logFile(home)), 0o700); err != nil { // the service manager opens the log
		return err
	}
	if err := os.MkdirAll(filepath.Dir(s.file), 0o755); err != nil {
		return err
	}
	if err := atomicfile.Write(s.file, []byte(s.text), 0o600); err != nil {
		return err
	}
	if err := runAll(ctx, [][]string{s.check}); err != nil {
		return errors.Join(err, restore(s.file, old))
	}
	for _, argv := range s.stop {
		if s.manager == "launchctl" {
			_ = runAll(ctx, [][]string{argv}) // bootout fails if no service is loaded; bootstrap fails if one is
		}
	}
	if _, err := Stop(ctx, f); err != nil {
		return err
	}
	if err := runAll(ctx, s.start); err != nil {
		return err
	}
	fmt.Fprintf(f.IO.Out, "installed %s\n", s.file)
	fmt.Fprintln(f.IO.ErrOut, "next: mcpctl daemon status")
	return nil
}

func restore(file string, old []byte) error {
	if old == nil {
		return os.Remove(file)
	}
	return atomicfile.Write(file, old, 0o600)
}

func uninstall(ctx context.Context, f *factory.Factory, s service, dryRun bool) error {
	_, err := ownFile(s)
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintln(f.IO.Out, "not installed")
		return nil
	}
	if err != nil {
		return err
	}
	if dryRun {
		for _, argv := range append(append(s.stop, []string{"rm", s.file}), s.forget...) {
			fmt.Fprintln(f.IO.Out, strings.Join(argv, " "))
		}
		return nil
	}
	if err := needManager(s, "rm "+s.file); err != nil {
		return err
	}
	if err := runAll(ctx, s.stop); err != nil {
		return err
	}
	if err := os.Remove(s.file); err != nil {
		return err
	}
	if err := runAll(ctx, s.forget); err != nil {
		return err
	}
	fmt.Fprintf(f.IO.Out, "removed %s\n", s.file)
	return nil
}

// ownFile reads the service's file.
//
// Errors: fs.ErrNotExist; abi.ErrConflict if daemon install did not write it.
func ownFile(s service) ([]byte, error) {
	text, err := os.ReadFile(s.file)
	if err == nil && !strings.Contains(string(text), marker) {
		p := problem.New(abi.ErrConflict, "%s was not written by mcpctl", s.file)
		return nil, p.WithHint("mcpctl daemon install --dry-run")
	}
	return text, err
}

func needManager(s service, hint string) error {
	if _, err := exec.LookPath(s.manager); err != nil {
		p := problem.New(abi.ErrUnavailable, "%s is not installed or not in PATH", s.manager)
		p.Cause = "the service manager of this system cannot be reached"
		return p.WithHint("%s", hint)
	}
	return nil
}

// runAll runs commands in order and stops at the first failure.
func runAll(ctx context.Context, commands [][]string) error {
	for _, argv := range commands {
		out, err := exec.CommandContext(ctx, argv[0], argv[1:]...).CombinedOutput()
		if err != nil {
			p := problem.New(abi.ErrUnavailable, "%s failed: %v", strings.Join(argv, " "), err)
			p.Cause = strings.TrimSpace(string(out))
			return p.WithHint("mcpctl daemon install --dry-run")
		}
	}
	return nil
}
