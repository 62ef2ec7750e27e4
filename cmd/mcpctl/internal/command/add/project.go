package add

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/patch"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/host/object"
)

// Defaults of the project that is created in an empty home, as in import.
const (
	firstProject = "home"
	firstModel   = "subindex"
)

// targetProject returns the project to which the server is added: the named one, the
// only one of the home, or "home". A project without a source does not exist yet.
//
// Errors: abi.ErrConfig if its file exists and is invalid.
func targetProject(ctx context.Context, s api.Service, named string) (api.Object, error) {
	all, err := s.Objects(ctx, "project", "")
	if err != nil {
		return api.Object{}, err
	}
	if named == "" && len(all) == 1 {
		return all[0], nil
	}
	name := named
	if name == "" {
		name = firstProject
	}
	if i := slices.IndexFunc(all, func(o api.Object) bool { return o.Name == name }); i >= 0 {
		return all[i], nil
	}
	if named == "" && len(all) > 0 {
		names := make([]string, len(all))
		for i, o := range all {
			names[i] = o.Name
		}
		p := problem.Usagef("no project selected")
		p.Cause = "available projects are " + strings.Join(names, ", ")
		return api.Object{}, p.WithHint("repeat the command with --project %s", problem.Arg(names[0]))
	}
	existing, err := s.Object(ctx, "project", "", name) // a list omits invalid files
	if errors.Is(err, abi.ErrNotFound) {
		return api.Object{Kind: "project", Name: name}, nil
	}
	return existing, err
}

// checkRight returns abi.ErrDenied if the project is on the team server and the user may not edit it.
func checkRight(ctx context.Context, s api.Service, project api.Object) error {
	if project.Source != api.SourceTeam {
		return nil
	}
	answer, err := s.Team().CanI(ctx, api.CanI{Verb: string(object.VerbEdit), Kind: "project", Name: project.Name})
	if err != nil || answer.Allowed {
		return err
	}
	p := problem.New(abi.ErrDenied, "you may not edit project %q of the team server", project.Name)
	p.Cause = "no binding allows it"
	return p.WithHint("mcpctl auth can-i edit project %s", problem.Arg(project.Name))
}

// join adds the server to the project, which it creates if necessary.
func (opts *Options) join(ctx context.Context, s api.Service, project api.Object) error {
	if project.Source == "" {
		return opts.createProject(ctx, s, project.Name)
	}
	var d api.ProjectDetails
	if err := json.Unmarshal(project.Details, &d); err != nil {
		return err
	}
	if slices.Contains(d.Servers, opts.Name) {
		return nil
	}
	return patch.SetField(ctx, opts.F, s, project, "servers", append(d.Servers, opts.Name), opts.DryRun)
}

func (opts *Options) createProject(ctx context.Context, s api.Service, name string) error {
	text, err := json.Marshal(map[string]any{"kind": "Project", "metadata": map[string]any{"name": name},
		"spec": map[string]any{"servers": []string{opts.Name}, "gated": false, "proxyModel": firstModel}})
	if err != nil {
		return err
	}
	applied, err := s.Apply(ctx, api.ApplyRequest{File: "project/" + name, YAML: string(text), DryRun: opts.DryRun})
	if err != nil {
		return problem.WithoutPositions(err)
	}
	if opts.DryRun {
		applied[0].Warning = nil // it warns that the server does not exist
	}
	report.Applied(opts.F.IO, applied, opts.DryRun)
	return nil
}
