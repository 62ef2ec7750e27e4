// Package serve implements `mcplocal serve`, which runs the daemon in the foreground.
package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/config"
	"github.com/mcpctl/mcpctl/cmd/internal/manage"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/internal/release"
	"github.com/mcpctl/mcpctl/cmd/internal/schemafile"
	"github.com/mcpctl/mcpctl/host"
	"github.com/mcpctl/mcpctl/host/event"
	"github.com/mcpctl/mcpctl/host/guestlog"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/telemetry"
)

// Time limits after SIGTERM.
const (
	drain      = 10 * time.Second       // for pending calls
	unfinished = 500 * time.Millisecond // for other requests, after pending calls
)

// Options are the options of the command.
type Options struct {
	Listen   string
	NoToken  bool
	Settings host.Settings
	Loaded   config.Settings // all settings of the home; nil: unknown
	Isolated bool            // local modules run in processes of their own
	Home     homedir.Dir
	Out      io.Writer
	Log      *slog.Logger
	Level    *slog.LevelVar // of Log; follows the setting log.level
	Fixed    bool           // Level was set on the command line
	Stages   *guestlog.Levels

	Telemetry telemetry.Options // without an endpoint, nothing is exported
	Headers   []config.Header   // of telemetry
}

// NewCmdServe returns the command. Tests pass runF to replace its function.
func NewCmdServe(runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{Out: os.Stdout}
	var verbose bool
	var level string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the daemon in the foreground",
		Long: `Run the daemon of a home ($MCPCTL_HOME, default ~/.mcpctl) in the foreground. When it is ready it prints one
line of JSON with its address, socket and pid. Over TCP a client needs the bearer token in the file "token" of the
home; the unix socket needs no token, but only its owner can use it.`,
		Example: `  mcplocal serve
  mcplocal serve --listen 127.0.0.1:0`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			home, err := homeDir()
			if err != nil {
				return err
			}
			opts.Home, opts.Level, opts.Stages = home, new(slog.LevelVar), new(guestlog.Levels)
			log, flush := logWriter(home, os.Stderr)
			defer flush()
			opts.Log = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: opts.Level}))
			if err := opts.fixLevel(level, verbose); err != nil {
				return err
			}
			settings, err := loadSettings(home, opts.Log)
			if err != nil {
				return err
			}
			opts.setLevel(settings)
			opts.Loaded, opts.Settings = settings, manage.HostSettings(settings)
			opts.Isolated = settings.Get("isolation") == config.IsolationProcess
			opts.setTelemetry(settings)
			if path := settings.Get("path"); path != "" {
				if err := os.Setenv("PATH", path); err != nil {
					return err
				}
			}
			if opts.Listen == "" {
				opts.Listen = settings.Listen()
			}
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return serveRun(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringVar(&opts.Listen, "listen", "", "loopback address of the TCP listener; port 0 selects a free port (default: from the setting mcplocal-url, 127.0.0.1:3200)")
	cmd.Flags().BoolVar(&opts.NoToken, "no-token", false, "accept TCP requests without a token (for tests)")
	cmd.Flags().StringVar(&level, "log-level", "", "minimum log level: debug, info, warn, error (default: the setting log.level, whose changes apply immediately)")
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "log debug messages, same as --log-level debug")
	return cmd
}

// loadSettings reads the settings of a home.
func loadSettings(home homedir.Dir, log *slog.Logger) (config.Settings, error) {
	settings, warnings, err := config.Load(string(home), os.Getenv)
	for _, w := range warnings {
		log.Warn("setting", "warning", w)
	}
	return settings, err
}

func homeDir() (homedir.Dir, error) {
	if h := os.Getenv("MCPCTL_HOME"); h != "" {
		abs, err := filepath.Abs(h)
		return homedir.Dir(abs), err
	}
	dir, err := os.UserHomeDir()
	if err != nil {
		return "", &problem.Problem{Code: "E_INVALID", Message: "no home directory", Cause: err.Error(), Hint: "export MCPCTL_HOME=DIR"}
	}
	return homedir.Dir(filepath.Join(dir, ".mcpctl")), nil
}

// fixLevel sets the log level from the command line, if it is given there.
func (opts *Options) fixLevel(level string, verbose bool) error {
	switch {
	case level != "":
		opts.Fixed = true
		if err := opts.Level.UnmarshalText([]byte(level)); err != nil {
			return problem.Usagef("--log-level %q, want debug, info, warn or error", level).WithHint("mcplocal serve --log-level debug")
		}
	case verbose:
		opts.Fixed = true
		opts.Level.Set(slog.LevelDebug)
	}
	return nil
}

// setLevel applies the settings log.level and log.stages.
func (opts *Options) setLevel(s config.Settings) {
	opts.Stages.Set(s.StageLevels())
	if !opts.Fixed {
		opts.Level.Set(s.LogLevel())
	}
}

// reloadLevel reads and applies the settings log.level and log.stages. Invalid settings do
// not change the levels; status reports them.
func (opts *Options) reloadLevel() {
	if settings, _, err := config.Load(string(opts.Home), os.Getenv); err == nil {
		opts.setLevel(settings)
	}
}

// serveRun runs the daemon until it is stopped.
func serveRun(ctx context.Context, opts *Options) error {
	restrictNewFiles()
	keepInherited()
	lock, err := opts.Home.Lock()
	if err != nil {
		return problem.From(err).WithHint("mcpctl status")
	}
	defer lock.Close()
	lis, err := listen(opts)
	if err != nil {
		return err
	}
	defer lis.close(lock)
	events := event.New(event.Options{})
	compiler, worker := programs(opts.Log, opts.Isolated)
	h, err := host.Open(ctx, host.Options{Compiler: compiler, Worker: worker, Events: events, Home: opts.Home, Version: release.Version, Settings: opts.Settings, Log: opts.Log, StageLevels: opts.Stages, Reloaded: opts.reloadLevel, Team: manage.TeamSettings(string(opts.Home))})
	if err != nil {
		return err
	}
	defer h.Close()
	defer opts.startTelemetry(h, events)()
	if err := schemafile.Write(string(opts.Home)); err != nil { // not fatal: only editors need them
		opts.Log.Warn("schemas for editors cannot be written", "cause", err)
	}
	token, err := opts.Home.Token()
	if err != nil {
		return err
	}

	ready := ready{Listening: "http://" + lis.tcp.Addr().String(), Socket: opts.Home.Socket(), PID: os.Getpid()}
	mux := routes(h, manage.New(h, manage.Endpoint{Listening: ready.Listening, Socket: ready.Socket, PID: ready.PID, Started: time.Now()}, opts.Loaded))
	socket, tcp := newHandlers(mux, tokenOf(opts, token))
	quiet := slog.NewLogLogger(opts.Log.Handler(), slog.LevelDebug)
	open, guarded := newServer(socket), newServer(tcp)
	open.ConnContext, open.ErrorLog, guarded.ErrorLog = withPeer, quiet, quiet
	failed := make(chan error, 2)
	go func() { failed <- open.Serve(lis.unix) }()
	go func() { failed <- guarded.Serve(limitListener(lis.tcp, maxConnections())) }()

	stop := make(chan os.Signal, 2) // registered before the pid is announced, so that no signal is lost
	signal.Notify(stop, syscall.SIGTERM, os.Interrupt)
	defer signal.Stop(stop)
	if err := ready.announce(opts.Out, lock); err != nil {
		return err
	}
	if err := awaitEnd(ctx, opts.Log, lock, stop, failed); err != nil {
		return err
	}
	_ = lock.Describe(fmt.Sprintf("which is stopping, pid %d", ready.PID)) // informational
	return shutdown(stop, h, guarded, open)
}

// lockCheck is the interval at which the daemon checks that its home still exists.
const lockCheck = 2 * time.Second

// awaitEnd waits until the daemon has to stop: after a signal, when ctx ends, or because its
// home was removed or replaced. It returns the error of a failed listener.
func awaitEnd(ctx context.Context, log *slog.Logger, lock *homedir.Lock, stop <-chan os.Signal, failed <-chan error) error {
	tick := time.NewTicker(lockCheck)
	defer tick.Stop()
	for {
		select {
		case err := <-failed:
			return err
		case <-ctx.Done():
			return nil
		case sig := <-stop:
			log.Info("stopping, waiting for pending calls", "signal", sig.String())
			return nil
		case <-tick.C:
			if !lock.IsCurrent() {
				log.Warn("stopping, the home was removed or replaced")
				return nil
			}
		}
	}
}

// ready is the line that the daemon prints when it is ready.
type ready struct {
	Listening string `json:"listening"`
	Socket    string `json:"socket"`
	PID       int    `json:"pid"`
}

func (r ready) announce(out io.Writer, lock *homedir.Lock) error {
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := lock.Describe(fmt.Sprintf("pid %d, socket %s, %s", r.PID, r.Socket, r.Listening)); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s\n", b)
	return err
}

// shutdown waits for pending calls, up to the limit drain or a second signal.
func shutdown(stop <-chan os.Signal, h *host.Host, servers ...*http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	go func() {
		select {
		case <-stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	var closing sync.WaitGroup
	for _, s := range servers {
		closing.Go(func() { // accepts no new connections
			if s.Shutdown(ctx) != nil {
				s.Close()
			}
		})
	}
	h.Drain(ctx)
	late := time.AfterFunc(unfinished, cancel) // other requests have no session, or have not arrived
	defer late.Stop()
	closing.Wait()
	return nil
}

type listeners struct {
	tcp, unix net.Listener
}

// close closes the listeners and removes the socket, unless the home was replaced, because
// the socket then belongs to another daemon.
func (l listeners) close(lock *homedir.Lock) {
	l.tcp.Close()
	l.unix.Close()
	if lock.IsCurrent() {
		_ = os.Remove(l.unix.Addr().String()) // the next daemon removes it before it listens
	}
}

// listen opens both listeners. It removes an existing socket, which belongs to a daemon that
// has ended, because the caller holds the lock of the home.
func listen(opts *Options) (listeners, error) {
	if err := checkLoopback(opts); err != nil {
		return listeners{}, err
	}
	tcp, err := net.Listen("tcp", opts.Listen)
	if errors.Is(err, syscall.EADDRINUSE) {
		return listeners{}, portInUse(opts.Listen)
	}
	if err != nil {
		return listeners{}, err
	}
	if err := os.Remove(opts.Home.Socket()); err != nil && !os.IsNotExist(err) {
		tcp.Close()
		return listeners{}, err
	}
	unix, err := net.ListenUnix("unix", &net.UnixAddr{Name: opts.Home.Socket(), Net: "unix"})
	if err == nil {
		unix.SetUnlinkOnClose(false) // by then it may belong to another daemon
		err = os.Chmod(opts.Home.Socket(), 0o600)
	}
	if err != nil {
		tcp.Close()
		return listeners{}, err
	}
	return listeners{tcp, unix}, nil
}

func portInUse(address string) error {
	owner := portOwner(address)
	if owner == "" {
		owner = "another program"
	}
	return problem.New(abi.ErrConflict, "%s is in use by %s", address, owner).WithHint("mcplocal serve --listen 127.0.0.1:0")
}

// checkLoopback returns an error if the address to listen on is not a loopback address.
func checkLoopback(opts *Options) error {
	hostname, _, err := net.SplitHostPort(opts.Listen)
	if err != nil {
		return problem.Usagef("--listen %q: %v", opts.Listen, err).WithHint("mcplocal serve --listen 127.0.0.1:0")
	}
	ip := net.ParseIP(hostname)
	if hostname == "localhost" || ip != nil && ip.IsLoopback() {
		return nil
	}
	return problem.Usagef("--listen %q: only loopback addresses are served", opts.Listen).WithHint("mcplocal serve --listen 127.0.0.1:0")
}

func tokenOf(opts *Options, token string) string {
	if opts.NoToken {
		return ""
	}
	return token
}
