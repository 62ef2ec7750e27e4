//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/host/homedir"
)

// whereServer is an MCP server with one tool, where, which returns the working directory,
// arguments and environment of the process, with one item per line.
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

// daemonEnviron FILE writes the environment of the script's daemon, with one variable per
// line.
func daemonEnviron(ts *testscript.TestScript, _ bool, args []string) {
	client := api.NewClient(homedir.Dir(ts.Getenv("MCPCTL_HOME")).Socket())
	st, err := client.Status(context.Background())
	ts.Check(err)
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", st.PID))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), bytes.ReplaceAll(text, []byte{0}, []byte("\n")), 0o600))
}
