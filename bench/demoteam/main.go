// Command demoteam demonstrates the team server with the built programs: one mcpd, two
// developers with their own homes and daemons, one shared project with a gate, a server whose
// credential only mcpd has, and a prompt that one developer edits and the other's model gets.
// It uses the loopback only, and removes its files.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	annasPassword = "correct horse battery"
	bobsPassword  = "another long password"
	credential    = "wiki-credential-4711"
)

// team is the file that anna applies. %s is the address of the wiki.
const team = `kind: User
metadata: {name: bob}
---
kind: RbacBinding
metadata: {name: web-developers}
spec: {subjects: [{user: bob}], verbs: [view, edit, create, run], projects: [web]}
---
kind: Server
metadata: {name: wiki}
spec: {url: %q, headers: {Authorization: Bearer ` + credential + `}}
---
kind: Project
metadata: {name: web}
spec: {servers: [wiki], gated: true}
---
kind: Prompt
metadata: {name: rules, project: web}
spec: {priority: 10, content: "Use tabs."}
`

func main() {
	bin := flag.String("bin", "bin", "directory of the programs")
	flag.Parse()
	if err := run(context.Background(), *bin); err != nil {
		fmt.Fprintln(os.Stderr, "demoteam:", err)
		os.Exit(1)
	}
}

// demo is a running demonstration.
type demo struct {
	bin string // absolute
	dir string
	url string // of mcpd
}

func run(ctx context.Context, bin string) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	began := time.Now()
	bin, err := filepath.Abs(bin)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mcpctl-team-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	d := &demo{bin: bin, dir: dir}
	wiki, err := startWiki()
	if err != nil {
		return err
	}
	defer wiki.Close()
	stop, err := d.startMcpd(ctx)
	if err != nil {
		return err
	}
	defer stop()
	for _, user := range []string{"anna", "bob"} {
		defer d.stopDaemon(user)
	}
	if err := d.share(ctx, "http://"+wiki.Addr().String()+"/mcp"); err != nil {
		return err
	}
	if err := d.show(ctx); err != nil {
		return err
	}
	say("Done in %v.", time.Since(began).Round(time.Second/10))
	return nil
}

func (d *demo) stopDaemon(user string) {
	cmd := exec.Command(filepath.Join(d.bin, "mcpctl"), "daemon", "stop")
	cmd.Env = d.env(user)
	_ = cmd.Run() // its home is removed next, which ends it too
}

func say(format string, args ...any) { fmt.Printf("\n"+format+"\n", args...) }

// startWiki starts an MCP server that demands the credential.
func startWiki() (net.Listener, error) {
	server := mcp.NewServer(&mcp.Implementation{Name: "wiki", Version: "1"}, nil)
	type query struct {
		Title string `json:"title"`
	}
	mcp.AddTool(server, &mcp.Tool{Name: "read_page", Description: "Read a page of the wiki"}, func(_ context.Context, _ *mcp.CallToolRequest, q query) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "The page " + q.Title + " of the wiki."}}}, nil, nil
	})
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	go http.Serve(lis, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { //nolint:errcheck,gosec // ends with the listener
		if r.Header.Get("Authorization") != "Bearer "+credential {
			http.Error(w, "no credential", http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	return lis, nil
}

// startMcpd creates the first administrator and starts the team server.
func (d *demo) startMcpd(ctx context.Context) (stop func(), err error) {
	say("The administrator starts the team server:")
	env := append(os.Environ(), "MCPD_HOME="+filepath.Join(d.dir, "mcpd"))
	if err := d.command(ctx, env, annasPassword, "mcpd", "bootstrap", "--user", "anna", "--password-stdin"); err != nil {
		return nil, err
	}
	fmt.Println("$ mcpd serve")
	cmd := exec.Command(filepath.Join(d.bin, "mcpd"), "serve", "--listen", "127.0.0.1:0")
	cmd.Env, cmd.Stderr = env, os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	stop = func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	}
	var ready struct{ Listening string }
	if err := json.NewDecoder(out).Decode(&ready); err != nil {
		stop()
		return nil, fmt.Errorf("mcpd: %w", err)
	}
	d.url = ready.Listening
	fmt.Println(d.url)
	return stop, nil
}

// share makes anna set up the project, and bob log in.
func (d *demo) share(ctx context.Context, wiki string) error {
	file := filepath.Join(d.dir, "team.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, team, wiki), 0o600); err != nil {
		return err
	}
	say("anna shares a project, and a server whose credential stays in mcpd:")
	for _, step := range []struct {
		user, input string
		args        []string
	}{
		{"anna", "", []string{"daemon", "start", "--listen", "127.0.0.1:0"}},
		{"anna", annasPassword, []string{"login", d.url, "--user", "anna"}},
		{"anna", "", []string{"apply", "--team", "-f", file}},
		{"anna", bobsPassword, []string{"passwd", "bob"}},
		{"bob", "", []string{"daemon", "start", "--listen", "127.0.0.1:0"}},
		{"bob", bobsPassword, []string{"login", d.url, "--user", "bob"}},
		{"bob", "", []string{"get", "projects", "-o", "wide"}},
	} {
		if step.user == "bob" && step.args[0] == "daemon" {
			say("bob logs in on his machine:")
		}
		if err := d.mcpctl(ctx, step.user, step.input, step.args...); err != nil {
			return err
		}
	}
	return nil
}

// show shows a session of bob's agent, an edit of anna that it gets, and where the credential is.
func (d *demo) show(ctx context.Context) error {
	say("A session of bob's agent begins with the rules of the team, and calls the wiki through mcpd:")
	if err := d.session(ctx, "Use tabs."); err != nil {
		return err
	}
	say("anna edits the prompt:")
	edited := time.Now()
	if err := d.mcpctl(ctx, "anna", "", "patch", "prompt", "rules", "--project", "web", "--set", "content=Use tabs. Write a test first."); err != nil {
		return err
	}
	if err := d.session(ctx, "Write a test first."); err != nil {
		return err
	}
	fmt.Printf("bob's agent had it %v after anna's command began\n", time.Since(edited).Round(time.Second/10))
	say("The log of the administrator:")
	if err := d.mcpctl(ctx, "anna", "", "audit", "list", "--limit", "6"); err != nil {
		return err
	}
	say("The credential of the wiki is in these files, and in the memory of these processes:")
	return d.findCredential(ctx)
}

// findCredential returns an error if the credential is in a file, in the arguments of a process,
// or in the memory of bob's daemon.
func (d *demo) findCredential(ctx context.Context) error {
	files, err := d.filesWith(credential)
	if err == nil && len(files) > 0 {
		err = fmt.Errorf("the credential is in %v", files)
	}
	if err != nil {
		return err
	}
	fmt.Println("files: none: mcpd has it encrypted, and both machines never had it")
	processes, err := processesWith(credential)
	if err == nil && len(processes) > 0 {
		err = fmt.Errorf("the credential is in the arguments of the processes %v", processes)
	}
	if err == nil {
		err = d.searchDaemon(ctx, "bob")
	}
	switch {
	case errors.Is(err, errors.ErrUnsupported), errors.Is(err, fs.ErrPermission):
		fmt.Println("processes: not searched:", err)
		return nil
	case err != nil:
		return err
	}
	fmt.Println("processes: none: neither in an argument, nor in the memory of bob's daemon")
	return nil
}

// searchDaemon returns an error if the memory of a user's daemon has the credential, or if it
// does not have the prompt, which means that the search finds nothing.
func (d *demo) searchDaemon(ctx context.Context, user string) error {
	cmd := exec.CommandContext(ctx, filepath.Join(d.bin, "mcpctl"), "status", "-o", "json")
	cmd.Env = d.env(user)
	out, err := cmd.Output()
	if err != nil {
		return err
	}
	var status struct{ PID int }
	if err := json.Unmarshal(out, &status); err != nil {
		return err
	}
	for text, want := range map[string]bool{"Write a test first.": true, credential: false} {
		has, err := memoryHas(status.PID, text)
		if err != nil {
			return err
		}
		if has != want {
			return fmt.Errorf("the memory of %s's daemon has %q: %v, want %v", user, text, has, want)
		}
	}
	return nil
}

// session is a session of bob's agent, which must get a text of the prompt.
func (d *demo) session(ctx context.Context, want string) error {
	cmd := exec.Command(filepath.Join(d.bin, "mcpctl"), "mcp", "--project", "web")
	cmd.Env = d.env("bob")
	client := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil)
	s, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	for _, call := range []mcp.CallToolParams{
		{Name: "begin_session", Arguments: map[string]any{"tags": []string{"code", "functions"}}},
		{Name: "wiki__read_page", Arguments: map[string]any{"title": "Start"}},
	} {
		result, err := s.CallTool(ctx, &call)
		if err != nil {
			return fmt.Errorf("%s: %w", call.Name, err)
		}
		var text strings.Builder
		for _, c := range result.Content {
			if t, ok := c.(*mcp.TextContent); ok {
				text.WriteString(t.Text)
			}
		}
		line := "The page Start of the wiki."
		if call.Name == "begin_session" {
			line = want
		}
		if !strings.Contains(text.String(), line) {
			return fmt.Errorf("%s answers without %q: %s", call.Name, line, text.String())
		}
		fmt.Printf("> %s: ... %s ...\n", call.Name, line)
	}
	return nil
}

// filesWith returns the files of all homes that contain a text.
func (d *demo) filesWith(text string) (found []string, err error) {
	err = filepath.WalkDir(d.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || filepath.Base(path) == "team.yaml" {
			return err
		}
		b, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(b), text) {
			found = append(found, path)
		}
		return err
	})
	return found, err
}

func (d *demo) env(user string) []string {
	return append(os.Environ(), "MCPCTL_HOME="+filepath.Join(d.dir, user), "HOME="+d.dir)
}

// mcpctl runs a command of a user and shows it.
func (d *demo) mcpctl(ctx context.Context, user, input string, args ...string) error {
	return d.command(ctx, d.env(user), input, "mcpctl", args...)
}

func (d *demo) command(ctx context.Context, env []string, input, program string, args ...string) error {
	shown := make([]string, len(args))
	for i, a := range args {
		if shown[i] = strings.TrimPrefix(a, d.dir+string(filepath.Separator)); strings.Contains(a, " ") {
			shown[i] = "'" + a + "'"
		}
	}
	fmt.Println("$", program, strings.Join(shown, " "))
	cmd := exec.CommandContext(ctx, filepath.Join(d.bin, program), args...)
	cmd.Env, cmd.Stdin = env, strings.NewReader(input)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", program, strings.Join(shown, " "), err)
	}
	return nil
}
