// Package factory provides the dependencies of commands: streams, the home, and the management
// Service, which is the daemon if one is running, otherwise the files of the home.
package factory

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/config"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/manage"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/internal/release"
	"github.com/mcpctl/mcpctl/host"
	"github.com/mcpctl/mcpctl/host/homedir"
)

// Factory contains the dependencies of commands. Its fields are set once, in main or by a test.
type Factory struct {
	IO      *iostreams.Streams
	Version string
	Env     func(string) string

	// Local opens the Service that works on the files of home. It is used if no daemon is running.
	// The
	// caller must close it.
	Local func(ctx context.Context, home string) (LocalService, error)

	// Direct is the flag --direct: OpenDirect opens the Service, which calls the team server
	// itself.
	Direct     bool
	OpenDirect func(ctx context.Context, home string) (LocalService, error)
}

// LocalService is a Service that keeps files open.
type LocalService interface {
	api.Service
	Close() error
}

// Home returns $MCPCTL_HOME, by default ~/.mcpctl.
func (f *Factory) Home() (string, error) {
	if h := f.Env("MCPCTL_HOME"); h != "" {
		return filepath.Abs(h)
	}
	dir, err := f.UserHome()
	if err != nil {
		return "", &problem.Problem{Code: "E_INVALID", Message: "no home directory", Cause: "neither MCPCTL_HOME nor HOME is set", Hint: "export MCPCTL_HOME=DIR"}
	}
	return filepath.Join(dir, ".mcpctl"), nil
}

// UserHome returns the home directory of the user, which contains the files of clients.
//
// Errors: abi.ErrConfig if the environment does not specify it.
func (f *Factory) UserHome() (string, error) { return userHome(runtime.GOOS, f.Env) }

// userHome reads the same variables as os.UserHomeDir. HOME takes precedence on Windows too,
// because
// Unix shells set it there.
func userHome(goos string, env func(string) string) (string, error) {
	names := []string{"HOME"}
	if goos == "windows" {
		names = append(names, "USERPROFILE")
	}
	for _, name := range names {
		if dir := env(name); dir != "" {
			return dir, nil
		}
	}
	p := problem.New(abi.ErrConfig, "the home directory of the user is unknown")
	p.Cause = strings.Join(names, " or ") + " is not set"
	return "", p.WithHint("export HOME=DIR")
}

// Settings loads the settings of the home and prints warnings about them to ErrOut.
func (f *Factory) Settings() (config.Settings, error) {
	home, err := f.Home()
	if err != nil {
		return nil, err
	}
	settings, warnings, err := config.Load(home, f.Env)
	for _, w := range warnings {
		fmt.Fprintf(f.IO.ErrOut, "warning: %s\n", w)
	}
	return settings, err
}

// Socket returns the path of the unix socket of the home's daemon.
func (f *Factory) Socket() (string, error) {
	home, err := f.Home()
	return filepath.Join(home, "run", "mcplocal.sock"), err
}

// Daemon returns a client for the home's daemon, whether or not it is running.
func (f *Factory) Daemon() (*api.Client, error) {
	socket, err := f.Socket()
	if err != nil {
		return nil, err
	}
	client := api.NewClient(socket)
	client.Holder = f.Holder
	return client, nil
}

// Holder returns the pid of the daemon that locks the home, even if it does not answer. It returns
// 0
// if there is none, if it is starting, or if the pid cannot be determined.
func (f *Factory) Holder() int {
	home, err := f.Home()
	if err != nil {
		return 0
	}
	pid, _, err := homedir.Dir(home).Holder()
	if err != nil {
		return 0
	}
	return pid
}

// ReloadDaemon makes a running daemon load the present files of the home, and waits for it. It does
// nothing if no daemon is running.
func (f *Factory) ReloadDaemon(ctx context.Context) error {
	daemon, err := f.Daemon()
	if err != nil || !daemon.Running(ctx) {
		return err
	}
	return daemon.Reload(ctx)
}

// Service returns the daemon if one is running, otherwise the files of the home, and with
// --direct the team server. The caller must call the returned function when done.
func (f *Factory) Service(ctx context.Context) (api.Service, func(), error) {
	open := f.Local
	if f.Direct {
		open = f.OpenDirect
	} else {
		client, err := f.Daemon()
		if err != nil {
			return nil, nil, err
		}
		if client.Running(ctx) {
			return client, func() {}, nil
		}
	}
	home, err := f.Home()
	if err != nil {
		return nil, nil, err
	}
	local, err := open(ctx, home)
	if err != nil {
		return nil, nil, err
	}
	return local, func() { _ = local.Close() }, nil
}

// CallTeam makes a call of the team server's API; see api.Team.Call. path is below /api/v1.
func (f *Factory) CallTeam(ctx context.Context, method, path string, query url.Values, in, out any) error {
	s, done, err := f.Service(ctx)
	if err != nil {
		return err
	}
	defer done()
	return s.Team().Call(ctx, method, path, query, in, out)
}

// CheckTeam returns an error unless a team server answers at an address; see manage.CheckTeam.
func (f *Factory) CheckTeam(ctx context.Context, address string) error {
	home, err := f.Home()
	if err != nil {
		return err
	}
	return manage.CheckTeam(ctx, home, address)
}

// Host opens the home offline: it does not listen, start servers or cache anything. The caller must
// close it.
func (f *Factory) Host(ctx context.Context) (*host.Host, error) {
	home, err := f.Home()
	if err != nil {
		return nil, err
	}
	settings, err := f.Settings()
	if err != nil {
		return nil, err
	}
	compiler, worker := programs()
	return host.Open(ctx, host.Options{Home: homedir.Dir(home), Version: release.Version, Settings: manage.HostSettings(settings), Offline: true, Lazy: true, Compiler: compiler, Worker: worker})
}

// Shown returns the name of a file argument for messages.
func Shown(name string) string {
	if name == "-" {
		return "standard input"
	}
	return name
}

// ReadFile reads a file argument; "-" is standard input.
//
// Errors: abi.ErrNotFound, abi.ErrLimit, or an error of the operating system.
func (f *Factory) ReadFile(name string) ([]byte, error) {
	if name == "" {
		return nil, problem.Usagef("file name is empty")
	}
	if name == "-" {
		return readAll(f.IO.In, Shown(name))
	}
	return readFile(name)
}
