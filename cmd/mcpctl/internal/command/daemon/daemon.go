package daemon

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
)

// NewCmdDaemon creates the command group.
func NewCmdDaemon(f *factory.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "daemon",
		Short: "Start, stop and install the daemon",
		Long: `Start and stop the daemon of the home, read its log, and install it as a service. Commands that need a daemon
start it automatically.`,
		Example: `  mcpctl daemon start
  mcpctl daemon stop`,
	}
	cmd.AddCommand(newStart(f), newStop(f), newStatus(f), newLogs(f), newInstall(f), newUninstall(f))
	return cmd
}

// running prints the status of the running daemon, or returns an error if none is running. It warns
// if
// the daemon does not listen on the address listen; "" accepts any address.
func running(ctx context.Context, f *factory.Factory, client *api.Client, listen string) error {
	st, err := client.Status(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(f.IO.Out, "already running, pid %d, %s\n", st.PID, st.Listening)
	if listen != "" && st.Listening != "http://"+listen {
		fmt.Fprintf(f.IO.ErrOut, "warning: --listen %s is ignored, the daemon listens on %s\nnext: mcpctl daemon stop && mcpctl daemon start --listen %s\n",
			iostreams.Line(listen), st.Listening, iostreams.Line(listen))
	}
	return nil
}

func newStart(f *factory.Factory) *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use:   "start",
		Short: "Start the daemon in the background",
		Long: `Start the daemon in the background and return when it is ready. A running daemon is not changed. If another program
listens on the address of the setting mcplocal-url, the daemon listens on a free port and a warning describes that
program.`,
		Example: `  mcpctl daemon start
  mcpctl daemon start --listen 127.0.0.1:3300`,
		Args: factory.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := f.Daemon()
			if err != nil {
				return err
			}
			if running(cmd.Context(), f, client, listen) == nil {
				return nil
			}
			done := f.IO.Progress("starting the daemon")
			r, taken, err := start(cmd.Context(), f, listen)
			done()
			if errors.Is(err, abi.ErrConflict) {
				if err := awaitOther(cmd.Context(), f, client, err); err != nil {
					return err
				}
				return running(cmd.Context(), f, client, listen)
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(f.IO.Out, "started, pid %d, %s\n", r.PID, r.Listening)
			if taken != nil {
				fmt.Fprintf(f.IO.ErrOut, "warning: %s; the daemon listens on %s\nnext: mcpctl config set mcplocal-url %s\n",
					iostreams.Line(problem.From(taken).Message), r.Listening, r.Listening)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "", "address of the TCP listener (default: the setting mcplocal-url, 127.0.0.1:3200)")
	return cmd
}

// start starts the daemon on an address. If the address is "", it uses the configured one or a free
// port.
func start(ctx context.Context, f *factory.Factory, listen string) (r Ready, taken, err error) {
	if listen == "" {
		return startOnFreePort(ctx, f)
	}
	r, err = Start(ctx, f, "--listen", listen)
	return r, nil, err
}

func newStatus(f *factory.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Report whether the daemon is running",
		Long: `Report whether the daemon of the home is running: exit status 0 if it is, 6 otherwise. "mcpctl status" also shows
servers and projects.`,
		Example: `  mcpctl daemon status
  mcpctl daemon status || mcpctl daemon start`,
		Args: factory.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := f.Daemon()
			if err != nil {
				return err
			}
			st, err := client.Status(cmd.Context())
			if err != nil {
				return err
			}
			fmt.Fprintf(f.IO.Out, "running, version %s, pid %d, %s\n", st.Version, st.PID, st.Listening)
			return nil
		},
	}
}
