// Package demo implements `mcpctl demo`, which runs a scripted session through the real daemon
// with a
// bundled server and prints measurements.
package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/demo"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/daemon"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

// Options contains the arguments and flags.
type Options struct {
	F      *factory.Factory
	Output string
}

// NewCmdDemo creates the command. If runF is not nil, it is called instead of the implementation.
func NewCmdDemo(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Demonstrate mcpctl in half a minute",
		Long: `Start the real daemon in a temporary home with a bundled MCP server, read real content through the proxymodels default
and subindex, drill down to one exact section, and print the cost of each way. The demo needs no network, no key and no
client, and leaves no files.`,
		Example: `  mcpctl demo
  mcpctl demo -o json`,
		Args: factory.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := printer.Check(opts.Output); err != nil {
				return err
			}
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return demoRun(cmd.Context(), opts)
		},
	}
	printer.AddFlag(cmd, f.Env, &opts.Output)
	return cmd
}

// NewCmdServer creates the hidden command that the demo's daemon starts.
func NewCmdServer(f *factory.Factory) *cobra.Command {
	return &cobra.Command{
		Use:    "demo-server",
		Short:  "Run the demo's MCP server on stdio",
		Long:   "Serve the demo's content on stdio, for experiments with other clients.",
		Hidden: true,
		Args:   factory.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return demo.Serve(cmd.Context(), f.IO.In, f.IO.Out, f.Version)
		},
	}
}

// models lists the proxymodels through which the content is read.
var models = []string{"default", "subindex"}

func demoRun(ctx context.Context, opts *Options) error {
	home, err := os.MkdirTemp("", "mcpctl-demo")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	f := *opts.F
	f.Env = func(key string) string {
		if key == "MCPCTL_HOME" {
			return home
		}
		return opts.F.Env(key)
	}
	done := opts.F.IO.Progress("running daemon, server and client")
	defer done()
	started := time.Now()
	rows, cache, err := played(ctx, &f)
	if err != nil {
		return err
	}
	done()
	return show(opts, rows, cache, time.Since(started))
}

// played starts the daemon of a home, applies the demo's objects, plays the session and stops the
// daemon.
func played(ctx context.Context, f *factory.Factory) ([]demo.Row, api.CacheStats, error) {
	if _, err := daemon.Start(ctx, f, "--listen", "127.0.0.1:0"); err != nil {
		return nil, api.CacheStats{}, err
	}
	defer func() { _, _ = daemon.Stop(context.WithoutCancel(ctx), f) }() // the home is removed afterwards
	client, err := f.Daemon()
	if err != nil {
		return nil, api.CacheStats{}, err
	}
	yaml, err := objects()
	if err != nil {
		return nil, api.CacheStats{}, err
	}
	if _, err := client.Apply(ctx, api.ApplyRequest{File: "demo.yaml", YAML: yaml}); err != nil {
		return nil, api.CacheStats{}, err
	}
	if _, err := client.Stages(ctx); err != nil { // compile the stages now, so that only calls are measured
		return nil, api.CacheStats{}, err
	}
	rows, err := play(ctx, client)
	if err != nil {
		return nil, api.CacheStats{}, err
	}
	cache, err := client.CacheStats(ctx)
	return rows, cache, err
}

// objects returns the demo's server and a project for each model.
func objects() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	docs := []string{manifest("Server", "demo", map[string]any{"command": []string{self, "demo-server"}, "shared": true})}
	for _, m := range models {
		docs = append(docs, manifest("Project", m, map[string]any{"servers": []string{"demo"}, "gated": false, "proxyModel": m}))
	}
	return strings.Join(docs, "\n---\n"), nil
}

func manifest(kind, name string, spec map[string]any) string {
	b, _ := json.Marshal(map[string]any{"kind": kind, "metadata": map[string]any{"name": name}, "spec": spec}) // encoding strings and bools never fails
	return string(b)
}

func play(ctx context.Context, c *api.Client) ([]demo.Row, error) {
	var rows []demo.Row
	for _, g := range demo.Goals {
		for _, m := range models {
			row, err := demo.Play(ctx, c.HTTP(), c.URL("/projects/"+m+"/mcp"), m, g)
			if err != nil {
				return nil, fmt.Errorf("%s through %s: %w", g.Tool, m, err)
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// result is the output of -o json.
type result struct {
	Rows  []demo.Row     `json:"rows"`
	Cache api.CacheStats `json:"cache"`
}

func show(opts *Options, rows []demo.Row, cache api.CacheStats, took time.Duration) error {
	l := printer.Listing{Value: result{rows, cache}, Table: func(wide bool) *iostreams.Table { return table(rows, wide) }}
	for _, r := range rows {
		l.Names = append(l.Names, r.Model+"/"+r.Tool)
	}
	if err := printer.Print(opts.F.IO, opts.Output, l); err != nil {
		return err
	}
	if opts.Output == "table" || opts.Output == "wide" {
		explain(opts.F.IO, rows, cache, took)
	}
	return verdict(rows)
}

// table returns the results in tokens; wide adds bytes.
func table(rows []demo.Row, wide bool) *iostreams.Table {
	header := []string{"PROXYMODEL", "TOOL", "TOKENS", "FIRST", "TARGET", "CALLS", "TIME", "AGAIN", "EXACT"}
	if wide {
		header = append(header, "BYTES", "FIRST-BYTES", "TARGET-BYTES")
	}
	t := iostreams.NewTable(header...)
	for _, r := range rows {
		row := []string{r.Model, r.Tool, printer.Count(r.Original.Tokens), printer.Count(r.First.Tokens), printer.Count(r.Target.Tokens),
			fmt.Sprint(r.Calls), ms(r.Time), ms(r.Again), yesNo(r.Exact)}
		if wide {
			row = append(row, printer.Count(r.Original.Bytes), printer.Count(r.First.Bytes), printer.Count(r.Target.Bytes))
		}
		t.Row(row...)
	}
	return t
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1fms", float64(d)/float64(time.Millisecond)) }

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "NO"
}

func explain(io *iostreams.Streams, rows []demo.Row, cache api.CacheStats, took time.Duration) {
	fmt.Fprint(io.Out, `
TOKENS  of the server's answer (all counts est.)   FIRST  of the first answer
TARGET  of all answers until the wanted section was read; EXACT: byte for byte
AGAIN   time of the repeated call, from the cache

steps to the target:
`)
	for _, r := range rows {
		if len(r.Steps) > 0 && r.Model != "default" { // default reads one page after the other
			fmt.Fprintf(io.Out, "  demo/%s\n", r.Tool)
			for _, st := range r.Steps {
				fmt.Fprintf(io.Out, "    read_section %s\n", iostreams.Line(st))
			}
		}
	}
	fmt.Fprintf(io.Out, "\ncache: %d hits, %d misses, %d results; %d originals stored; %.1fs in total\n",
		cache.Hits, cache.Misses, cache.Entries, cache.Originals, took.Seconds())
	fmt.Fprintf(io.Out, "\nnext, with your own servers: mcpctl import && mcpctl connect claude-code\n")
}

// verdict returns an error if a target was not read exactly.
func verdict(rows []demo.Row) error {
	for _, r := range rows {
		if !r.Exact {
			return problem.New(abi.ErrConfig, "%s through %s: the target was not read exactly", r.Tool, r.Model)
		}
	}
	return nil
}
