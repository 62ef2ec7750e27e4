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
	"github.com/mcpctl/mcpctl/host/homedir"
)

// stopLimit is slightly longer than the daemon waits for calls in flight.
const stopLimit = 15 * time.Second

func newStop(f *factory.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "stop",
		Short: "Stop the daemon",
		Long:  "Stop the daemon after calls in flight have ended, at most 10 seconds later. Without a daemon, do nothing.",
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

// Stop stops the daemon and waits until its home is unlocked. It returns the last status of the
// daemon.
func Stop(ctx context.Context, f *factory.Factory) (was api.Status, err error) {
	client, err := f.Daemon()
	if err != nil {
		return was, err
	}
	was, err = locate(ctx, f, client)
	if err != nil || !was.Running {
		return was, err
	}
	return was, end(ctx, was)
}

// locate returns the status of the daemon; Running is false if there is none. It waits for a daemon
// that is starting or stopping. If the daemon does not answer on its socket, which may have been
// removed, only its home and pid are returned.
func locate(ctx context.Context, f *factory.Factory, client *api.Client) (api.Status, error) {
	home, err := f.Home()
	if err != nil {
		return api.Status{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for before := 0; ; {
		st, err := client.Status(ctx)
		if !errors.Is(err, abi.ErrUnavailable) {
			return st, err
		}
		pid, held, err := homedir.Dir(home).Holder()
		if err != nil || !held {
			return api.Status{}, err
		}
		if pid > 0 && pid == before { // a daemon that has just locked the home replaces the old pid
			return api.Status{Running: true, Home: home, PID: pid}, nil
		}
		before = pid
		select {
		case <-ctx.Done():
			p := problem.New(abi.ErrUnavailable, "the daemon is still starting or stopping after %v", stopLimit)
			return api.Status{}, p.WithHint("mcpctl daemon logs")
		case <-tick.C:
		}
	}
}

// end terminates a daemon and waits until its home is unlocked. It does not check the pid, which
// exists
// until the process is reaped.
func end(ctx context.Context, st api.Status) error {
	if err := process.Terminate(st.PID); err != nil {
		return fmt.Errorf("pid %d: %w", st.PID, err)
	}
	ctx, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		_, held, err := homedir.Dir(st.Home).Holder()
		if err != nil || !held {
			return err
		}
		select {
		case <-ctx.Done():
			return problem.New(abi.ErrUnavailable, "pid %d still runs after %v", st.PID, stopLimit).WithHint("kill -9 %d", st.PID)
		case <-tick.C:
		}
	}
}
