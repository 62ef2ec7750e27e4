// Package stage is `mcpctl stage`: runs, tests, inspects and packs stages.
package stage

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/stage/bench"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/stage/dev"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/plugin"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/toolchain"
	"github.com/mcpctl/mcpctl/host/lab"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// NewCmdStage makes the group.
func NewCmdStage(f *factory.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "stage",
		Short: "Run, test, measure, inspect and pack stages",
		Long: `Work on stages: run one over a text, build and test a plugin directory at each save, measure the cost of a call, inspect
a module, add a manifest to one. Only stage dev --project needs a daemon. "mcpctl create stage" creates a new one;
"mcpctl get stages" lists the active ones.`,
		Example: `  mcpctl stage run section-split < big.json
  mcpctl stage dev shout --project home
  mcpctl stage inspect shout.wasm`,
	}
	cmd.AddCommand(NewCmdRun(f, nil), NewCmdTest(f, nil), dev.NewCmd(f, nil), bench.NewCmd(f, nil), NewCmdInspect(f), NewCmdPack(f), NewCmdTrust(f), NewCmdUntrust(f), NewCmdVerify(f))
	return cmd
}

// RunOptions are the arguments and flags of the command.
type RunOptions struct {
	F           *factory.Factory
	Stage       string
	Role        string
	Config      []string
	Source      string
	ContentType string
	Hint        string
	Arguments   string
	Output      string
	JSON        bool // --json of the contract: -o json
	Repeat      int

	dir string // the plugin directory, if the argument is one
}

// NewCmdRun makes the command; runF replaces its work in tests.
func NewCmdRun(f *factory.Factory, runF func(context.Context, *RunOptions) error) *cobra.Command {
	opts := &RunOptions{F: f}
	cmd := &cobra.Command{
		Use:   "run NAME|./DIR|FILE.wasm",
		Short: "Run one stage over standard input",
		Long: `Run one stage over standard input, offline, and print its output. The stage is a name (local ones before built-in ones),
the path of a plugin directory (built first if a source is newer), or a module file. On a terminal, control characters
of the output are escaped; a file or a pipe receives the exact bytes. -o json prints a report instead, also for a stage
that fails: outcome, sections, metadata, log, host calls, time, memory.`,
		Example: `  mcpctl stage run section-split --config leafSize=2000 < big.json
  mcpctl stage run ./shout < README.md
  mcpctl stage run ./shout.wasm -o json < README.md
  mcpctl stage run focus --arguments '{"_question":"who sells boats?"}' < big.json`,
		Args:              factory.OneArg("NAME|./DIR|FILE.wasm", &opts.Stage),
		ValidArgsFunction: stageOrPath(f),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return stageRun(cmd.Context(), opts)
		},
	}
	fl := cmd.Flags()
	f.AddRoleFlags(cmd, &opts.Role, &opts.Config)
	fl.StringVar(&opts.Source, "source", "stdin/input", "source of the content, as the stage sees it")
	fl.StringVar(&opts.ContentType, "content-type", string(abi.ToolResult), "prompt, toolResult or resource")
	fl.StringVar(&opts.Hint, "hint", "", "file name or URI of the content, as the stage sees it")
	factory.AddArgumentsFlag(cmd, &opts.Arguments)
	fl.StringVarP(&opts.Output, "output", "o", textFormat(f.Env), "format: "+strings.Join(runFormats, ", "))
	fl.BoolVar(&opts.JSON, "json", false, "print the report")
	_ = fl.MarkHidden("json") // all three fail only for an unknown flag
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(runFormats, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("content-type", cobra.FixedCompletions([]string{string(abi.Prompt), string(abi.ToolResult), string(abi.Resource)}, cobra.ShellCompDirectiveNoFileComp))
	fl.IntVar(&opts.Repeat, "repeat", 1, "number of runs; the report contains each run's time")
	return cmd
}

// stageOrPath completes the name of a stage, or a path if the word has begun as one.
func stageOrPath(f *factory.Factory) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
		if isPath(prefix) {
			return factory.DirOrModule(cmd, args, prefix)
		}
		return f.Names("stage")(cmd, args, prefix)
	}
}

// isPath reports whether the argument of stage run is a path and not a name.
func isPath(arg string) bool { return strings.ContainsAny(arg, "./"+string(filepath.Separator)) }

// runFormats are the values of -o: the text of the result, or the report.
var runFormats = []string{"text", "json", "yaml"}

// textFormat returns the format that MCPCTL_OUTPUT selects: tables become text here.
func textFormat(env func(string) string) string {
	if preset := env("MCPCTL_OUTPUT"); slices.Contains(runFormats, preset) {
		return preset
	}
	return "text"
}

func (opts *RunOptions) check() error {
	if opts.JSON {
		opts.Output = "json"
	}
	if !slices.Contains(runFormats, opts.Output) {
		return problem.Usagef("unknown output format %q", opts.Output).WithHint("mcpctl stage run %s -o json", problem.Arg(opts.Stage))
	}
	switch abi.ContentType(opts.ContentType) {
	case abi.Prompt, abi.ToolResult, abi.Resource:
	default:
		return problem.Usagef("--content-type %q, want prompt, toolResult or resource", opts.ContentType).WithHint("mcpctl stage run --help")
	}
	if opts.Role != "" && opts.Role != opts.Stage && !strings.HasSuffix(opts.Stage, ".wasm") {
		return problem.Usagef("--role %s: %q names a role already; --role chooses one of a FILE.wasm", opts.Role, opts.Stage).
			WithHint("mcpctl stage run %s", opts.Role)
	}
	return nil
}

func stageRun(ctx context.Context, opts *RunOptions) error {
	if err := opts.check(); err != nil {
		return err
	}
	if err := opts.resolvePlugin(ctx); err != nil {
		return err
	}
	if err := opts.warnOutdated(); err != nil {
		return err
	}
	config, err := factory.ConfigPairs(opts.Config)
	if err != nil {
		return err
	}
	arguments, err := factory.Arguments(opts.Arguments, "mcpctl stage run --help")
	if err != nil {
		return err
	}
	input, err := opts.F.ReadFile("-")
	if err != nil {
		return err
	}
	h, err := opts.F.Host(ctx)
	if err != nil {
		return err
	}
	defer h.Close()
	done := opts.F.IO.Progress("compiling and running " + opts.Stage)
	defer done()
	res, err := h.Lab().RunStage(ctx, lab.StageRun{
		Stage: opts.Stage, Role: opts.Role, Config: config, Input: input, Repeat: max(1, opts.Repeat),
		Type: abi.ContentType(opts.ContentType), Source: opts.Source, Hint: opts.Hint, Arguments: arguments,
	})
	done()
	if arguments != nil && res.Role.Name != "" && !res.Role.ReadsArguments() {
		fmt.Fprintf(opts.F.IO.ErrOut, "warning: stage %q gets no arguments: its manifest does not list the capability arguments\n", res.Role.Name)
	}
	if err := opts.show(res, err); err != nil {
		return err
	}
	return opts.fault(res, err)
}

// show prints the result of a run; for a failed run its log, and the report.
func (opts *RunOptions) show(res lab.StageResult, failed error) error {
	if failed != nil && res.Role.Name == "" {
		return nil // nothing ran
	}
	switch opts.Output {
	case "json":
		return printer.JSON(opts.F.IO.Out, newReport(res, failed))
	case "yaml":
		return printer.YAML(opts.F.IO.Out, newReport(res, failed))
	}
	for _, l := range res.Output.Log {
		fmt.Fprintf(opts.F.IO.ErrOut, "%s: %s\n", l.Level, iostreams.Line(l.Text))
	}
	return writeResult(opts.F.IO, res.Text)
}

// writeResult writes the exact bytes of a result. On a terminal, control characters are
// escaped, because they could change the text on the screen.
func writeResult(io *iostreams.Streams, text []byte) error {
	if io.OutTerminal {
		text = []byte(iostreams.Clean(string(text)))
	}
	_, err := io.Out.Write(text)
	return err
}

// resolvePlugin replaces the path of a plugin directory by that of its module. A single word is
// the name of a stage, even if a directory here has that name.
func (opts *RunOptions) resolvePlugin(ctx context.Context) error {
	if strings.HasSuffix(opts.Stage, ".wasm") || !isPath(opts.Stage) {
		return nil
	}
	folder, err := plugin.Open(opts.Stage)
	if err != nil {
		return err
	}
	opts.dir = opts.Stage
	opts.Stage, _, err = folder.Fresh(ctx, opts.F.Env, opts.F.IO.Progress)
	return err
}

// warnOutdated warns if the stage is an installed module that is older than its sources.
func (opts *RunOptions) warnOutdated() error {
	if strings.HasSuffix(opts.Stage, ".wasm") {
		return nil
	}
	home, err := opts.F.Home()
	if err != nil {
		return err
	}
	if w := plugin.Outdated(home, opts.Stage+".wasm"); w != "" {
		fmt.Fprintf(opts.F.IO.ErrOut, "warning: %s\n", iostreams.Line(w))
	}
	return nil
}

// isPlugin reports whether a plugin directory here has that name.
func isPlugin(name string) bool {
	_, err := plugin.Open(name)
	return err == nil
}

// fault returns the error of a run for a person: about invalid --config without the
// generated object, with the existing stages for an unknown one, and with an explanation
// for a failed one.
func (opts *RunOptions) fault(res lab.StageResult, err error) error {
	if err == nil {
		return nil
	}
	if reason, ok := strings.CutPrefix(err.Error(), fmt.Sprintf("stage %q: ", res.Role.Name)); ok {
		return opts.advised(problem.From(err), problem.GuestAdvice(reason, opts.language(res)))
	}
	stage := opts.Stage
	var field *strictyaml.FieldError
	switch p := problem.From(err); {
	case errors.Is(err, abi.ErrConfig) && strings.Contains(p.Message, "is a controller"): // which no text runs through
		q := *p
		q.Cause = "a session that a script plays runs it"
		return q.WithHint("mcpctl console --script FILE --project PROJECT")
	case errors.Is(err, abi.ErrNotFound) && isPlugin(stage):
		return p.WithHint("mcpctl stage run ./%s", stage)
	case errors.Is(err, abi.ErrNotFound) && p.Hint == "" && !strings.HasSuffix(stage, ".wasm"):
		return p.WithHint("mcpctl get stages")
	case errors.Is(err, abi.ErrUnavailable) && strings.Contains(p.Message, toLoad+"mcpctl stage trust "):
		q := *p
		q.Message, q.Hint, _ = strings.Cut(p.Message, toLoad)
		return &q
	case opts.isFile() && !errors.As(err, &field):
		return problem.FromFile(err, stage)
	case !errors.As(err, &field):
		return err
	}
	path := field.Path[max(0, strings.Index(field.Path, "config")):]
	tells := "describe stage"
	if strings.HasSuffix(stage, ".wasm") {
		tells = "stage inspect"
	}
	return problem.New(abi.ErrConfig, "%s %s", path, field.Message).WithHint("mcpctl %s %s", tells, stage)
}

// toLoad precedes the command that approves a module, at the end of the reason for which
// the module is not loaded.
const toLoad = "; to load it: "

// advised returns the error about a failed stage with advice for its language.
func (opts *RunOptions) advised(p *problem.Problem, a problem.Advice) error {
	switch {
	case opts.dir != "":
		a = a.In(opts.dir)
	case opts.isFile():
		a = a.In(opts.Stage)
	}
	q := *p
	q.Cause, q.Hint = a.Cause, a.Hint
	return &q
}

// isFile reports whether the argument names a module file.
func (opts *RunOptions) isFile() bool {
	return opts.dir == "" && strings.HasSuffix(opts.Stage, ".wasm")
}

// language returns the language of the module, from its manifest or from its directory.
func (opts *RunOptions) language(res lab.StageResult) string {
	if res.Language != "" || opts.dir == "" {
		return res.Language
	}
	l, _ := toolchain.Of(opts.dir) // on error the language is unknown
	return string(l)
}
