// Package console implements `mcpctl console`, which shows a project from the point of view
// of a client, call by call, using a script, or live in the terminal.
package console

import (
	"context"
	"fmt"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/script"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// Options are the arguments and flags of the command.
type Options struct {
	F       *factory.Factory
	Script  string
	Project string
	Model   string
	Output  string
	FakeLLM bool
	Full    bool

	Studio  string // project of --model-studio
	Inspect string // project of --inspect
	MCP     bool   // --stdin-mcp
}

// NewCmdConsole makes the command; runF replaces its work in tests.
func NewCmdConsole(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "console --script FILE --project PROJECT",
		Short: "Watch and steer a project live, or play a scripted session",
		Long: `Show the client's view of a project: live in the terminal, or of a scripted session.

--model-studio PROJECT shows the calls of all sessions as they happen, with the original and the text that the client
received, holds answers, lets you edit, release or drop them, and switches the proxymodel. --inspect PROJECT is the same
screen, read only. Both need a running daemon and a terminal; ? shows the keys. The client does not notice the screen
unless an answer is held.

--script FILE opens a session on a project, makes the calls of a script and prints the client's view: the instructions,
the tools, each answer with the controllers and stages that changed it, and the tools again when they changed. The
session runs in a copy of the home, independent of any daemon, and leaves nothing behind; servers are started for it
and the calls are real. The exit status is 7 if an answer is an error or differs from the script, so a script is a test.

The script is YAML or JSON: a list of calls, as for "mcpctl proxymodel benchmark", or a mapping of

  client  name and version of the client
  llm     answers for --fake-llm: match, answer, latency, times, fault
  calls   tool (server/tool, or a name the client sees), arguments, sections to read of
          the answer, expect: a text that the answer or a section contains, or error.

With --stdin-mcp, --model-studio PROJECT serves Model Studio to a second model instead: an MCP server on stdin and
stdout, with tools that list the project's traffic, compare original and shown texts, switch the proxymodel and rebuild
stages; --inspect PROJECT leaves out the tools that change something. See docs/studio-mcp.md.`,
		Example: `  mcpctl console --model-studio home
  mcpctl console --inspect home
  mcpctl console --model-studio home --stdin-mcp
  mcpctl console --script calls.json --project home
  mcpctl console --script calls.yaml --project home --proxy-model summarize --fake-llm -o json`,
		Args: factory.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := opts.check(); err != nil {
				return err
			}
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			if opts.MCP {
				return mcpRun(cmd.Context(), opts)
			}
			if opts.isLive() {
				return studioRun(cmd.Context(), opts)
			}
			return consoleRun(cmd.Context(), opts)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&opts.Script, "script", "", "YAML or JSON file of calls, - for standard input")
	fl.StringVarP(&opts.Project, "project", "p", "", "project that the session connects to")
	fl.StringVar(&opts.Model, "proxy-model", "", "proxymodel that serves the project in this session, without overrides")
	fl.BoolVar(&opts.FakeLLM, "fake-llm", false, "let the script answer for every LLM; without rules the fake echoes its prompt")
	fl.BoolVar(&opts.Full, "full", false, "print answers whole")
	fl.StringVarP(&opts.Output, "output", "o", preset(f.Env), "format: "+strings.Join(formats, ", "))
	fl.StringVar(&opts.Studio, "model-studio", "", "project to watch and steer")
	fl.StringVar(&opts.Inspect, "inspect", "", "project to watch, without changing anything")
	fl.BoolVar(&opts.MCP, "stdin-mcp", false, "serve --model-studio or --inspect as an MCP server on stdin and stdout")
	for _, flag := range []string{"project", "model-studio", "inspect"} {
		_ = cmd.RegisterFlagCompletionFunc(flag, f.Names("project")) // all fail only for an unknown flag
	}
	_ = cmd.RegisterFlagCompletionFunc("proxy-model", f.Names("proxymodel"))
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// formats are the values of -o: a session to read along, or a report.
var formats = []string{"text", "json", "yaml"}

// preset returns the format that MCPCTL_OUTPUT selects: tables become text here.
func preset(env func(string) string) string {
	out := env("MCPCTL_OUTPUT")
	if out == "" || slices.Contains([]string{"table", "wide", "name"}, out) {
		return "text"
	}
	return out
}

func (opts *Options) check() error {
	switch {
	case opts.isLive():
		return opts.checkLive()
	case opts.MCP:
		return problem.Usagef("--stdin-mcp needs --model-studio PROJECT or --inspect PROJECT").WithHint("mcpctl get projects")
	case opts.Script == "":
		p := problem.Usagef("console needs --model-studio PROJECT, --inspect PROJECT or --script FILE")
		p.Cause = "the file contains the calls of a session; - reads standard input"
		return p.WithHint("mcpctl console --help")
	case opts.Project == "":
		return problem.Usagef("console needs --project PROJECT").WithHint("mcpctl get projects")
	case !slices.Contains(formats, opts.Output):
		p := problem.Usagef("unknown output format %q", opts.Output)
		p.Cause = "known are " + strings.Join(formats, ", ") + "; it comes from -o or MCPCTL_OUTPUT"
		return p.WithHint("mcpctl console --help")
	}
	return nil
}

func consoleRun(ctx context.Context, opts *Options) error {
	text, err := opts.F.ReadFile(opts.Script)
	if err != nil {
		return err
	}
	script, err := script.Parse(factory.Shown(opts.Script), text)
	if err != nil {
		return err
	}
	if script.Answers.Type != strictyaml.Null && !opts.FakeLLM {
		fmt.Fprintf(opts.F.IO.ErrOut, "warning: the llm answers of %s are for --fake-llm alone\n", factory.Shown(opts.Script))
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP) // clean up when the terminal is closed
	defer stop()
	t, err := openStand(ctx, opts, script)
	if err != nil {
		return err
	}
	defer t.Close()
	return play(ctx, opts, script, t)
}

// play makes the calls, and shows each as it comes or all in the end.
func play(ctx context.Context, opts *Options, script script.Script, t *stand) error {
	show := view{io: opts.F.IO, full: opts.Full, silent: opts.Output != "text"}
	done := opts.F.IO.Progress("calling")
	defer done()
	se, err := openSession(ctx, t, script.Client)
	if err != nil {
		return err
	}
	defer se.Close()
	done()
	show.opening(se.report)
	for i, call := range script.Calls {
		done := opts.F.IO.Progress(call.Tool)
		s, err := se.step(ctx, call)
		done()
		if ctx.Err() != nil {
			err = context.Cause(ctx) // not its effect on the connection
		}
		if err != nil {
			return fmt.Errorf("step %d, %s: %w", i+1, call.Tool, err)
		}
		show.step(i+1, s)
		se.report.Steps = append(se.report.Steps, s)
	}
	switch opts.Output {
	case "json":
		err = printer.JSON(opts.F.IO.Out, se.report)
	case "yaml":
		err = printer.YAML(opts.F.IO.Out, se.report)
	}
	if err != nil {
		return err
	}
	return se.report.verdict()
}

// verdict: a script is a test.
func (r report) verdict() error {
	var failed []string
	for i, s := range r.Steps {
		if s.Failed != "" {
			failed = append(failed, fmt.Sprintf("step %d, %s: %s", i+1, s.Tool, s.Failed))
		}
	}
	if len(failed) == 0 {
		return nil
	}
	p := problem.New(abi.ErrConfig, "%d of %s failed", len(failed), printer.Plural(len(r.Steps), "step"))
	p.Cause = strings.Join(failed, "\n")
	return p.WithHint("mcpctl console --help")
}
