package daemon

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
)

// logTick is the interval at which a followed log is read.
const logTick = 200 * time.Millisecond

func newLogs(f *factory.Factory) *cobra.Command {
	var follow bool
	cmd := &cobra.Command{
		Use:   "logs",
		Short: "Print the log of the daemon",
		Long: `Print the log of a daemon that runs in the background or as the service of "mcpctl daemon install". When the log
reaches 10 MiB, the daemon moves it to logs/mcplocal.log.1; --follow continues with the new one. The setting log.level is
the minimum level that is logged; log.stages.NAME adds the lines of a stage or controller from a level on.`,
		Example: `  mcpctl daemon logs | tail
  mcpctl daemon logs --follow`,
		Args: factory.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			home, err := f.Home()
			if err != nil {
				return err
			}
			log, err := os.Open(logFile(home))
			if errors.Is(err, fs.ErrNotExist) {
				return problem.New(abi.ErrNotFound, "no daemon has been started in the background yet").WithHint("mcpctl daemon start")
			}
			if err != nil {
				return err
			}
			defer log.Close()
			if follow {
				return followLog(cmd.Context(), f.IO, log)
			}
			return printLog(f.IO, log)
		},
	}
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "print new lines until interrupted")
	return cmd
}

// followLog prints a log and all lines appended to it, until ctx is canceled.
func followLog(ctx context.Context, streams *iostreams.Streams, log *os.File) error {
	if err := printLog(streams, log); err != nil {
		return err
	}
	tick := time.NewTicker(logTick)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil // interrupting is the normal way to end
		}
		if err := finishRotated(streams, log); err != nil {
			return err
		}
		if err := printLog(streams, log); err != nil {
			return err
		}
	}
}

// finishRotated prints the rest of a log that was rotated since the last read, and seeks to the
// start
// of the new one. The daemon copies the log and truncates it, so a log that is shorter than the
// read
// offset is a new one.
func finishRotated(streams *iostreams.Streams, log *os.File) error {
	at, err := log.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	info, err := log.Stat()
	if err != nil || info.Size() >= at {
		return err
	}
	if old, err := os.Open(log.Name() + ".1"); err == nil {
		defer old.Close()
		if _, err := old.Seek(at, io.SeekStart); err != nil {
			return err
		}
		if err := printLog(streams, old); err != nil {
			return err
		}
	}
	_, err = log.Seek(0, io.SeekStart)
	return err
}

// printLog copies the rest of a log. Lines for a terminal are cleaned, because they contain
// messages
// of servers and stages.
func printLog(streams *iostreams.Streams, log io.Reader) error {
	if !streams.OutTerminal {
		_, err := io.Copy(streams.Out, log)
		return err
	}
	lines := bufio.NewReader(log)
	for {
		line, err := lines.ReadString('\n')
		if _, werr := io.WriteString(streams.Out, iostreams.Clean(line)); werr != nil {
			return werr
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
