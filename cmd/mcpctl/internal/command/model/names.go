package model

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/host/lab"
)

// maxWireName is the length of a tool's name that clients accept, including their prefix
// mcp__ENTRY__.
const maxWireName = 64

// checkNames looks at the names under which clients see the tools of the projects
// that use a model. Only a running daemon has asked the servers for them.
func checkNames(ctx context.Context, s api.Service, model string) ([]lab.Check, error) {
	o, err := s.Object(ctx, "proxymodel", "", model)
	if err != nil {
		return nil, err
	}
	var m api.ModelDetails
	if err := json.Unmarshal(o.Details, &m); err != nil {
		return nil, err
	}
	var checks []lab.Check
	for _, name := range m.UsedBy {
		p, err := s.Object(ctx, "project", "", name)
		if err != nil {
			return nil, err
		}
		var d api.ProjectDetails
		if err := json.Unmarshal(p.Details, &d); err != nil {
			return nil, err
		}
		checks = append(checks, namesOfProject(name, d.Tools)...)
	}
	return checks, nil
}

func namesOfProject(project string, tools []api.Tool) []lab.Check {
	longest := ""
	var checks []lab.Check
	for _, t := range tools {
		seen := "mcp__" + project + "__" + t.Wire
		if len(seen) > len(longest) {
			longest = seen
		}
		if len(seen) > maxWireName {
			checks = append(checks, lab.Check{Err: fmt.Errorf("%w: project %q: tool %s is %s for a client, %d characters, limit %d: give the project a shorter name",
				abi.ErrConfig, project, t.Label, seen, len(seen), maxWireName)})
		}
	}
	if len(tools) > 0 && len(checks) == 0 {
		checks = append(checks, lab.Check{What: fmt.Sprintf("project %q: the longest name of a tool has %d of %d characters", project, len(longest), maxWireName)})
	}
	return checks
}
