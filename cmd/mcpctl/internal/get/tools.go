package get

import (
	"context"
	"fmt"

	"github.com/mcpctl/mcpctl/cmd/internal/demo"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/daemon"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

// toolsRun asks a project for its tools as a client does.
func toolsRun(ctx context.Context, opts *Options) error {
	if opts.Project == "" {
		return problem.Usagef("tools of which project?").WithHint("mcpctl get projects")
	}
	done := opts.F.IO.Progress("asking the servers of " + opts.Project)
	list, err := listTools(ctx, opts)
	done()
	if err != nil {
		return err
	}
	if list, err = pick(list, opts, func(t demo.Listed) string { return t.Name }); err != nil {
		return err
	}
	l := printer.Listing{Value: list, Table: func(bool) *iostreams.Table { return toolTable(list) }}
	for _, t := range list {
		l.Names = append(l.Names, "tool/"+t.Name)
	}
	return printer.Print(opts.F.IO.Out, opts.Output, l)
}

func listTools(ctx context.Context, opts *Options) ([]demo.Listed, error) {
	if err := daemon.Ensure(ctx, opts.F); err != nil {
		return nil, err
	}
	c, err := opts.F.Daemon()
	if err != nil {
		return nil, err
	}
	if _, err := c.Object(ctx, "project", "", opts.Project); err != nil {
		return nil, err
	}
	session, err := demo.Dial(ctx, c.HTTP(), c.URL("/projects/"+opts.Project+"/mcp"))
	if err != nil {
		return nil, err
	}
	defer session.Close()
	return session.Tools(ctx)
}

func toolTable(list []demo.Listed) *iostreams.Table {
	t := iostreams.NewTable("NAME", "TOKENS", "DESCRIPTION")
	total := 0
	for _, tool := range list {
		t.Row(tool.Name, fmt.Sprint(tool.Tokens), tool.Description)
		total += tool.Tokens
	}
	t.Row("(all)", fmt.Sprint(total), "est., in the client's context from the start")
	return t
}
