// Package describe is `mcpctl describe`: one object or stage in detail.
package describe

import (
	"context"
	"encoding/json"
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
)

// Options are what the command line said.
type Options struct {
	F       *factory.Factory
	Kind    string
	Names   []string
	Project string
	Output  string
}

// NewCmdDescribe makes the command; runF replaces its work in tests.
func NewCmdDescribe(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "describe KIND NAME...",
		Short: "Show an object or a stage in detail",
		Long: `Show one object with what is in force: defaults filled in, state, who uses it. For a stage: its config keys, what
it imports, its limits, its module.`,
		Example: `  mcpctl describe proxymodel subindex
  mcpctl describe stage section-split`,
		Args: func(cmd *cobra.Command, args []string) error {
			kind, names, err := kinds.Args(args)
			if err == nil && len(names) == 0 {
				err = problem.Usagef("describe which %s?", kind).WithHint("mcpctl get %ss", kind)
			}
			opts.Kind, opts.Names = kind, names
			return err
		},
		ValidArgsFunction: kinds.Complete(f),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := printer.Check(opts.Output); err != nil {
				return err
			}
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return describeRun(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringVarP(&opts.Project, "project", "p", "", "project of a prompt")
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
	if opts.Kind == "stage" {
		st, err := stage(ctx, s, name)
		if err != nil {
			return err
		}
		return show(opts, st, func(w io.Writer) error { return stageText(w, st) })
	}
	o, err := s.Object(ctx, opts.Kind, opts.Project, name)
	if err != nil {
		return err
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
	return text(opts.F.IO.Out)
}

func stage(ctx context.Context, s api.Service, name string) (api.Stage, error) {
	all, err := s.Stages(ctx)
	if err != nil {
		return api.Stage{}, err
	}
	for _, st := range all {
		if st.Name == name {
			return st, nil
		}
	}
	return api.Stage{}, problem.New(abi.ErrNotFound, "stage %q not found", name).WithHint("mcpctl get stages")
}

func stageText(w io.Writer, st api.Stage) error {
	field(w, "name", st.Name)
	field(w, "kind", string(st.Kind))
	field(w, "source", st.Source)
	field(w, "status", st.Status)
	field(w, "requires LLM", st.RequiresLLM)
	field(w, "file", st.File)
	if st.Role == nil {
		return nil
	}
	field(w, "summary", st.Role.Summary)
	field(w, "transforms", fmt.Sprint(st.Role.Transforming()))
	var info struct {
		Imports  []string
		Size     int
		Language string
	}
	if err := json.Unmarshal(st.Module, &info); err != nil {
		return err
	}
	field(w, "module", fmt.Sprintf("%s, %d bytes, %s, ABI %s", st.Hash[:min(12, len(st.Hash))], info.Size, info.Language, st.ABI))
	field(w, "capabilities", strings.Join(st.Role.Capabilities, ", "))
	field(w, "imports", strings.Join(info.Imports, " "))
	if len(st.Role.Config) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	t := iostreams.NewTable("CONFIG", "TYPE", "DEFAULT", "HELP")
	for _, c := range st.Role.Config {
		t.Row(c.Name, c.Type, string(c.Default), c.Help)
	}
	return t.Fprint(w)
}

func objectText(w io.Writer, o api.Object) error {
	field(w, "name", o.Name)
	field(w, "kind", o.Kind)
	field(w, "source", o.Source)
	field(w, "file", o.File)
	field(w, "problem", o.Problem)
	if err := section(w, "in force", o.Details); err != nil {
		return err
	}
	return section(w, "manifest", o.Manifest)
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

// field prints one line; an empty value has none.
func field(w io.Writer, name, value string) {
	if value != "" {
		fmt.Fprintf(w, "%-13s %s\n", name, iostreams.Line(value))
	}
}
