package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
)

// NewCmdDaemon makes the group.
func NewCmdDaemon(f *factory.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "daemon",
		Short: "Start and stop the daemon",
		Long: `Start and stop the daemon of the home. Commands that need one start it by themselves; this is for when you want
to say so.`,
		Example: `  mcpctl daemon start
  mcpctl daemon stop`,
	}
	cmd.AddCommand(newStart(f), newStop(f), newLogs(f))
	return cmd
}

func newStart(f *factory.Factory) *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use:   "start",
		Short: "Start the daemon in the background",
		Long:  "Start the daemon in the background and return once it serves. One that runs already is left alone.",
		Example: `  mcpctl daemon start
  mcpctl daemon start --listen 127.0.0.1:3300`,
		Args: factory.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := f.Daemon()
			if err != nil {
				return err
			}
			if st, err := client.Status(cmd.Context()); err == nil {
				fmt.Fprintf(f.IO.Out, "already running, pid %d, %s\n", st.PID, st.Listening)
				return nil
			}
			var extra []string
			if listen != "" {
				extra = []string{"--listen", listen}
			}
			r, err := Start(cmd.Context(), f, extra...)
			if err != nil {
				return err
			}
			fmt.Fprintf(f.IO.Out, "started, pid %d, %s\n", r.PID, r.Listening)
			return nil
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "", "address of the TCP listener (default 127.0.0.1:3200)")
	return cmd
}

// stopLimit is a little more than the daemon takes for calls in flight.
const stopLimit = 15 * time.Second

func newStop(f *factory.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "stop",
		Short: "Stop the daemon",
		Long:  "Stop the daemon after the calls in flight have ended, 10 seconds at most. Without a daemon nothing happens.",
		Example: `  mcpctl daemon stop
  mcpctl daemon stop && mcpctl daemon start`,
		Args: factory.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error { return Stop(cmd.Context(), f) },
	}
}

// Stop ends the daemon and returns once it is gone. Without one nothing happens.
func Stop(ctx context.Context, f *factory.Factory) error {
	client, err := f.Daemon()
	if err != nil {
		return err
	}
	st, err := client.Status(ctx)
	if errors.Is(err, abi.ErrUnavailable) {
		fmt.Fprintln(f.IO.Out, "not running")
		return nil
	}
	if err != nil {
		return err
	}
	if err := syscall.Kill(st.PID, syscall.SIGTERM); err != nil {
		return fmt.Errorf("pid %d: %w", st.PID, err)
	}
	ctx, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for syscall.Kill(st.PID, 0) == nil {
		select {
		case <-ctx.Done():
			return problem.New(abi.ErrUnavailable, "pid %d still runs after %v", st.PID, stopLimit)
		case <-tick.C:
		}
	}
	fmt.Fprintln(f.IO.Out, "stopped")
	return nil
}

func newLogs(f *factory.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "logs",
		Short: "Print what a daemon in the background said",
		Long:  "Print the log of the daemon that was started in the background.",
		Example: `  mcpctl daemon logs
  mcpctl daemon logs | tail`,
		Args: factory.ExactArgs(),
		RunE: func(*cobra.Command, []string) error {
			home, err := f.Home()
			if err != nil {
				return err
			}
			b, err := os.ReadFile(filepath.Join(home, "logs", "mcplocal.log"))
			if os.IsNotExist(err) {
				return problem.New(abi.ErrNotFound, "no daemon was started in the background yet").WithHint("mcpctl daemon start")
			}
			if err != nil {
				return err
			}
			_, err = f.IO.Out.Write(b)
			return err
		},
	}
}
