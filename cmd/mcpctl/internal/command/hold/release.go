package hold

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
)

// ReleaseOptions are the arguments and flags of release.
type ReleaseOptions struct {
	F       *factory.Factory
	ID      uint64 // 0: the answer that was held longest
	Project string
	All     bool
	Edit    string
	Drop    bool
	Wait    time.Duration
}

// NewCmdRelease makes the command; runF replaces its work in tests.
func NewCmdRelease(f *factory.Factory, runF func(context.Context, *ReleaseOptions) error) *cobra.Command {
	opts := &ReleaseOptions{F: f}
	cmd := &cobra.Command{
		Use:   "release [HOLD]",
		Short: "Release, edit or drop a held answer",
		Long: `Release a held answer, so that the client receives it: unchanged, with the text of a file in its place (--edit), or an
error that says that it was dropped (--drop). Without HOLD it is the answer that was held longest. An edit is stored as a
correction, from which "mcpctl create test" makes a test of a stage.`,
		Example: `  mcpctl release 3
  mcpctl release 3 --edit better.txt
  mcpctl release --wait 1m --drop
  mcpctl release --all --project home`,
		Args: func(_ *cobra.Command, args []string) (err error) {
			if len(args) > 1 {
				return problem.Usagef("%d arguments, want one HOLD", len(args)).WithHint("mcpctl get holds")
			}
			if len(args) == 1 {
				if opts.ID, err = strconv.ParseUint(args[0], 10, 64); err != nil || opts.ID == 0 {
					return problem.Usagef("%q is not the id of a held answer", args[0]).WithHint("mcpctl get holds")
				}
			}
			return nil
		},
		ValidArgsFunction: f.Names("hold"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if opts.ID > 0 && opts.All {
				return problem.Usagef("one HOLD and --all exclude each other").WithHint("mcpctl release --help")
			}
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return releaseRun(cmd.Context(), opts)
		},
	}
	fl := cmd.Flags()
	fl.StringVarP(&opts.Project, "project", "p", "", "only answers of this project")
	_ = cmd.RegisterFlagCompletionFunc("project", f.Names("project")) // fails only for an unknown flag
	fl.BoolVar(&opts.All, "all", false, "release all held answers unchanged")
	fl.StringVar(&opts.Edit, "edit", "", "file with the text that the client receives instead, - for standard input")
	fl.BoolVar(&opts.Drop, "drop", false, "send an error instead of the answer")
	fl.DurationVar(&opts.Wait, "wait", 0, "wait up to this long until an answer is held")
	cmd.MarkFlagsMutuallyExclusive("all", "edit", "drop")
	return cmd
}

func releaseRun(ctx context.Context, opts *ReleaseOptions) error {
	daemon, err := opts.F.Daemon()
	if err != nil {
		return err
	}
	s := daemon.Studio()
	if opts.All {
		n, err := s.ReleaseAll(ctx, opts.Project)
		if err == nil {
			fmt.Fprintf(opts.F.IO.Out, "released %d\n", n)
		}
		return err
	}
	id := opts.ID
	if id == 0 {
		if id, err = awaitHold(ctx, s, opts); err != nil {
			return err
		}
	}
	r, err := opts.decision(ctx, s, id)
	if err != nil {
		return err
	}
	if err := s.Release(ctx, id, r); err != nil {
		return problem.From(err).WithHint("mcpctl get holds")
	}
	done := map[string]string{"release": "released", "edit": "edited and released", "drop": "dropped"}[r.Action]
	fmt.Fprintf(opts.F.IO.Out, "hold/%d %s\n", id, done)
	if r.Action == "edit" {
		fmt.Fprintln(opts.F.IO.ErrOut, "next: mcpctl get corrections")
	}
	return nil
}

// decision returns what the flags ask for. An edit replaces the only text of the answer.
func (opts *ReleaseOptions) decision(ctx context.Context, s api.Studio, id uint64) (api.Release, error) {
	switch {
	case opts.Drop:
		return api.Release{Action: "drop"}, nil
	case opts.Edit == "":
		return api.Release{Action: "release"}, nil
	}
	text, err := opts.F.ReadFile(opts.Edit)
	if err != nil {
		return api.Release{}, err
	}
	h, err := s.Hold(ctx, id)
	if err != nil {
		return api.Release{}, err
	}
	if len(h.Shown) != 1 {
		p := problem.New(abi.ErrConfig, "answer %d has %d texts, and a file replaces one", id, len(h.Shown))
		return api.Release{}, p.WithHint("mcpctl console --model-studio %s", problem.Arg(h.Project))
	}
	return api.Release{Action: "edit", Texts: []string{string(text)}}, nil
}

// pollEvery is how often awaitHold looks for a held answer.
const pollEvery = 100 * time.Millisecond

// awaitHold returns the answer that was held longest.
func awaitHold(ctx context.Context, s api.Studio, opts *ReleaseOptions) (uint64, error) {
	limit := time.NewTimer(opts.Wait)
	defer limit.Stop()
	for {
		list, err := s.Holds(ctx, opts.Project)
		if err != nil {
			return 0, err
		}
		if len(list) > 0 {
			return list[0].ID, nil
		}
		select {
		case <-time.After(pollEvery):
		case <-limit.C:
			p := problem.New(abi.ErrNotFound, "no answer is held")
			p.Cause = "an answer is held if a rule of its project selects it, until its time has passed"
			return 0, p.WithHint("mcpctl hold PROJECT --all")
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}
