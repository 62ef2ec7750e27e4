// Command session counts the tokens that enter a model's context in the session of a
// coding agent that takes half an hour, with and without mcpctl.
//
//	make bench-session                            # all figures; updates the README and its picture
//	go run ./bench/session                        # the table
//	go run ./bench/session -o json
//	go run ./bench/session -transcript DIR        # also writes what the model read
//
// Real are the repository (github.com/yuin/goldmark, MIT, from the module cache), the commands and
// their output, the files, mcplocal, mcpctl hook and mcpctl mcp, and two MCP servers: the example
// server "memory" of the MCP Go SDK, with a graph of the repository's own doc comments, and the
// server of mcpctl demo, with three real documents. Not real are the choices of the model, which
// are the script in steps.go, and the client: client.go runs the tools Bash, Read, Edit, Grep and
// Glob with the limits of Claude Code 2.1, and its short notes about them are approximations.
//
// Each step has a question and a pattern that the model must have read for an answer. If the
// result does not contain it, the model makes the calls that drill.go describes: with mcpctl,
// read_section; without, Grep and Read in the file in which the client keeps a long result. A step
// that stays without an answer is a failure, which costs the whole result in addition.
//
// The module cache has no history, so git log shows one commit. The failing build is an edit of
// the script. Tests of goldmark whose name contains Performance are skipped, because they fail on a
// busy machine.
//
// Two figures count o200k_base tokens: each token once, and each token once for every request in
// which it is part of the context. The second is the price without a prompt cache. Not counted are
// the client's system prompt, the definitions of its own tools, and the model's reasoning, which are
// the same with and without mcpctl.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/mcpctl/mcpctl/bench/internal/count"
	"github.com/mcpctl/mcpctl/bench/internal/rig"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "session:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	output := flag.String("o", "table", "output format: table or json")
	transcript := flag.String("transcript", "", "write what the model read to without.txt and with.txt in this directory")
	svg := flag.String("svg", "", "write the picture to this file")
	readme := flag.String("readme", "", "write the figures into the table of this file")
	bin := flag.String("bin", "bin", "directory that contains mcpctl and mcplocal")
	flag.Parse()
	write, err := writerOf(*output)
	if err != nil {
		return err
	}
	r, err := measure(ctx, *bin, *transcript)
	if err != nil {
		return err
	}
	err = write(os.Stdout, r)
	if err == nil && *svg != "" {
		err = os.WriteFile(*svg, draw(r), 0o644)
	}
	if err == nil && *readme != "" {
		err = updateReadme(*readme, r)
	}
	return err
}

// writerOf returns the function that writes a report in a format.
func writerOf(format string) (func(io.Writer, report) error, error) {
	switch format {
	case "table":
		return func(w io.Writer, r report) error { r.print(w); return nil }, nil
	case "json":
		return func(w io.Writer, r report) error {
			e := json.NewEncoder(w)
			e.SetIndent("", "  ")
			return e.Encode(r)
		}, nil
	}
	return nil, fmt.Errorf("unknown output format %q, want table or json", format)
}

// measure plays the script without and with mcpctl, each on a fresh copy of the repository in the
// same directory, so that paths have the same length.
func measure(ctx context.Context, bin, transcript string) (report, error) {
	bin, err := filepath.Abs(bin)
	if err != nil {
		return report{}, err
	}
	tmp, err := os.MkdirTemp("", "mcpctl-session")
	if err != nil {
		return report{}, err
	}
	defer os.RemoveAll(tmp)
	memory, err := buildMemoryServer(ctx, tmp)
	if err != nil {
		return report{}, err
	}
	w := &workspace{root: tmp}
	graph := filepath.Join(tmp, "graph.json")
	servers := []server{
		{name: "memory", command: []string{memory, "-memory", graph}},
		{name: "demo", command: []string{filepath.Join(bin, "mcpctl"), "demo-server"}},
	}
	counter, err := count.New()
	if err != nil {
		return report{}, err
	}

	ledgers := map[bool]*ledger{}
	for _, isProduct := range []bool{false, true} {
		if err := w.reset(ctx); err != nil {
			return report{}, err
		}
		if err := writeGraph(graph, w.repo()); err != nil {
			return report{}, err
		}
		a := &agent{client: client{workspace: w, count: counter}, ledger: &ledger{count: counter}}
		if isProduct {
			err = a.playWith(ctx, bin, servers)
		} else {
			err = a.playWithout(ctx, servers)
		}
		if err == nil {
			err = counter.Err()
		}
		if err != nil {
			return report{}, err
		}
		ledgers[isProduct] = a.ledger
		if transcript != "" {
			name := map[bool]string{false: "without.txt", true: "with.txt"}[isProduct]
			if err := os.WriteFile(filepath.Join(transcript, name), []byte(a.ledger.transcript.String()), 0o644); err != nil {
				return report{}, err
			}
		}
	}
	return newReport(len(script), ledgers[false], ledgers[true]), nil
}

// playWithout plays the script with servers that the client starts itself.
func (a *agent) playWithout(ctx context.Context, servers []server) error {
	for _, s := range servers {
		c, err := connect(ctx, s.name, s.command, nil)
		if err != nil {
			return err
		}
		defer c.close()
		a.sessions = append(a.sessions, c)
	}
	return a.play(ctx, script)
}

// project is the project of the daemon, and the name of the client's entry.
const project = "home"

// playWith plays the script with the servers behind mcpctl, and with its hook.
func (a *agent) playWith(ctx context.Context, bin string, servers []server) error {
	d, err := rig.StartWith(ctx, bin, objects(servers))
	if err != nil {
		return err
	}
	defer d.Stop()
	cmd := d.Command(ctx, "mcp", "--project", project)
	c, err := connect(ctx, project, cmd.Args, cmd.Env)
	if err != nil {
		return err
	}
	defer c.close()
	a.sessions = []*session{c}
	a.hook = func(ctx context.Context, event []byte) ([]byte, error) {
		return runHook(d.Command(ctx, "hook", "--project", project), event)
	}
	if err := warm(ctx, a.hook); err != nil {
		return err
	}
	return a.play(ctx, script)
}

// objects returns the servers and a project with the values that mcpctl import sets.
func objects(servers []server) string {
	var yaml strings.Builder
	var names []string
	for _, s := range servers {
		command, _ := json.Marshal(s.command) // strings
		fmt.Fprintf(&yaml, "kind: Server\nmetadata: {name: %s}\nspec: {command: %s}\n---\n", s.name, command)
		names = append(names, s.name)
	}
	fmt.Fprintf(&yaml, "kind: Project\nmetadata: {name: %s}\nspec: {servers: [%s], gated: false, proxyModel: subindex}\n", project, strings.Join(names, ", "))
	return yaml.String()
}
