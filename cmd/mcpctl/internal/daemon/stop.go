package daemon

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/internal/process"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/host"
)

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
		RunE: func(cmd *cobra.Command, _ []string) error {
			defer f.IO.Progress("waiting for calls to end")()
			st, err := Stop(cmd.Context(), f)
			switch {
			case err != nil:
				return err
			case !st.Running:
				fmt.Fprintln(f.IO.Out, "not running")
				return nil
			}
			fmt.Fprintln(f.IO.Out, "stopped")
			if st.Sessions > 0 {
				fmt.Fprintf(f.IO.ErrOut, "%s open: a client with a stdio entry starts the daemon again at its next call\n", open(st.Sessions))
			}
			return nil
		},
	}
}

func open(sessions int) string {
	if sessions == 1 {
		return "1 session was"
	}
	return fmt.Sprintf("%d sessions were", sessions)
}

// Stop ends the daemon and returns once its home is free, and what it was.
func Stop(ctx context.Context, f *factory.Factory) (was api.Status, err error) {
	client, err := f.Daemon()
	if err != nil {
		return was, err
	}
	was, err = client.Status(ctx)
	if errors.Is(err, abi.ErrUnavailable) {
		return api.Status{}, nil
	}
	if err != nil {
		return was, err
	}
	return was, end(ctx, was)
}

// end asks a daemon to end and waits until it gives its home back. Its pid is no
// measure: one that nobody has reaped yet is still there.
func end(ctx context.Context, st api.Status) error {
	if err := process.Terminate(st.PID); err != nil {
		return fmt.Errorf("pid %d: %w", st.PID, err)
	}
	ctx, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		lock, err := host.Home(st.Home).Lock()
		if err == nil {
			return lock.Close()
		}
		if !errors.Is(err, abi.ErrConflict) {
			return err
		}
		select {
		case <-ctx.Done():
			return problem.New(abi.ErrUnavailable, "pid %d still runs after %v", st.PID, stopLimit).WithHint("kill -9 %d", st.PID)
		case <-tick.C:
		}
	}
}
