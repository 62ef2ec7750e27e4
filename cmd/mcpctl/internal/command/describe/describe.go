// Package describe implements `mcpctl describe`, which shows objects and stages in detail.
package describe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/kinds"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

// Options contains the arguments and flags.
type Options struct {
	F       *factory.Factory
	Kind    string
	Names   []string
	Project string
	Resolve string // project whose LLM providers are resolved
	Text    string // of an event: original or shown
	Output  string
}

// NewCmdDescribe creates the command. If runF is not nil, it is called instead of the implementation.
func NewCmdDescribe(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "describe KIND NAME...",
		Short: "Show an object, a stage or an LLM provider in detail",
		Long: `Show one object in detail: with defaults filled in, its state and its users. For a stage or a controller: its config
keys, imports, hooks and limits, and its module. For an LLM provider: its state, the tokens that each project has used of
today's budget, and with --resolve the providers that answer a project's requests. For an event, by its ID: all details,
with the messages of stages and controllers; with --text, the original or the text that the client received.`,
		Example: `  mcpctl describe proxymodel subindex
  mcpctl describe project home
  mcpctl describe stage section-split
  mcpctl describe event 17
  mcpctl describe event 17 --text shown
  mcpctl describe llmprovider claude --resolve project/home`,
		Args: func(_ *cobra.Command, args []string) (err error) {
			opts.Kind, opts.Names, err = kinds.NamedBy(kinds.ParseDescribed, "describe", args)
			return err
		},
		ValidArgsFunction: kinds.Complete(f, "controllers", "events", "llmproviders"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := errors.Join(printer.Check(opts.Output), opts.checkResolve()); err != nil {
				return err
			}
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return describeRun(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringVarP(&opts.Project, "project", "p", "", "project of a prompt")
	_ = cmd.RegisterFlagCompletionFunc("project", f.Names("project")) // fails only for an unknown flag
	cmd.Flags().StringVar(&opts.Resolve, "resolve", "", "project/NAME: show which LLM providers answer the requests of this project")
	_ = cmd.RegisterFlagCompletionFunc("resolve", completeResolve(f))
	cmd.Flags().StringVar(&opts.Text, "text", "", "of an event, print only the text: original or shown")
	_ = cmd.RegisterFlagCompletionFunc("text", cobra.FixedCompletions([]string{"original", "shown"}, cobra.ShellCompDirectiveNoFileComp))
	printer.AddFlag(cmd, f.Env, &opts.Output)
	return cmd
}

func describeRun(ctx context.Context, opts *Options) error {
	s, done, err := opts.F.Service(ctx)
	if err != nil {
		return err
	}
	defer done()
	for i, name := range opts.Names {
		if i > 0 {
			fmt.Fprintln(opts.F.IO.Out)
		}
		if err := one(ctx, s, opts, name); err != nil {
			return err
		}
	}
	return nil
}

func one(ctx context.Context, s api.Service, opts *Options, name string) error {
	switch opts.Kind {
	case kinds.LLMProvider:
		return llmProvider(ctx, s, opts, name)
	case kinds.Event:
		return event(ctx, s, opts, name)
	case "stage", kinds.Controller:
		st, err := stage(ctx, s, opts.Kind, name)
		if err != nil {
			return err
		}
		settings, err := opts.F.Settings()
		if err != nil {
			return err
		}
		return show(opts, st, func(w io.Writer) error { return stageText(w, opts.F.IO.OutWidth, st, settings) })
	}
	o, err := s.Object(ctx, opts.Kind, opts.Project, name)
	if err != nil {
		return err
	}
	if o.Kind == "project" {
		return project(ctx, s, opts, o)
	}
	return show(opts, o, func(w io.Writer) error { return objectText(w, o) })
}

func show(opts *Options, v any, text func(io.Writer) error) error {
	switch opts.Output {
	case "json":
		return printer.JSON(opts.F.IO.Out, v)
	case "yaml":
		return printer.YAML(opts.F.IO.Out, v)
	}
	page := opts.F.IO.Page()
	if err := text(page); err != nil {
		return err
	}
	return page.Close()
}

// stage returns a stage by name. If kind is controller, other stages are ignored.
func stage(ctx context.Context, s api.Service, kind, name string) (api.Stage, error) {
	all, err := s.Stages(ctx)
	if err != nil {
		return api.Stage{}, err
	}
	var names []string
	for _, st := range all {
		if kind == kinds.Controller && st.Kind != abi.KindController {
			continue
		}
		if st.Name == name {
			return st, nil
		}
		names = append(names, st.Name)
	}
	return api.Stage{}, notFound(kind, name, names)
}

func notFound(kind, name string, names []string) error {
	p := problem.New(abi.ErrNotFound, "%s %q not found", kind, name)
	if near := suggest.Nearest(name, names); near != "" {
		p.Cause = fmt.Sprintf("did you mean %q?", near)
	}
	return p.WithHint("mcpctl get %ss", kind)
}

func objectText(w io.Writer, o api.Object) error {
	head(w, o)
	if o.Kind == kinds.Prompt || o.Kind == "promptrequest" {
		return promptText(w, o)
	}
	if err := section(w, "in force", o.Details); err != nil {
		return err
	}
	return section(w, "manifest", o.Manifest)
}

// head prints the fields that all objects have.
func head(w io.Writer, o api.Object) {
	field(w, "name", o.Name)
	field(w, "kind", o.Kind)
	field(w, "source", o.Source)
	field(w, "file", o.File)
	for _, p := range o.Problems {
		field(w, "problem", p)
	}
}

func section(w io.Writer, title string, raw json.RawMessage) error {
	if len(raw) == 0 {
		return nil
	}
	fmt.Fprintf(w, "\n%s:\n", title)
	var b strings.Builder
	if err := printer.YAML(&b, raw); err != nil {
		return err
	}
	for line := range strings.Lines(b.String()) {
		fmt.Fprintf(w, "  %s", line)
	}
	return nil
}

// field prints one line; it prints nothing if value is empty.
func field(w io.Writer, name, value string) {
	if value != "" {
		fmt.Fprintf(w, "%-13s %s\n", name, iostreams.Line(value))
	}
}
