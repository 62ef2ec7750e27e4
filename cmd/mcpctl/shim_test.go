//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mcpctl/mcpctl/host/homedir"
)

// shim PROJECT TOOL runs `mcpctl mcp` like a client, calls the tool, kills the daemon, and
// calls the tool again through the same process.
func shim(ts *testscript.TestScript, _ bool, args []string) {
	c, end := open(ts, args[0])
	before := c.call(args[1])
	kill9(ts, false, nil)
	if after := c.call(args[1]); after != before {
		ts.Fatalf("after the crash the tool answers\n%.300s\nbefore\n%.300s", after, before)
	}
	end()
}

// rereads PROJECT TOOL calls a tool, kills the daemon, and reads the original by its reference.
func rereads(ts *testscript.TestScript, _ bool, args []string) {
	c, end := open(ts, args[0])
	var shown struct {
		Meta struct {
			Ref string `json:"mcpctl/ref"`
		} `json:"_meta"`
	}
	ts.Check(json.Unmarshal([]byte(c.call(args[1])), &shown))
	read := map[string]string{"ref": shown.Meta.Ref}
	before := c.callWith("read_section", read)
	kill9(ts, false, nil)
	if after := c.callWith("read_section", read); after != before || strings.Contains(after, `"isError":true`) {
		ts.Fatalf("after the crash read_section answers\n%.300s\nbefore\n%.300s", after, before)
	}
	end()
}

// live contains the sessions of serves, by script and project.
var live sync.Map

type liveOf struct {
	ts      *testscript.TestScript
	project string
}

// serves PROJECT TOOL REGEXP calls a tool until its answer matches. All calls of a script use
// the same session, so that changes must apply to an open session.
func serves(ts *testscript.TestScript, _ bool, args []string) {
	key := liveOf{ts, args[0]}
	c, ok := live.Load(key)
	if !ok {
		c, _ = open(ts, args[0])
		live.Store(key, c)
		ts.Defer(func() { live.Delete(key) })
	}
	want := regexp.MustCompile(args[2])
	got := ""
	for over := time.Now().Add(time.Minute); time.Now().Before(over); {
		if got = c.(*shimClient).call(args[1]); want.MatchString(got) {
			return
		}
		<-time.After(20 * time.Millisecond)
	}
	ts.Fatalf("%s still answers\n%.300s", args[1], got)
}

// open starts `mcpctl mcp` for a project and initializes a session. end closes it like a
// client.
func open(ts *testscript.TestScript, project string) (c *shimClient, end func()) {
	cmd := exec.Command("mcpctl", "mcp", "--project", project)
	path, err := lookPath(ts, "mcpctl")
	ts.Check(err)
	cmd.Path, cmd.Err = path, nil
	cmd.Env = environ(ts)
	in, err := cmd.StdinPipe()
	ts.Check(err)
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	ts.Defer(func() { _ = cmd.Process.Kill() }) // it would restart the daemon after a failed script
	c = &shimClient{ts: ts, in: in, out: bufio.NewReaderSize(out, 1<<20)}
	c.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	c.answer("1")
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c, func() {
		ts.Check(in.Close())
		ts.Check(cmd.Wait())
	}
}

type shimClient struct {
	ts  *testscript.TestScript
	in  io.Writer
	out *bufio.Reader
	ids int // number of calls
}

// call calls a tool and returns the result.
func (c *shimClient) call(tool string) string { return c.callWith(tool, struct{}{}) }

func (c *shimClient) callWith(tool string, arguments any) string {
	text, err := json.Marshal(arguments)
	c.ts.Check(err)
	c.ids++
	id := strconv.Itoa(c.ids + 1) // 1 is the id of initialize
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, text))
	return c.answer(id)
}

func (c *shimClient) send(frame string) {
	_, err := io.WriteString(c.in, frame+"\n")
	c.ts.Check(err)
}

// answer reads messages until the response to a request and returns its result.
func (c *shimClient) answer(id string) string {
	for {
		line, err := c.out.ReadString('\n')
		c.ts.Check(err)
		var m struct {
			ID            json.RawMessage
			Result, Error json.RawMessage
		}
		c.ts.Check(json.Unmarshal([]byte(line), &m))
		if string(m.ID) != id {
			continue
		}
		if m.Error != nil {
			c.ts.Fatalf("request %s: %s", id, m.Error)
		}
		return string(m.Result)
	}
}

func lookPath(ts *testscript.TestScript, name string) (string, error) {
	for dir := range strings.SplitSeq(ts.Getenv("PATH"), ":") {
		if path, err := exec.LookPath(dir + "/" + name); err == nil {
			return path, nil
		}
	}
	return "", exec.ErrNotFound
}

func environ(ts *testscript.TestScript) []string {
	var list []string
	for _, name := range []string{"PATH", "HOME", "MCPCTL_HOME", "MCPCTL_MCPLOCAL_URL", "TMPDIR", "TEST_VERSION"} {
		list = append(list, name+"="+ts.Getenv(name))
	}
	return list
}

// idle PROJECT opens a session, stops the daemon, and requires that the daemon is not started
// until the client sends a message.
func idle(ts *testscript.TestScript, _ bool, args []string) {
	c, end := open(ts, args[0])
	ts.Check(ts.Exec("mcpctl", "daemon", "stop"))
	home := homedir.Dir(ts.Getenv("MCPCTL_HOME"))
	for range 20 { // meanwhile `mcpctl mcp` looks for the daemon
		lock, err := home.Lock()
		ts.Check(err)
		<-time.After(25 * time.Millisecond)
		ts.Check(lock.Close())
	}
	c.send(`{"jsonrpc":"2.0","id":9,"method":"tools/list"}`)
	c.answer("9")
	end()
}
