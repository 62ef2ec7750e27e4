// Package replay implements `mcpctl replay`.
package replay

import (
	"context"
	"fmt"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/playback"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/host/recording"
	"github.com/mcpctl/mcpctl/internal/atomicfile"
)

// Options are the arguments and flags of the command.
type Options struct {
	F      *factory.Factory
	File   string
	Models []string
	SVG    string
	Output string
}

// NewCmdReplay creates the command. If runF is not nil, it is called instead of the implementation.
func NewCmdReplay(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "Play a recorded session through proxymodels",
		Long: `Play the calls of a recording through proxymodels, in a copy of the home, without a daemon and without any server: their
results come from the recording. FILE is a file of "mcpctl record", the name of a recording, or a project, for its newest
recording. Without --proxy-model it is played through the proxymodel that it was recorded with, whose answers are
compared with the recorded ones byte for byte. LLMs are those of the home; they are asked again.

  ORIGINAL    tokens of the servers' results (all tokens are estimates)
  SENT        tokens of the first answers
  SECTIONS    parts of results that the recorded client has read with read_section
  TO-SECTION  mean tokens of a first answer and the answer with the part; where a proxymodel has
              no such section, the part is read by its range of bytes, in which case navigation
              in its own index is not included
  LOST        parts that could not be read: 0, because every byte of a result stays readable

-o wide also lists the parts. The exit status is 7 if a part is lost, or if answers differ although nothing that they
depend on has changed since the recording.`,
		Example: `  mcpctl replay session.jsonl
  mcpctl replay session.jsonl --proxy-model default --proxy-model subindex --svg session.svg
  mcpctl replay session.jsonl --proxy-model subindex -o json`,
		Args:              factory.OneArg("FILE", &opts.File),
		ValidArgsFunction: completeFile(f),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := printer.Check(opts.Output); err != nil {
				return err
			}
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return replayRun(cmd.Context(), opts)
		},
	}
	fl := cmd.Flags()
	fl.StringArrayVar(&opts.Models, "proxy-model", nil, "proxymodel to play through; may be repeated")
	fl.StringVar(&opts.SVG, "svg", "", "also draw the result into this file")
	printer.AddFlag(cmd, f.Env, &opts.Output)
	_ = cmd.RegisterFlagCompletionFunc("proxy-model", f.Names("proxymodel")) // fails only for an unknown flag
	return cmd
}

// completeFile completes names of recordings, and files.
func completeFile(f *factory.Factory) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		names, _ := f.Names("recording")(cmd, nil, prefix)
		return names, cobra.ShellCompDirectiveDefault
	}
}

func replayRun(ctx context.Context, opts *Options) error {
	r, err := playback.Load(ctx, opts.F, opts.File)
	if err != nil {
		return err
	}
	warn(opts, r)
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP) // clean up when the terminal is closed
	defer stop()
	models := opts.Models
	if len(models) == 0 {
		models = []string{r.Header.ProxyModel}
	}
	var results []playback.Result
	for _, model := range models {
		done := opts.F.IO.Progress("playing through " + model)
		res, err := playback.Play(ctx, playback.Options{F: opts.F, Recording: r, Model: model})
		done()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return err
		}
		results = append(results, res)
	}
	if opts.SVG != "" {
		if err := atomicfile.Write(opts.SVG, draw(title(r), results), 0o644); err != nil {
			return err
		}
	}
	if err := show(opts, results); err != nil {
		return err
	}
	return verdict(results)
}

// warn prints warnings about exchanges that a recording does not contain.
func warn(opts *Options, r *recording.Recording) {
	name := factory.Shown(opts.File)
	if r.Dropped > 0 {
		fmt.Fprintf(opts.F.IO.ErrOut, "warning: %s: %s were not recorded, because the disk was too slow\n", name, printer.Plural(r.Dropped, "request"))
	}
	if r.End != "" {
		fmt.Fprintf(opts.F.IO.ErrOut, "warning: %s is not complete: %s\n", name, iostreams.Line(r.End))
	}
	if r.Truncated {
		fmt.Fprintf(opts.F.IO.ErrOut, "warning: %s: the last line is incomplete and was ignored\n", name)
	}
}

// title describes a recording in one line.
func title(r *recording.Recording) string {
	return iostreams.Line(fmt.Sprintf("Project %s, %s, recorded %s with proxymodel %s", r.Header.Project, printer.Plural(len(r.Exchanges), "request"),
		r.Header.Started.Format("2006-01-02 15:04"), r.Header.ProxyModel))
}

// verdict returns an error if a part was lost, or answers differ without a reason.
func verdict(results []playback.Result) error {
	var failed []string
	for _, r := range results {
		if r.Unreachable > 0 {
			failed = append(failed, fmt.Sprintf("%s: %s cannot be read", r.Model, printer.Plural(r.Unreachable, "part")))
		}
		if id := r.Identity; id != nil && !id.IsWhole() && len(reasons(r)) == 0 {
			failed = append(failed, fmt.Sprintf("%s: %d of %s differ, but nothing has changed since the recording (request %s)",
				r.Model, id.Compared-id.Identical, printer.Plural(id.Compared, "answer"), numbers(id.Different)))
		}
	}
	if len(failed) == 0 {
		return nil
	}
	p := problem.New(abi.ErrConfig, "the replay differs from the recording")
	p.Cause = strings.Join(failed, "\n")
	return p.WithHint("mcpctl replay --help")
}

// reasons returns why answers of the recorder's proxymodel may differ.
func reasons(r playback.Result) []string {
	list := slices.Clone(r.Identity.Changed)
	if r.LLMCalls > 0 {
		list = append(list, "the answers of the LLM")
	}
	return list
}

// maxNumbers limits the request numbers in a message.
const maxNumbers = 10

func numbers(list []uint64) string {
	var out []string
	for i, n := range list {
		if i == maxNumbers {
			out = append(out, "...")
			break
		}
		out = append(out, fmt.Sprint(n))
	}
	return strings.Join(out, ", ")
}
