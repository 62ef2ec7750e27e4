// Package record implements `mcpctl record`.
package record

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/daemon"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/kinds"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

// lease is the time for which the daemon records without a further request: a command that
// was killed does not record forever.
const (
	lease = time.Minute
	renew = lease / 3
)

// stopTime limits how long the command waits for the last exchanges to be written.
const stopTime = 10 * time.Second

// Options are the arguments and flags of the command.
type Options struct {
	F        *factory.Factory
	Project  string
	Duration time.Duration
}

// NewCmdRecord creates the command. If runF is not nil, it is called instead of the implementation.
func NewCmdRecord(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "record PROJECT",
		Short: "Record the sessions of a project",
		Long: `Write the requests of all sessions of a project and their answers to disk until Ctrl-C, and print the files: one for each
session, in recordings/PROJECT of the home. "mcpctl replay" plays them through other proxymodels. Sessions that are
already open are recorded from now on. The project's setting "recording: true" records permanently.

Recordings contain the results of servers after the filters of the project. Credentials in arguments are masked, those
in results are not. recordings.size, recordings.file and recordings.files of config.yaml limit them.`,
		Example: `  mcpctl record home
  mcpctl record home --duration 10m
  mcpctl patch project home --set recording=true`,
		Args:              kinds.OneOf("project", &opts.Project),
		ValidArgsFunction: kinds.CompleteOne(f, "project"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if opts.Duration < 0 {
				return problem.Usagef("--duration %v is negative", opts.Duration)
			}
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return recordRun(cmd.Context(), opts)
		},
	}
	cmd.Flags().DurationVar(&opts.Duration, "duration", 0, "record for this time; 0: until Ctrl-C")
	return cmd
}

func recordRun(ctx context.Context, opts *Options) error {
	if err := daemon.Ensure(ctx, opts.F); err != nil {
		return err
	}
	c, err := opts.F.Daemon()
	if err != nil {
		return err
	}
	before, err := c.Recordings().List(ctx, opts.Project)
	if err != nil {
		return err
	}
	if err := start(ctx, c, opts.Project); err != nil {
		return err
	}
	until := "Ctrl-C ends it"
	if opts.Duration > 0 {
		until = fmt.Sprintf("for %v, Ctrl-C ends it earlier", opts.Duration)
	}
	fmt.Fprintf(opts.F.IO.ErrOut, "recording project %s; %s\n", opts.Project, until)
	lost := wait(ctx, opts, c)
	after, err := stop(context.WithoutCancel(ctx), c, opts.Project)
	if err != nil {
		return err
	}
	show(opts, written(before, after))
	return lost
}

func start(ctx context.Context, c *api.Client, project string) error {
	return c.Recordings().Start(ctx, project, api.StartRecording{Seconds: int(lease / time.Second)})
}

// wait returns when the time is over or the command is interrupted. Meanwhile it makes the
// daemon record further.
func wait(ctx context.Context, opts *Options, c *api.Client) error {
	tick := time.NewTicker(renew)
	defer tick.Stop()
	var over <-chan time.Time
	if opts.Duration > 0 {
		timer := time.NewTimer(opts.Duration)
		defer timer.Stop()
		over = timer.C
	}
	for {
		select {
		case <-ctx.Done():
			return nil // the normal way to end
		case <-over:
			return nil
		case <-tick.C:
			if err := start(ctx, c, opts.Project); err != nil && ctx.Err() == nil {
				return err
			}
		}
	}
}

// stop ends the recording and returns all recordings of the project.
func stop(ctx context.Context, c *api.Client, project string) ([]api.Recording, error) {
	ctx, cancel := context.WithTimeout(ctx, stopTime)
	defer cancel()
	if err := c.Recordings().Stop(ctx, project); err != nil {
		return nil, err
	}
	return c.Recordings().List(ctx, project)
}

// written returns the recordings that are new or longer than before.
func written(before, after []api.Recording) (list []api.Recording) {
	sizes := make(map[string]int64)
	for _, r := range before {
		sizes[r.Name] = r.Bytes
	}
	for _, r := range after {
		if r.Bytes > sizes[r.Name] {
			list = append(list, r)
		}
	}
	return list
}

// show prints the files, and how to go on.
func show(opts *Options, list []api.Recording) {
	if len(list) == 0 {
		fmt.Fprintf(opts.F.IO.ErrOut, "nothing was recorded: no client of project %s made a request\n", opts.Project)
		return
	}
	for _, r := range list {
		fmt.Fprintln(opts.F.IO.Out, r.File)
	}
	last := list[len(list)-1]
	fmt.Fprintf(opts.F.IO.ErrOut, "%s\nnext: mcpctl replay %s --proxy-model default --proxy-model subindex\n", printer.Plural(len(list), "recording"), last.Name)
}
