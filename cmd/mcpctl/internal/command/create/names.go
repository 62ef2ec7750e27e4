package create

import (
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

// checkStages asks that every stage exists, and is none that steers sessions.
func checkStages(known []api.Stage, stages []string) error {
	controllers, others := byKind(known)
	for _, st := range stages {
		switch {
		case slices.Contains(others, st):
		case slices.Contains(controllers, st):
			return problem.Usagef("%q is a controller, no stage", st).WithHint("mcpctl create proxymodel NAME --stages A,B --controllers %s", st)
		default:
			return notFound("stage", st, others)
		}
	}
	return nil
}

// checkControllers asks that every controller exists and is one.
func checkControllers(known []api.Stage, names []string) error {
	controllers, others := byKind(known)
	for _, c := range names {
		switch {
		case slices.Contains(controllers, c):
		case slices.Contains(others, c):
			return problem.Usagef("%q is a stage, no controller", c).WithHint("mcpctl get controllers")
		default:
			return notFound("controller", c, controllers)
		}
	}
	return nil
}

func byKind(known []api.Stage) (controllers, others []string) {
	for _, st := range known {
		if st.Kind == abi.KindController {
			controllers = append(controllers, st.Name)
		} else {
			others = append(others, st.Name)
		}
	}
	return controllers, others
}

func notFound(kind, name string, known []string) error {
	p := problem.New(abi.ErrNotFound, "%s %q not found", kind, name)
	if near := suggest.Nearest(name, known); near != "" {
		p.Cause = fmt.Sprintf("did you mean %q?", near)
	}
	return p.WithHint("mcpctl get %ss", kind)
}
