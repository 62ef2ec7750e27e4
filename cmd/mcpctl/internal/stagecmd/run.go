// Package stagecmd is `mcpctl stage`: runs, tests, inspects and packs stages.
package stagecmd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/benchcmd"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/devcmd"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/plugin"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/host"
	"github.com/mcpctl/mcpctl/host/object"
)

// NewCmdStage makes the group.
func NewCmdStage(f *factory.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "stage",
		Short: "Run, test, measure, inspect and pack stages",
		Long: `Work on stages: run one over a text, build and test a plugin folder at each save, measure what a call costs, look into
a module, add a manifest to one. Only stage dev --project needs a daemon. "mcpctl create stage" makes a new one; "mcpctl
get stages" lists those in force.`,
		Example: `  mcpctl stage run section-split < big.json
  mcpctl stage dev shout --project home
  mcpctl stage inspect shout.wasm`,
	}
	cmd.AddCommand(NewCmdRun(f, nil), NewCmdTest(f, nil), devcmd.NewCmd(f, nil), benchcmd.NewCmd(f, nil), NewCmdInspect(f), NewCmdPack(f))
	return cmd
}

// RunOptions are what the command line said.
type RunOptions struct {
	F           *factory.Factory
	Stage       string
	Role        string
	Config      []string
	Source      string
	ContentType string
	Hint        string
	JSON        bool
	Repeat      int
}

// NewCmdRun makes the command; runF replaces its work in tests.
func NewCmdRun(f *factory.Factory, runF func(context.Context, *RunOptions) error) *cobra.Command {
	opts := &RunOptions{F: f}
	cmd := &cobra.Command{
		Use:   "run NAME|./DIR|FILE.wasm",
		Short: "Run one stage over standard input",
		Long: `Run one stage over standard input, offline, and print what it makes of it: a stage by name (local ones before
built-in ones), a plugin folder by its path (built first if a source is newer), or a module file. --json prints the report
instead: sections, metadata, log, host calls, time, memory.`,
		Example: `  mcpctl stage run section-split --config leafSize=2000 < big.json
  mcpctl stage run ./shout < README.md
  mcpctl stage run ./shout.wasm --json < README.md`,
		Args:              factory.OneArg("NAME|./DIR|FILE.wasm", &opts.Stage),
		ValidArgsFunction: f.Names("stage"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return stageRun(cmd.Context(), opts)
		},
	}
	fl := cmd.Flags()
	f.AddRoleFlags(cmd, &opts.Role, &opts.Config)
	fl.StringVar(&opts.Source, "source", "stdin/input", "source the stage is told")
	fl.StringVar(&opts.ContentType, "content-type", string(abi.ToolResult), "prompt, toolResult or resource")
	fl.StringVar(&opts.Hint, "hint", "", "file name or URI the stage is told")
	fl.BoolVar(&opts.JSON, "json", false, "print the report")
	_ = cmd.RegisterFlagCompletionFunc("content-type", cobra.FixedCompletions([]string{string(abi.Prompt), string(abi.ToolResult), string(abi.Resource)}, cobra.ShellCompDirectiveNoFileComp)) // fails only for an unknown flag
	fl.IntVar(&opts.Repeat, "repeat", 1, "run so many times; the report has each run's time")
	return cmd
}

// report is what --json prints.
type report struct {
	Role        string            `json:"role"`
	Outcome     string            `json:"outcome"` // done or pass
	Output      string            `json:"output"`
	Type        string            `json:"type,omitempty"`
	Sections    []sectionReport   `json:"sections"`
	Meta        map[string]string `json:"meta"`
	Log         []abi.LogLine     `json:"log"`
	GuestMicros []int64           `json:"guestMicros"` // one for each run
	MemoryBytes int               `json:"memoryBytes"`
	HostCalls   int               `json:"hostCalls"`
}

type sectionReport struct {
	ID      string `json:"id"`
	Parent  int    `json:"parent"`
	Kind    string `json:"kind"`
	Start   int    `json:"start"`
	End     int    `json:"end"`
	Title   string `json:"title,omitempty"`
	Summary string `json:"summary,omitempty"`
}

func (opts *RunOptions) check() error {
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
	if err := opts.ofFolder(ctx); err != nil {
		return err
	}
	if err := opts.check(); err != nil {
		return err
	}
	config, err := factory.ConfigPairs(opts.Config)
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
	res, err := h.RunStage(ctx, host.StageRun{
		Stage: opts.Stage, Role: opts.Role, Config: config, Input: input, Repeat: max(1, opts.Repeat),
		Type: abi.ContentType(opts.ContentType), Source: opts.Source, Hint: opts.Hint,
	})
	done()
	if err != nil {
		return runFault(opts.Stage, err)
	}
	if opts.JSON {
		return printer.JSON(opts.F.IO.Out, newReport(res))
	}
	for _, l := range res.Output.Log {
		fmt.Fprintf(opts.F.IO.ErrOut, "%s: %s\n", l.Level, iostreams.Line(l.Text))
	}
	_, err = opts.F.IO.Out.Write(res.Text)
	return err
}

// ofFolder makes the path of a plugin folder that of its module. A single word is the
// name of a stage, whatever is called so here.
func (opts *RunOptions) ofFolder(ctx context.Context) error {
	if strings.HasSuffix(opts.Stage, ".wasm") || !strings.ContainsAny(opts.Stage, "./"+string(filepath.Separator)) {
		return nil
	}
	folder, err := plugin.Open(opts.Stage)
	if err != nil {
		return err
	}
	opts.Stage, _, err = folder.Fresh(ctx, opts.F.Env, opts.F.IO.Progress)
	return err
}

// isPlugin reports whether a plugin folder here has that name.
func isPlugin(name string) bool {
	_, err := plugin.Open(name)
	return err == nil
}

// runFault tells a mistake in --config without the object that was made of it,
// and of a stage that is not there where those are that are.
func runFault(stage string, err error) error {
	var field *object.FieldError
	switch p := problem.From(err); {
	case errors.Is(err, abi.ErrConfig) && strings.Contains(p.Message, "is a controller"): // which no text runs through
		return p.WithHint("mcpctl console --script FILE --project PROJECT plays a session with it")
	case errors.Is(err, abi.ErrNotFound) && isPlugin(stage):
		return p.WithHint("mcpctl stage run ./%s", stage)
	case errors.Is(err, abi.ErrNotFound) && p.Hint == "" && !strings.HasSuffix(stage, ".wasm"):
		return p.WithHint("mcpctl get stages")
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

func newReport(res host.StageResult) report {
	r := report{
		Role: res.Role.Name, Outcome: "done", Output: string(res.Text), Type: res.Output.Tree.Type,
		Sections: []sectionReport{}, Meta: res.Output.Meta, Log: res.Output.Log,
		MemoryBytes: res.Output.Stats.MemoryBytes, HostCalls: res.Output.Stats.HostCalls,
	}
	if res.Output.Pass {
		r.Outcome = "pass"
	}
	for _, s := range res.Output.Tree.Sections {
		r.Sections = append(r.Sections, sectionReport{s.ID, s.Parent, s.Kind.String(), s.Start, s.End, s.Title, s.Summary})
	}
	for _, d := range res.Guest {
		r.GuestMicros = append(r.GuestMicros, d.Microseconds())
	}
	return r
}
