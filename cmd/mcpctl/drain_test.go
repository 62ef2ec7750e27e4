//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/host/homedir"
)

// gateServer is an MCP server with one tool, which writes the pid to $GATE.pid and answers
// once the file $GATE exists.
func gateServer() {
	gate := os.Getenv("GATE")
	s := server.NewMCPServer("gate", "1")
	s.AddTool(mcp.NewTool("wait"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		err := os.WriteFile(gate+".new", []byte(strconv.Itoa(os.Getpid())), 0o600)
		if err = errors.Join(err, os.Rename(gate+".new", gate+".pid")); err != nil { // atomic
			return nil, err
		}
		if err := await(func() bool { return exists(gate) }); err != nil {
			return nil, err
		}
		return mcp.NewToolResultText("through the gate"), nil
	})
	if err := server.ServeStdio(s); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// await waits until holds returns true. It fails after 30 seconds.
func await(holds func() bool) error {
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(30 * time.Second)
	for !holds() {
		select {
		case <-tick.C:
		case <-limit:
			return fmt.Errorf("no result after 30s")
		}
	}
	return nil
}

// answered waits until the first LLM provider of the script's daemon has answered a
// request.
func answered(ts *testscript.TestScript, _ bool, _ []string) {
	client := api.NewClient(homedir.Dir(ts.Getenv("MCPCTL_HOME")).Socket())
	ts.Check(await(func() bool {
		list, err := client.LLMProviders(context.Background())
		return err == nil && len(list) > 0 && list[0].Requests > list[0].Errors
	}))
}

// summary PROJECT TEXT waits until the first prompt of a project has a summary.
func summary(ts *testscript.TestScript, _ bool, args []string) {
	client := api.NewClient(homedir.Dir(ts.Getenv("MCPCTL_HOME")).Socket())
	ts.Check(await(func() bool {
		list, err := client.Prompts(context.Background(), args[0])
		return err == nil && len(list) > 0 && list[0].Summary == args[1]
	}))
}

// drain PROJECT SIGNALS calls the tool wait, and sends SIGTERM to the daemon once or twice
// while it runs. After one signal the call is answered; after two it is not. In both cases
// the daemon and its servers end.
func drain(ts *testscript.TestScript, _ bool, args []string) {
	home := ts.Getenv("MCPCTL_HOME")
	client := api.NewClient(homedir.Dir(home).Socket())
	st, err := client.Status(context.Background())
	ts.Check(err)
	gate := ts.MkAbs("gate")
	ts.Check(remove(gate, gate+".pid"))

	url := client.URL("/projects/" + args[0] + "/mcp")
	session, _, err := post(client.HTTP(), url, "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	ts.Check(err)
	type result struct {
		text string
		err  error
	}
	answered := make(chan result, 1)
	go func() {
		_, text, err := post(client.HTTP(), url, session, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"gate__wait","arguments":{}}}`)
		answered <- result{text, err}
	}()
	ts.Check(await(func() bool { return exists(gate + ".pid") }))
	child, err := os.ReadFile(gate + ".pid")
	ts.Check(err)

	ts.Check(syscall.Kill(st.PID, syscall.SIGTERM))
	ts.Check(await(func() bool { return !client.Running(context.Background()) })) // it accepts no new requests
	if args[1] == "2" {
		ts.Check(syscall.Kill(st.PID, syscall.SIGTERM))
	} else {
		ts.Check(os.WriteFile(gate, nil, 0o600))
	}
	r := <-answered
	if got := strings.Contains(r.text, "through the gate"); got != (args[1] == "1") {
		ts.Fatalf("after %s signals the call was answered %q, %v", args[1], r.text, r.err)
	}
	ts.Check(await(func() bool {
		lock, err := homedir.Dir(home).Lock()
		return err == nil && lock.Close() == nil
	}))
	pid, err := strconv.Atoi(string(child))
	ts.Check(err)
	if err := await(func() bool { return gone(pid) }); err != nil {
		ts.Fatalf("the server (pid %d) still runs after the daemon", pid)
	}
}

// gone reports whether a process does not exist or is a zombie.
func gone(pid int) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if os.IsNotExist(err) {
		return syscall.Kill(pid, 0) != nil
	}
	return strings.Contains(string(stat), ") Z ")
}

func remove(files ...string) error {
	for _, f := range files {
		if err := os.Remove(f); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	return nil
}

func post(c *http.Client, url, session, body string) (newSession, text string, err error) {
	req, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return "", "", err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
	}
	resp, err := c.Do(req)
	if err != nil {
		return "", "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp.Header.Get("Mcp-Session-Id"), string(b), err
}
