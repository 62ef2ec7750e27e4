package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// whereServer is an MCP server with one tool: where, which answers with the process's
// working directory, arguments and environment, one item a line.
func whereServer() {
	s := server.NewMCPServer("where", "1")
	s.AddTool(mcp.NewTool("where"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		dir, err := os.Getwd()
		if err != nil {
			return nil, err
		}
		env := os.Environ()
		slices.Sort(env)
		return mcp.NewToolResultText(fmt.Sprintf("DIR=%s\nARGS=%s\n%s", dir, strings.Join(os.Args[1:], " "), strings.Join(env, "\n"))), nil
	})
	if err := server.ServeStdio(s); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
