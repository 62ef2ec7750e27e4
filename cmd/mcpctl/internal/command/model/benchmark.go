package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/demo"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/daemon"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/playback"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/script"
)

// BenchmarkOptions are the arguments and flags of the command.
type BenchmarkOptions struct {
	F         *factory.Factory
	Script    string
	Recording string
	Project   string
	Models    []string
	Output    string
}

// NewCmdBenchmark makes the command; runF replaces its work in tests.
func NewCmdBenchmark(f *factory.Factory, runF func(context.Context, *BenchmarkOptions) error) *cobra.Command {
	opts := &BenchmarkOptions{F: f}
	cmd := &cobra.Command{
		Use:   "benchmark --models A,B (--script FILE --project PROJECT | --recording FILE)",
		Short: "Compare proxymodels by a script of tool calls",
		Long: `Run a script of tool calls through several proxymodels, in turn, against the servers of a project, and print the
cost of each: tokens and bytes of all answers, time, and the time of the same calls repeated. The calls are real:
leave out those that change something. The script has the format of "mcpctl console", YAML or JSON: a list of
calls, each with tool (server/tool), arguments and the sections of the answer to read; "?words" works with every
proxymodel.

With --recording, the calls are those of a recorded session, and so are the results: neither a project nor a server is
needed. Only the sections with content are read, by their range if a proxymodel does not have them.`,
		Example: `  mcpctl proxymodel benchmark --script calls.json --project home --models default,subindex
  mcpctl proxymodel benchmark --script calls.json --project home --models subindex,loud -o json
  mcpctl proxymodel benchmark --recording session.jsonl --models default,subindex`,
		Args: factory.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := opts.check(); err != nil {
				return err
			}
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return benchmarkRun(cmd.Context(), opts)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&opts.Script, "script", "", "YAML or JSON file of calls, - for standard input")
	fl.StringVar(&opts.Recording, "recording", "", "recording of a session in place of a script: a file or a name")
	fl.StringVarP(&opts.Project, "project", "p", "", "project whose servers are called")
	fl.StringSliceVar(&opts.Models, "models", nil, "proxymodels, separated by commas; the others are compared with the first")
	printer.AddFlag(cmd, f.Env, &opts.Output)
	_ = cmd.RegisterFlagCompletionFunc("recording", f.Names("recording")) // all fail only for an unknown flag
	_ = cmd.RegisterFlagCompletionFunc("project", f.Names("project"))
	_ = cmd.RegisterFlagCompletionFunc("models", factory.ListOf(f.Names("proxymodel")))
	return cmd
}

func (opts *BenchmarkOptions) check() error {
	switch {
	case opts.Script != "" && opts.Recording != "", opts.Project != "" && opts.Recording != "":
		return problem.Usagef("--recording excludes --script and --project, because it contains both").WithHint("mcpctl proxymodel benchmark --help")
	case opts.Script == "" && opts.Recording == "":
		return problem.Usagef("benchmark needs --script FILE").WithHint("mcpctl proxymodel benchmark --help")
	case opts.Project == "" && opts.Recording == "":
		return problem.Usagef("benchmark needs --project PROJECT").WithHint("mcpctl get projects")
	case len(opts.Models) == 0:
		return problem.Usagef("benchmark needs --models A,B").WithHint("mcpctl get proxymodels")
	}
	return printer.Check(opts.Output)
}

func benchmarkRun(ctx context.Context, opts *BenchmarkOptions) error {
	if opts.Recording != "" {
		return benchmarkRecording(ctx, opts)
	}
	text, err := opts.F.ReadFile(opts.Script)
	if err != nil {
		return err
	}
	script, err := script.Parse(factory.Shown(opts.Script), text)
	if err != nil {
		return err
	}
	if script.NeedsConsole() {
		fmt.Fprintf(opts.F.IO.ErrOut, "warning: client, llm and expect of %s are for mcpctl console alone\n", factory.Shown(opts.Script))
	}
	done := opts.F.IO.Progress("calling")
	defer done()
	if err := daemon.Ensure(ctx, opts.F); err != nil {
		return err
	}
	c, err := opts.F.Daemon()
	if err != nil {
		return err
	}
	if _, err := c.Stages(ctx); err != nil { // compiled before anything is measured
		return err
	}
	home, err := opts.F.Home()
	if err != nil {
		return err
	}
	if err := clearStale(ctx, c, home); err != nil {
		return err
	}
	lanes, err := openLanes(ctx, c, opts)
	defer func() { closeLanes(context.WithoutCancel(ctx), lanes, c) }()
	if err != nil {
		return err
	}
	for _, s := range script.Calls { // in turn, so that other load affects all of them
		for _, l := range lanes {
			if err := l.run(ctx, s); err != nil {
				err = demo.ExplainRefusal(ctx, c, l.project, "tools/call", err)
				return fmt.Errorf("%s through %s: %w", s.Tool, l.cost.Model, err)
			}
		}
	}
	if err := addOriginals(ctx, c, lanes); err != nil {
		return err
	}
	done()
	costs := make([]cost, len(lanes))
	for i, l := range lanes {
		costs[i] = l.cost
	}
	return showCosts(opts, costs)
}

// benchmarkRecording plays a recording through the proxymodels.
func benchmarkRecording(ctx context.Context, opts *BenchmarkOptions) error {
	r, err := playback.Load(ctx, opts.F, opts.Recording)
	if err != nil {
		return err
	}
	var costs []cost
	for _, model := range opts.Models {
		done := opts.F.IO.Progress("playing through " + model)
		res, err := playback.Play(ctx, playback.Options{F: opts.F, Recording: r, Model: model, Again: true})
		done()
		if err != nil {
			return err
		}
		c := cost{Model: model, Calls: res.Calls + res.Reads, Original: res.Original, Tokens: res.Sent + res.ReadTokens, Bytes: res.Bytes, Time: res.Time, Again: res.Again}
		for _, s := range res.Sections {
			if s.By == playback.Unreachable {
				c.Missed = append(c.Missed, s.Section)
			}
		}
		costs = append(costs, c)
	}
	return showCosts(opts, costs)
}

// lane is one proxymodel at work, in a project of its own for as long.
type lane struct {
	project string
	session *demo.Client
	tools   []string
	cost    cost
}

// openLanes makes a copy of the project for each proxymodel and connects to it;
// servers are started before anything is measured.
func openLanes(ctx context.Context, c *api.Client, opts *BenchmarkOptions) (lanes []*lane, err error) {
	base, err := c.Object(ctx, "project", "", opts.Project)
	if err != nil {
		return nil, err
	}
	for i, model := range opts.Models {
		if _, err := c.Object(ctx, "proxymodel", "", model); err != nil {
			return lanes, err
		}
		l := &lane{project: fmt.Sprintf("benchmark-%d-%d", os.Getpid(), i), cost: cost{Model: model}}
		manifest, err := l.manifest(base.Manifest)
		if err != nil {
			return lanes, err
		}
		if _, err := c.Apply(ctx, api.ApplyRequest{File: "benchmark", YAML: string(manifest)}); err != nil {
			return lanes, err
		}
		lanes = append(lanes, l)
		if l.session, err = demo.Dial(ctx, c.HTTP(), c.URL("/projects/"+l.project+"/mcp")); err != nil {
			return lanes, err
		}
		tools, err := l.session.Tools(ctx)
		if err != nil {
			return lanes, fmt.Errorf("tools/list of project %q: %w", opts.Project, demo.ExplainRefusal(ctx, c, l.project, "tools/list", err))
		}
		for _, t := range tools {
			l.tools = append(l.tools, t.Name)
		}
	}
	return lanes, nil
}

// manifest is the project with another name and proxymodel, and nothing that
// chooses a third one.
func (l *lane) manifest(base json.RawMessage) ([]byte, error) {
	var o struct {
		Kind     string                     `json:"kind"`
		Metadata map[string]string          `json:"metadata"`
		Spec     map[string]json.RawMessage `json:"spec"`
	}
	if err := json.Unmarshal(base, &o); err != nil {
		return nil, err
	}
	o.Metadata = map[string]string{"name": l.project}
	model, err := json.Marshal(l.cost.Model)
	if err != nil {
		return nil, err
	}
	o.Spec["proxyModel"] = model
	o.Spec["proxyMode"] = json.RawMessage(`"proxy"`)
	delete(o.Spec, "proxyModelOverrides")
	delete(o.Spec, "recording")
	text, err := json.Marshal(o) // which is YAML, and so keeps its comment
	return append(fmt.Appendf(nil, madeBy, os.Getpid()), text...), err
}

func closeLanes(ctx context.Context, lanes []*lane, c *api.Client) {
	for _, l := range lanes {
		if l.session != nil {
			_ = l.session.Close() // its project goes next
		}
		_ = c.Delete(ctx, "project", "", l.project, true) // may be gone by a person's hand
	}
}

// run makes a call of the script: once with its sections, once more without.
func (l *lane) run(ctx context.Context, s script.Call) error {
	tool, err := wire(s.Tool, l.tools)
	if err != nil {
		return err
	}
	args, err := s.Args()
	if err != nil {
		return err
	}
	start := time.Now()
	first, err := l.session.Call(ctx, tool, args)
	if err == nil && first.IsError {
		err = errors.New(string(first.Text[:min(len(first.Text), 300)]))
	}
	if err != nil {
		return err
	}
	l.cost.add(first.Text)
	for _, section := range s.Sections {
		if first.Ref == "" {
			break // the whole text was answered
		}
		a, err := l.session.Call(ctx, "read_section", map[string]any{"ref": first.Ref, "section": section})
		if err != nil {
			return err
		}
		l.cost.add(a.Text)
		if a.IsError { // proxymodels name their sections each in its own way
			l.cost.Missed = append(l.cost.Missed, section)
		}
	}
	l.cost.Time += time.Since(start)
	start = time.Now()
	_, err = l.session.Call(ctx, tool, args)
	l.cost.Again += time.Since(start)
	return err
}

// addOriginals adds the servers' results, from the events.
func addOriginals(ctx context.Context, c *api.Client, lanes []*lane) error {
	for _, l := range lanes {
		events, err := c.Events(ctx, api.EventQuery{Project: l.project})
		if err != nil {
			return err
		}
		calls := slices.DeleteFunc(events, func(e api.Event) bool { return e.Type != "tool_call" })
		for i, e := range calls {
			if i%2 == 0 { // every call was made twice
				l.cost.Original += e.In
			}
		}
	}
	return nil
}
