// Package patch implements `mcpctl patch`, which changes single fields of an object.
package patch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/kinds"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// Options contains the arguments and flags.
type Options struct {
	F       *factory.Factory
	Kind    string
	Names   []string
	Project string
	Set     []string
	DryRun  bool
	Force   bool
	Output  string
}

// NewCmdPatch creates the command. If runF is not nil, it is called instead of the implementation.
func NewCmdPatch(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "patch KIND NAME --set PATH=VALUE",
		Short: "Change single fields of an object",
		Long: `Change single fields of an object. The rest is unchanged, including comments where possible. PATH is the field below
spec, with dots; a dot within a name is written \. VALUE is a word or JSON; an empty VALUE removes the field, so that its
default applies.
A change that leaves content without a valid proxymodel is rejected. --force writes it anyway; the last valid version
stays in effect.`,
		Example: `  mcpctl patch project home --set proxyModel=subindex
  mcpctl patch project home --set 'proxyModelOverrides.toolResults.*/get_flows=subindex' --set gated=`,
		Args: func(_ *cobra.Command, args []string) (err error) {
			opts.Kind, opts.Names, err = kinds.Named("patch", args)
			return err
		},
		ValidArgsFunction: kinds.Complete(f),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := printer.Check(opts.Output); err != nil {
				return err
			}
			if len(opts.Set) == 0 {
				return problem.Usagef("patch needs --set PATH=VALUE").WithHint("mcpctl patch --help")
			}
			if opts.Kind == "stage" {
				return problem.New(abi.ErrDenied, "a stage is a module without fields").WithHint("mcpctl create proxymodel NAME --stages %s", opts.Names[0])
			}
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return patchRun(cmd.Context(), opts)
		},
	}
	fl := cmd.Flags()
	fl.StringArrayVar(&opts.Set, "set", nil, "PATH=VALUE (repeatable)")
	fl.StringVarP(&opts.Project, "project", "p", "", "project of a prompt")
	fl.BoolVar(&opts.Force, "force", false, "write an invalid proxymodel, or a reference to one")
	fl.BoolVar(&opts.DryRun, "dry-run", false, "show the change without writing it")
	printer.AddFlag(cmd, f.Env, &opts.Output)
	_ = cmd.RegisterFlagCompletionFunc("project", f.Names("project")) // both fail only for an unknown flag
	_ = cmd.RegisterFlagCompletionFunc("set", func(_ *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
		return completeSet(args, prefix), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
	return cmd
}

func patchRun(ctx context.Context, opts *Options) error {
	changes, err := parse(opts.Set)
	if err != nil {
		return err
	}
	s, done, err := opts.F.Service(ctx)
	if err != nil {
		return err
	}
	defer done()
	results := &report.Results{IO: opts.F.IO, Format: opts.Output, DryRun: opts.DryRun}
	for _, name := range opts.Names {
		var applied []api.Applied
		if applied, err = one(ctx, opts, s, name, changes); err != nil {
			break
		}
		results.Add(applied...)
	}
	return results.Finish(err)
}

func one(ctx context.Context, opts *Options, s api.Service, name string, changes []change) ([]api.Applied, error) {
	o, err := s.Object(ctx, opts.Kind, opts.Project, name)
	if err != nil {
		return nil, err
	}
	home, err := opts.F.Home()
	if err != nil {
		return nil, err
	}
	return write(ctx, home, s, o, changes, opts.DryRun, opts.Force)
}

// SetField sets one field below spec of an object, like patch --set, and reports the outcome.
func SetField(ctx context.Context, f *factory.Factory, s api.Service, o api.Object, field string, value any, dryRun bool) error {
	home, err := f.Home()
	if err != nil {
		return err
	}
	applied, err := ChangeField(ctx, home, s, o, field, value, dryRun)
	if err != nil {
		return err
	}
	report.Applied(f.IO, applied, dryRun)
	return nil
}

// ChangeField is like SetField for an object in home, and returns the outcome. A nil value removes
// the field.
func ChangeField(ctx context.Context, home string, s api.Service, o api.Object, field string, value any, dryRun bool) ([]api.Applied, error) {
	c := change{path: []string{"spec", field}, remove: value == nil}
	if !c.remove {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		if c.value, err = strictyaml.ParseJSON(text); err != nil {
			return nil, err
		}
	}
	return write(ctx, home, s, o, []change{c}, dryRun, false)
}

// write applies the changes to an object. If another program saves the file in between, the changes
// are applied to the new text.
func write(ctx context.Context, home string, s api.Service, o api.Object, changes []change, dryRun, force bool) ([]api.Applied, error) {
	applied, err := writeOnce(ctx, home, s, o, changes, dryRun, force)
	if !errors.Is(err, abi.ErrConflict) {
		return applied, err
	}
	if o, err = s.Object(ctx, o.Kind, o.Project, o.Name); err != nil {
		return nil, err
	}
	applied, err = writeOnce(ctx, home, s, o, changes, dryRun, force)
	if errors.Is(err, abi.ErrConflict) {
		return nil, problem.From(err).WithHint("mcpctl get %s %s -o yaml", o.Kind, o.Name)
	}
	return applied, err
}

func writeOnce(ctx context.Context, home string, s api.Service, o api.Object, changes []change, dryRun, force bool) ([]api.Applied, error) {
	if o.Source == "built-in" {
		return nil, problem.New(abi.ErrDenied, "%s %q is built in", o.Kind, o.Name).
			WithHint("mcpctl get %s %s -o yaml > %s.yaml", o.Kind, o.Name, o.Name)
	}
	if err := CheckFile(o); err != nil {
		return nil, err
	}
	text, err := edited(home, o, changes)
	if err != nil {
		return nil, err
	}
	req := api.ApplyRequest{File: fmt.Sprintf("%s/%s", o.Kind, o.Name), YAML: text, DryRun: true, Base: o.Revision}
	applied, err := s.Apply(ctx, req)
	if err == nil && !force {
		err = refused(ctx, s, o, changes, applied)
	}
	if err == nil && !dryRun {
		req.DryRun = false
		applied, err = s.Apply(ctx, req)
	}
	if err != nil {
		if strings.HasPrefix(text, "{") { // encoded here: positions in it are meaningless to the user
			err = problem.WithoutPositions(err)
		}
		return nil, err
	}
	return applied, nil
}

// CheckFile returns an error if the file of an object is invalid. A change would be applied to the
// last valid version and would overwrite the file.
func CheckFile(o api.Object) error {
	if o.FileError == "" {
		return nil
	}
	p := problem.New(abi.ErrConfig, "%s/%s was not changed: its file is invalid", o.Kind, o.Name)
	p.Cause = o.FileError
	if o.Project != "" {
		return p.WithHint("mcpctl edit %s %s --project %s", o.Kind, o.Name, o.Project)
	}
	return p.WithHint("mcpctl edit %s %s", o.Kind, o.Name)
}

// refused returns an error if a change leaves content without a valid proxymodel.
func refused(ctx context.Context, s api.Service, o api.Object, changes []change, applied []api.Applied) error {
	for _, a := range applied {
		if a.Invalid == "" {
			continue
		}
		cause := strings.Join(append(a.Warning, a.Invalid), "; ")
		if a.Kind == "project" && !slices.ContainsFunc(changes, change.setsModel) {
			p := problem.New(abi.ErrConfig, "project/%s was not changed: it is invalid for another reason", a.Name)
			p.Cause = cause
			return p.WithHint("%s", modelCommand(ctx, s, o))
		}
		p := problem.New(abi.ErrConfig, "%s/%s was not changed: it would be invalid", a.Kind, a.Name)
		p.Cause = cause
		var args string
		for _, c := range changes {
			value, err := c.value.MarshalJSON()
			if err != nil {
				return err
			}
			args += "--set " + problem.Arg(c.String()+"="+plain(c.value, value)) + " "
		}
		return p.WithHint("mcpctl patch %s %s %s--force", a.Kind, a.Name, args)
	}
	return nil
}

// modelCommand returns the command that helps if a proxymodel makes a project invalid: one that
// replaces a proxymodel that does not exist, otherwise one that describes the project.
func modelCommand(ctx context.Context, s api.Service, project api.Object) string {
	var d api.ProjectDetails
	name := problem.Arg(project.Name)
	if json.Unmarshal(project.Details, &d) == nil {
		if _, err := s.Object(ctx, "proxymodel", "", d.ProxyModel); errors.Is(err, abi.ErrNotFound) {
			return "mcpctl use subindex --project " + name
		}
	}
	return "mcpctl describe project " + name
}
