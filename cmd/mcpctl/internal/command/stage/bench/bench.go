// Package bench implements `mcpctl stage bench`, which measures the cost of a call of a stage.
package bench

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/host/lab"
)

// Options are the arguments and flags of the command.
type Options struct {
	F       *factory.Factory
	Stage   string // plugin directory, role or file
	Role    string
	Config  []string
	File    string // content to run over; empty: that of Sizes
	Fixture string // archive whose input, config, context, LLM and cache are taken
	LLM     string // provider that answers; empty: the script of Fixture, if there is one
	Sizes   []string
	Time    time.Duration // for each size
	Output  string
}

// NewCmd makes the command; runF replaces its work in tests.
func NewCmd(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "bench [DIR|NAME|FILE.wasm]",
		Short: "Measure the cost of a call of a stage",
		Long: `Run a stage over contents of several sizes and print, for each, the time of a call, its memory, its calls of the host,
and the bytes and tokens of its output. RATIO compares it with a stage that passes its input on; both run in turns, so
that load on the machine changes the times but hardly the ratio. A call creates a guest, starts it, runs it and discards
it. The measurement ends with the first call that fails.

The stage is given as a plugin directory (built first if a source is newer), a name, or a module file with one stage. The
content is the largest input of the fixtures, repeated (for JSON, the elements of its longest array), or else Markdown;
--file uses the content of a file.

The LLM answers from the script of a fixture, whose input, config, context and cache are used too, or as a provider of
type fake in the settings, with its latency; fake itself echoes. LLM is then the number of requests of a call, and the
time in which they are answered. Every call repeats its requests, with the cache of the fixture.`,
		Example: `  mcpctl stage bench shout
  mcpctl stage bench section-split --sizes 16K,1M
  mcpctl stage bench ./shout.wasm --file README.md -o json
  mcpctl stage bench chapters --fixture two
  mcpctl stage bench summarize --llm fake -o wide`,
		Args:              factory.OptionalArg("[DIR|NAME|FILE.wasm]", &opts.Stage, "."),
		ValidArgsFunction: f.Names("stage"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := printer.Check(opts.Output); err != nil {
				return err
			}
			if opts.Time <= 0 || opts.Time > time.Minute {
				return problem.Usagef("--time %v not in 1ms to 1m", opts.Time).WithHint("mcpctl stage bench --help")
			}
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return run(cmd.Context(), opts)
		},
	}
	fl := cmd.Flags()
	f.AddRoleFlags(cmd, &opts.Role, &opts.Config)
	fl.StringVar(&opts.File, "file", "", "content to run over; - is standard input")
	fl.StringVar(&opts.Fixture, "fixture", "", "archive to take input, config, context, LLM and cache from: its name in testdata, or its path")
	fl.StringVar(&opts.LLM, "llm", "", "provider of type fake that answers, or fake for one that echoes")
	cmd.MarkFlagsMutuallyExclusive("file", "fixture")
	fl.StringSliceVar(&opts.Sizes, "sizes", []string{"1K", "16K", "128K"}, "sizes of the content, by comma")
	fl.DurationVar(&opts.Time, "time", 300*time.Millisecond, "how long each size is run")
	printer.AddFlag(cmd, f.Env, &opts.Output)
	_ = cmd.RegisterFlagCompletionFunc("sizes", factory.ListOf(func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) { // all fail only for an unknown flag
		return []string{"1K", "16K", "128K", "1M", "10M"}, cobra.ShellCompDirectiveNoFileComp
	}))
	_ = cmd.RegisterFlagCompletionFunc("time", cobra.NoFileCompletions)
	_ = cmd.RegisterFlagCompletionFunc("fixture", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{"txtar"}, cobra.ShellCompDirectiveFilterFileExt
	})
	_ = cmd.RegisterFlagCompletionFunc("llm", f.Names("llmprovider"))
	return cmd
}

// report is the output of the command.
type report struct {
	Role     string        `json:"role"`
	Module   string        `json:"module"` // the file, or the module that contains the role
	Hash     string        `json:"hash"`
	Bytes    int           `json:"bytes"`
	Language string        `json:"language,omitempty"`
	Admit    time.Duration `json:"admitNs"`       // check, compile, start once
	LLM      string        `json:"llm,omitempty"` // who answers: a provider, or the fixture
	Rows     []row         `json:"rows"`
}

// row is one size.
type row struct {
	InBytes   int           `json:"inBytes"`
	InTokens  int           `json:"inTokens"` // est.
	Runs      int           `json:"runs"`
	Outcome   lab.Outcome   `json:"outcome"`
	Reason    string        `json:"reason,omitempty"` // of fail
	Call      time.Duration `json:"callNs"`           // median
	Pass      time.Duration `json:"passNs"`           // median of the stage that passes, in the same run
	Ratio     float64       `json:"ratio"`
	Guest     time.Duration `json:"guestNs"` // median, inside the guest and its imports
	Memory    int           `json:"memoryBytes"`
	HostCalls int           `json:"hostCalls"`
	OutBytes  int           `json:"outBytes"`
	OutTokens int           `json:"outTokens"` // est.
	LLM       *llmCost      `json:"llm,omitempty"`
}

// llmCost is the LLM usage of the last call.
type llmCost struct {
	Requests  int           `json:"requests"`
	InTokens  int           `json:"inTokens"`    // est.
	OutTokens int           `json:"outTokens"`   // est.
	Answering time.Duration `json:"answeringNs"` // median, from the first request to the last answer that was waited for
}

func run(ctx context.Context, opts *Options) error {
	sizes, err := parseSizes(opts.Sizes)
	if err != nil {
		return err
	}
	s, err := find(ctx, opts)
	if err != nil {
		return err
	}
	call, err := s.call(opts)
	if err != nil {
		return err
	}
	contents, err := s.contents(opts, call.Input, sizes)
	if err != nil {
		return err
	}
	if opts.LLM != "" {
		answers, end, err := opts.F.TrialLLM(opts.LLM)
		if err != nil {
			return problem.From(err).WithHint("mcpctl get llmproviders")
		}
		defer func() { _ = end() }() // nothing of it is kept
		call.LLM = answers
	}
	t, err := opts.F.Trial(ctx)
	if err != nil {
		return err
	}
	defer t.Close()
	var doing atomic.Value // a string: the current activity
	doing.Store("starting")
	done := opts.F.IO.ProgressOf(func() string { return doing.Load().(string) })
	defer done()
	r, err := measure(ctx, opts, t, s, call, contents, func(text string) { doing.Store(text) })
	done()
	if err != nil {
		return err
	}
	return show(opts, r)
}

// parseSizes reads 1K, 16K, 2M or a number of bytes.
func parseSizes(words []string) (sizes []int, err error) {
	for _, w := range words {
		digits, unit := w, 1
		for suffix, n := range map[string]int{"K": 1e3, "M": 1e6} {
			if rest, ok := strings.CutSuffix(strings.ToUpper(w), suffix); ok {
				digits, unit = rest, n
			}
		}
		n, err := strconv.Atoi(digits)
		if err != nil || n < 1 || n > abi.LimitContentBytes/unit {
			return nil, problem.Usagef("--sizes %q, want a number of bytes, or one with K or M, up to %s", w, printer.Size(abi.LimitContentBytes)).WithHint("mcpctl stage bench --sizes 1K,128K")
		}
		sizes = append(sizes, n*unit)
	}
	return sizes, nil
}

func show(opts *Options, r report) error {
	l := printer.Listing{Value: r, Names: []string{"stage/" + r.Role}, Table: func(wide bool) *iostreams.Table { return table(r, wide) }}
	if opts.Output == "table" || opts.Output == "wide" {
		fmt.Fprintf(opts.F.IO.ErrOut, "%s: %s bytes, %s; compiled in %s\n", r.Role, printer.Count(r.Bytes), cmp.Or(r.Language, "language unknown"), millis(r.Admit))
	}
	if err := printer.Print(opts.F.IO, opts.Output, l); err != nil {
		return err
	}
	if len(r.Rows) == 0 {
		return nil
	}
	last := r.Rows[len(r.Rows)-1] // a failed size ends the measurement
	if last.Outcome != lab.Fail {
		return nil
	}
	return problem.New(abi.ErrGuest, "stage %q fails over %s: %s", r.Role, printer.Size(int64(last.InBytes)), last.Reason).WithAdvice(opts.advice(last.Reason, r))
}

// advice returns the advice for a failed call. If the hint would be this command or none, it
// is the command that shows the log of the call.
func (opts *Options) advice(reason string, r report) problem.Advice {
	target := problem.Arg(opts.Stage)
	if _, err := os.Stat(opts.Stage); err == nil {
		target = problem.Arg(r.Module) // the module that was built from a directory
	}
	a := problem.GuestAdvice(reason, r.Language).In(opts.Stage)
	if a.Hint == "" || strings.HasPrefix(a.Hint, "mcpctl stage bench ") {
		if opts.Role != "" {
			target += " --role " + problem.Arg(opts.Role)
		}
		a.Hint = "mcpctl stage run " + target + " -o json < FILE"
	}
	return a
}

func table(r report, wide bool) *iostreams.Table {
	header := []string{"SIZE", "TIME", "RATIO", "MEMORY", "CALLS", "OUT", "TOKENS", "OUTCOME"}
	if r.LLM != "" {
		header = append(header, "LLM")
	}
	if wide {
		header = append(header, "GUEST", "PASS", "RUNS")
	}
	if wide && r.LLM != "" {
		header = append(header, "LLM TOKENS")
	}
	t := iostreams.NewTable(header...)
	for _, row := range r.Rows {
		cells := []string{printer.Size(int64(row.InBytes)), millis(row.Call), fmt.Sprintf("%.1fx", row.Ratio), printer.Size(int64(row.Memory)), printer.Count(row.HostCalls),
			printer.Size(int64(row.OutBytes)), printer.Count(row.InTokens) + " -> " + printer.Count(row.OutTokens), string(row.Outcome)}
		if row.LLM != nil {
			cells = append(cells, printer.Count(row.LLM.Requests)+" in "+millis(row.LLM.Answering))
		}
		if wide {
			cells = append(cells, millis(row.Guest), millis(row.Pass), printer.Count(row.Runs))
		}
		if wide && row.LLM != nil {
			cells = append(cells, printer.Count(row.LLM.InTokens)+" -> "+printer.Count(row.LLM.OutTokens))
		}
		t.Row(cells...)
	}
	return t
}

func millis(d time.Duration) string {
	return fmt.Sprintf("%.2fms", float64(d)/float64(time.Millisecond))
}
