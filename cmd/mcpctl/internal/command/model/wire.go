package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

// wire finds the name that a client has for a tool of a script: server/tool, or
// the name itself.
func wire(tool string, tools []string) (string, error) {
	for _, name := range []string{tool, strings.Replace(tool, "/", "__", 1), tool[strings.Index(tool, "/")+1:]} {
		if slices.Contains(tools, name) {
			return name, nil
		}
	}
	p := problem.New(abi.ErrNotFound, "tool %q not found", tool)
	labels := make([]string, len(tools)) // as a script names them
	for i, name := range tools {
		labels[i] = strings.Replace(name, "__", "/", 1)
	}
	p.Cause = "the project has " + strings.Join(labels, ", ")
	if near := suggest.Nearest(strings.Replace(tool, "__", "/", 1), labels); near != "" {
		p.Cause = fmt.Sprintf("did you mean %q?", near)
	}
	return "", p
}
