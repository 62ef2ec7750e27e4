package create

import (
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host/object"
)

// checkStages asks that every stage exists.
func checkStages(known []api.Stage, stages []string) error {
	names := make([]string, len(known))
	for i, st := range known {
		names[i] = st.Name
	}
	for _, st := range stages {
		if slices.Contains(names, st) {
			continue
		}
		p := problem.New(abi.ErrNotFound, "stage %q not found", st)
		if near := object.Nearest(st, names); near != "" {
			p.Cause = "did you mean " + near + "?"
		}
		return p.WithHint("mcpctl get stages")
	}
	return nil
}
