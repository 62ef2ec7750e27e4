package del

import (
	"context"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host/object"
)

// checkProject returns problem.ErrUsage if a named object is in a project and --project is not
// given: the only project with such a name need not be the one that the user thinks of. Objects of
// mcpctl-system are exempt, because deleting one restores the built-in text.
func checkProject(ctx context.Context, opts *Options, s api.Service) error {
	if kind, _ := object.ParseKind(opts.Kind); opts.Project != "" || !kind.IsScoped() {
		return nil
	}
	all, err := s.Objects(ctx, opts.Kind, "")
	if err != nil {
		return err
	}
	for _, name := range opts.Names {
		var projects []string
		for _, o := range all {
			if o.Name == name {
				projects = append(projects, o.Project)
			}
		}
		slices.Sort(projects)
		if len(projects) > 1 || len(projects) == 1 && projects[0] != string(object.SystemProject) {
			return projectError(opts, name, projects)
		}
	}
	return nil
}

func projectError(opts *Options, name string, projects []string) error {
	commands := make([]string, len(projects))
	for i, project := range projects {
		commands[i] = strings.Join([]string{"mcpctl", "delete", opts.Kind, problem.Arg(name), "--project", problem.Arg(project)}, " ")
		if opts.F.Direct {
			commands[i] += " --direct"
		}
	}
	p := problem.Usagef("delete needs the project of %s %q", opts.Kind, name)
	if len(projects) == 1 {
		p.Cause = "it is in project " + projects[0]
		return p.WithHint("%s", commands[0])
	}
	p.Cause = "projects " + strings.Join(projects, ", ") + " have one; each is deleted with\n" + strings.Join(commands, "\n")
	return p.WithHint("mcpctl get %ss", opts.Kind)
}
