// Command pictures draws the pictures of docs/studio.md: it runs the programs with the demo
// server, opens Model Studio in a terminal, presses keys, and writes the screen as SVG. It
// needs tmux.
//
//	make pictures
//	go run ./docs/pictures -bin bin -dir docs
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/mcpctl/mcpctl/internal/tmux"
)

const width, height = 120, 30 // cells

const objects = `
kind: Server
metadata: {name: demo}
spec: {command: [mcpctl, demo-server]}
---
kind: Project
metadata: {name: home}
spec: {servers: [demo], gated: false, proxyModel: subindex}
`

func main() {
	bin := flag.String("bin", "bin", "directory of the programs")
	dir := flag.String("dir", "docs", "directory of the pictures")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *bin, *dir); err != nil {
		fmt.Fprintln(os.Stderr, "docs/pictures:", err)
		os.Exit(1)
	}
}

// scene is a running daemon with a screen.
type scene struct {
	program string // mcpctl
	env     []string
	screen  *tmux.Terminal
}

func run(ctx context.Context, bin, dir string) (err error) {
	home, err := os.MkdirTemp("", "pictures-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	programs, err := filepath.Abs(bin)
	if err != nil {
		return err
	}
	editor := filepath.Join(home, "editor")
	script := "#!/bin/sh\nsed -i 's/GLOVE_FLOW: .*/GLOVE_FLOW: the flow of the gloves, 66 nodes (20K)/' \"$1\"\n"
	if err := os.WriteFile(editor, []byte(script), 0o700); err != nil {
		return err
	}
	s := scene{program: filepath.Join(programs, "mcpctl"), env: []string{
		"MCPCTL_HOME=" + filepath.Join(home, "h"), "HOME=" + home, "MCPCTL_MCPLOCAL_URL=http://127.0.0.1:0", "EDITOR=" + editor,
		"PATH=" + programs + string(os.PathListSeparator) + os.Getenv("PATH"),
	}}
	if err := s.mcpctl(ctx, objects, "apply", "-f", "-"); err != nil {
		return err
	}
	if err := s.mcpctl(ctx, "", "daemon", "start"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.mcpctl(context.WithoutCancel(ctx), "", "daemon", "stop")) }()
	a, err := s.connect(ctx)
	if err != nil {
		return err
	}
	defer a.close()
	if err := a.work(); err != nil {
		return err
	}
	s.screen, err = tmux.Start(ctx, filepath.Join(home, "tmux"), width, height, s.env, s.program, "console", "--model-studio", "home")
	if err != nil {
		return err
	}
	defer s.screen.Kill()
	return s.draw(ctx, a, dir)
}

// mcpctl runs a command with a text as its standard input.
func (s scene) mcpctl(ctx context.Context, in string, args ...string) error {
	cmd := s.command(ctx, args...)
	cmd.Stdin = strings.NewReader(in)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("mcpctl %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return nil
}

func (s scene) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, s.program, args...)
	cmd.Env = append(os.Environ(), s.env...)
	return cmd
}

// agent is a client with one session.
type agent struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	id  int // of the last request
}

func (s scene) connect(ctx context.Context) (*agent, error) {
	a := &agent{cmd: s.command(ctx, "mcp", "--project", "home")}
	out, err := a.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	a.out = bufio.NewReader(out)
	if a.in, err = a.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := a.cmd.Start(); err != nil {
		return nil, err
	}
	if _, err := a.request("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"agent","version":"1"}}`); err != nil {
		return nil, err
	}
	_, err = io.WriteString(a.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	return a, err
}

// request sends a request and returns the line with its response.
func (a *agent) request(method, params string) (string, error) {
	a.id++
	if _, err := fmt.Fprintf(a.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", a.id, method, params); err != nil {
		return "", err
	}
	for {
		line, err := a.out.ReadString('\n')
		if err != nil || strings.Contains(line, fmt.Sprintf(`"id":%d,`, a.id)) {
			return line, err
		}
	}
}

func (a *agent) call(tool, args string) (string, error) {
	return a.request("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, args))
}

var ref = regexp.MustCompile(`read_section\(ref=\\"(\w+)\\"`)

func (a *agent) close() {
	_ = a.in.Close()
	_ = a.cmd.Wait() // a killed daemon is no failure of a picture
}

// work makes the calls of an agent that looks for one node.
func (a *agent) work() error {
	var answer string
	for _, tool := range []string{"demo__read_guide", "demo__get_news", "demo__get_flows"} {
		var err error
		if answer, err = a.call(tool, "{}"); err != nil {
			return err
		}
	}
	m := ref.FindStringSubmatch(answer)
	if m == nil {
		return fmt.Errorf("the answer names no ref: %.500s", answer)
	}
	_, err := a.call("read_section", fmt.Sprintf(`{"ref": %q, "section": "GLOVE_FLOW"}`, m[1]))
	return err
}

// step is one action on the screen.
type step struct {
	keys  []string
	await string // text on the screen afterwards
	call  string // a tool that a client calls meanwhile
	save  string // the name of the picture
}

func (s scene) draw(ctx context.Context, a *agent, dir string) error {
	ended := make(chan error, 1)
	for _, st := range []step{
		{await: "section @z"},
		{keys: []string{"k"}, await: "transformed"},
		{keys: []string{"]"}, await: "section-split", save: "studio-stages.svg"},
		{keys: []string{"Escape"}, await: "transformed"},
		{keys: []string{"G"}, await: "following"},
		{keys: []string{"p"}, await: "HOLD ALL"},
		{call: "demo__get_flows", await: "held: demo/get_flows"},
		{keys: []string{"e"}, await: "flow of the gloves", save: "studio-held.svg"},
		{keys: []string{"r"}, await: "edit"},
	} {
		if st.call != "" {
			go func() {
				_, err := a.call(st.call, "{}")
				ended <- err
			}()
		}
		if len(st.keys) > 0 {
			if err := s.screen.Press(ctx, st.keys...); err != nil {
				return err
			}
		}
		if err := s.screen.Await(ctx, st.await); err != nil {
			return err
		}
		if st.save == "" {
			continue
		}
		screen, err := s.screen.Styled(ctx)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, st.save), svg(screen, width), 0o644); err != nil {
			return err
		}
	}
	return <-ended
}
