// Package doctor implements `mcpctl doctor`, which checks a home, its daemon and everything they
// refer
// to, and suggests a command to repair each finding.
package doctor

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/config"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

// Levels of findings.
const (
	levelOK      = "ok"
	levelWarning = "warning"
	levelError   = "error"
)

// Finding is the result of one check.
type Finding struct {
	Level   string `json:"level"`
	Check   string `json:"check"` // home, daemon, server/NAME, ...
	Message string `json:"message"`
	Command string `json:"command,omitempty"` // repairs the problem or shows more
	Fixed   bool   `json:"fixed,omitempty"`   // repaired by --fix
}

// Options contains the flags.
type Options struct {
	F       *factory.Factory
	Output  string
	Fix     bool
	Timeout time.Duration
}

// NewCmdDoctor creates the command. If runF is not nil, it is called instead of the implementation.
func NewCmdDoctor(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the home, the daemon, the team server, servers, clients, stages and LLM providers",
		Long: `Check the home and its permissions, the daemon and its address, the entries in the files of clients, and all stages.
Each server is started and its tools are listed, by the daemon if one is running; the start may take up to the server's
own timeout (spec.timeout). Each LLM provider gets one short request, and so does the team server, if one is configured.
Each finding suggests a command that repairs it. --fix repairs permissions and removes the socket of a crashed daemon.
The exit status is 7 if a finding of level error remains, otherwise 0.`,
		Example: `  mcpctl doctor
  mcpctl doctor --fix -o json`,
		Args: factory.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := printer.Check(opts.Output); err != nil {
				return err
			}
			if opts.Timeout <= 0 {
				return problem.Usagef("--timeout %v, want more than 0", opts.Timeout).WithHint("mcpctl doctor --timeout 30s")
			}
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return doctorRun(cmd.Context(), opts)
		},
	}
	printer.AddFlag(cmd, f.Env, &opts.Output)
	cmd.Flags().BoolVar(&opts.Fix, "fix", false, "repair permissions and remove a stale socket")
	cmd.Flags().DurationVar(&opts.Timeout, "timeout", 30*time.Second, "timeout for the team server and each LLM provider; servers have their own timeouts")
	_ = cmd.RegisterFlagCompletionFunc("timeout", cobra.FixedCompletions([]string{"10s", "30s", "2m"}, cobra.ShellCompDirectiveNoFileComp)) // fails only for an unknown flag
	return cmd
}

// exam is one run of all checks.
type exam struct {
	*Options
	home     string
	settings config.Settings // nil if they cannot be read
	findings []Finding
	doing    atomic.Value // a string: the current activity, for the progress line
}

func doctorRun(ctx context.Context, opts *Options) error {
	home, err := opts.F.Home()
	if err != nil {
		return err
	}
	e := &exam{Options: opts, home: home}
	e.doing.Store("checking the home")
	done := opts.F.IO.ProgressOf(func() string { return e.doing.Load().(string) })
	e.check(ctx)
	done()
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := e.print(); err != nil {
		return err
	}
	return e.verdict()
}

// check runs the checks in order. It stops if the home does not exist or is not readable.
func (e *exam) check(ctx context.Context) {
	if !e.checkHome() {
		return
	}
	status, running := e.checkDaemon(ctx)
	e.checkAddress(status, running)
	s, done, err := e.F.Service(ctx)
	if err != nil {
		if e.settings != nil { // otherwise checkHome has reported it
			e.fail("home", err, "mcpctl config view")
		}
		return
	}
	defer done()
	hasTeam := e.checkTeam(ctx, s)
	e.checkStages(ctx, s) // before the objects: a proxymodel is not checked while its modules are being compiled
	e.checkObjects(ctx, s)
	e.checkServers(ctx, s, hasTeam)
	e.checkLLMs(ctx, s)
	e.checkClients(ctx, s)
}

func (e *exam) add(level, check, command, format string, args ...any) {
	text := iostreams.Line(fmt.Sprintf(format, args...))
	e.findings = append(e.findings, Finding{Level: level, Check: check, Message: text, Command: command})
}

// fail adds an error. The hint of the error takes precedence over command.
func (e *exam) fail(check string, err error, command string) {
	p := problem.From(err)
	text := p.Message
	if p.Cause != "" {
		text += ": " + p.Cause
	}
	e.add(levelError, check, cmp.Or(p.Hint, command), "%s", text)
}

func (e *exam) print() error {
	l := printer.Listing{Value: e.findings}
	for _, f := range e.findings {
		l.Names = append(l.Names, f.Check)
	}
	if e.Output == "table" || e.Output == "wide" {
		return e.printText(e.F.IO.Out)
	}
	return printer.Print(e.F.IO, e.Output, l)
}

// printText prints one indented paragraph per finding.
func (e *exam) printText(out io.Writer) error {
	width := cmp.Or(e.F.IO.OutWidth, 80)
	const indent = "         " // width of the longest level and two blanks
	for _, f := range e.findings {
		level := fmt.Sprintf("%-*s", len(indent), f.Level)
		colour := map[string]iostreams.Colour{levelOK: iostreams.Green, levelWarning: iostreams.Yellow, levelError: iostreams.Red}[f.Level]
		level = strings.Replace(level, f.Level, e.F.IO.Paint(colour, f.Level), 1)
		text := f.Check + ": " + f.Message
		if f.Fixed {
			text += " (fixed)"
		}
		lines := iostreams.Wrap(text, width-len(indent))
		if f.Command != "" {
			lines = append(lines, "  "+f.Command) // on one line, so that it can be copied
		}
		if _, err := fmt.Fprintf(out, "%s%s\n", level, strings.Join(lines, "\n"+indent)); err != nil {
			return err
		}
	}
	return nil
}

// verdict returns an error if a finding of level error is not repaired.
func (e *exam) verdict() error {
	open := 0
	for _, f := range e.findings {
		if f.Level == levelError && !f.Fixed {
			open++
		}
	}
	if open == 0 {
		return nil
	}
	p := problem.New(abi.ErrConfig, "found %s", printer.Plural(open, "error"))
	if !e.Fix && slices.ContainsFunc(e.findings, func(f Finding) bool { return f.Level == levelError && strings.HasPrefix(f.Command, "chmod ") }) {
		return p.WithHint("mcpctl doctor --fix")
	}
	return p.WithHint("run the command below each error, then mcpctl doctor")
}
