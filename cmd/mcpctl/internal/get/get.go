// Package get is `mcpctl get`: lists objects and stages.
package get

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
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
	All     bool
	Output  string
}

// NewCmdGet makes the command; runF replaces its work in tests.
func NewCmdGet(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "get KIND [NAME...]",
		Short: "List objects and stages",
		Long: `List servers, projects, proxymodels, prompts, promptrequests or stages, all of them or some by name.
KIND may be singular, plural or short; KIND/NAME works as well. Objects come from the daemon if one runs,
else from the files of the home.`,
		Example: `  mcpctl get stages
  mcpctl get proxymodel subindex -o yaml`,
		Args: func(cmd *cobra.Command, args []string) error {
			kind, names, err := kinds.Args(args)
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
			return getRun(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringVarP(&opts.Project, "project", "p", "", "only prompts of this project")
	cmd.Flags().BoolVarP(&opts.All, "all-projects", "A", false, "prompts of all projects (the default without --project)")
	printer.AddFlag(cmd, f.Env, &opts.Output)
	return cmd
}

func getRun(ctx context.Context, opts *Options) error {
	s, done, err := opts.F.Service(ctx)
	if err != nil {
		return err
	}
	defer done()
	var l printer.Listing
	if opts.Kind == "stage" {
		l, err = stages(ctx, s, opts.Names)
	} else {
		l, err = objects(ctx, s, opts)
	}
	if err != nil {
		return err
	}
	return printer.Print(opts.F.IO.Out, opts.Output, l)
}

func stages(ctx context.Context, s api.Service, names []string) (printer.Listing, error) {
	all, err := s.Stages(ctx)
	if err != nil {
		return printer.Listing{}, err
	}
	list, err := pick(all, names, "stage", func(st api.Stage) string { return st.Name })
	if err != nil {
		return printer.Listing{}, err
	}
	l := printer.Listing{Value: list, Table: func(wide bool) *iostreams.Table { return stageTable(list, wide) }}
	for _, st := range list {
		l.Names = append(l.Names, "stage/"+st.Name)
	}
	return l, nil
}

func stageTable(list []api.Stage, wide bool) *iostreams.Table {
	header := []string{"NAME", "SOURCE", "STATUS", "REQUIRES-LLM"}
	if wide {
		header = append(header, "KIND", "ABI", "LANG", "HASH")
	}
	t := iostreams.NewTable(header...)
	for _, st := range list {
		row := []string{st.Name, st.Source, st.Status, st.RequiresLLM}
		if wide {
			row = append(row, string(st.Kind), st.ABI, st.Language, short(st.Hash))
		}
		t.Row(row...)
	}
	return t
}

func short(hash string) string { return hash[:min(12, len(hash))] }

func objects(ctx context.Context, s api.Service, opts *Options) (printer.Listing, error) {
	all, err := s.Objects(ctx, opts.Kind, opts.Project)
	if err != nil {
		return printer.Listing{}, err
	}
	list, err := pick(all, opts.Names, opts.Kind, func(o api.Object) string { return o.Name })
	if err != nil {
		return printer.Listing{}, err
	}
	l := printer.Listing{Value: manifests(list, len(opts.Names) == 1),
		Table: func(wide bool) *iostreams.Table { return objectTable(opts.Kind, list, wide) }}
	for _, o := range list {
		l.Names = append(l.Names, o.Kind+"/"+o.Name)
	}
	return l, nil
}

// manifests is what json and yaml print: the objects as apply takes them; one by
// name as itself, else a list.
func manifests(list []api.Object, single bool) any {
	if single && len(list) == 1 {
		return list[0].Manifest
	}
	all := make([]json.RawMessage, len(list))
	for i, o := range list {
		all[i] = o.Manifest
	}
	return all
}

// pick keeps the named items in the order they were named; all without names.
func pick[T any](all []T, names []string, kind string, name func(T) string) ([]T, error) {
	if len(names) == 0 {
		return all, nil
	}
	var list []T
	for _, n := range names {
		i := slices.IndexFunc(all, func(v T) bool { return name(v) == n })
		if i < 0 {
			return nil, problem.New(abi.ErrNotFound, "%s %q not found", kind, n).WithHint("mcpctl get %ss", kind)
		}
		list = append(list, all[i])
	}
	return list, nil
}

func objectTable(kind string, list []api.Object, wide bool) *iostreams.Table {
	columns, ok := tables[kind]
	if !ok {
		columns = plain
	}
	header := columns.header
	if wide {
		header = append(slices.Clone(header), "SOURCE", "FILE")
	}
	t := iostreams.NewTable(header...)
	for _, o := range list {
		row := columns.row(o)
		if wide {
			row = append(row, o.Source, o.File)
		}
		t.Row(row...)
	}
	return t
}

// columns says how the objects of one kind stand in a table.
type columns struct {
	header []string
	row    func(api.Object) []string
}

var plain = columns{[]string{"NAME"}, func(o api.Object) []string { return []string{o.Name} }}

var tables = map[string]columns{
	"server": {[]string{"NAME", "TRANSPORT", "STATE", "TOOLS"}, func(o api.Object) []string {
		d := details[api.ServerDetails](o)
		return []string{o.Name, d.Transport, state(d.State.State, o.Problem), fmt.Sprint(d.State.Tools)}
	}},
	"project": {[]string{"NAME", "MODE", "PROXYMODEL", "SERVERS"}, func(o api.Object) []string {
		d := details[api.ProjectDetails](o)
		return []string{o.Name, d.ProxyMode, d.ProxyModel, state(strings.Join(d.Servers, ","), o.Problem)}
	}},
	"proxymodel": {[]string{"NAME", "SOURCE", "STAGES", "REQUIRES-LLM", "CACHEABLE"}, func(o api.Object) []string {
		d := details[api.ModelDetails](o)
		names := make([]string, len(d.Stages))
		for i, st := range d.Stages {
			names[i] = st.Type
		}
		return []string{o.Name, o.Source, state(strings.Join(names, ","), o.Problem), d.RequiresLLM, yesNo(d.Cacheable)}
	}},
	"prompt":        {[]string{"PROJECT", "NAME"}, func(o api.Object) []string { return []string{o.Project, o.Name} }},
	"promptrequest": {[]string{"PROJECT", "NAME"}, func(o api.Object) []string { return []string{o.Project, o.Name} }},
}

// details decodes Object.Details; an object that could not be loaded has none.
func details[T any](o api.Object) (d T) {
	_ = json.Unmarshal(o.Details, &d)
	return d
}

func state(s, problem string) string {
	if problem != "" {
		return "failed: " + problem
	}
	return s
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
