package main

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// step is a call of the script.
type step struct {
	question string
	tool     string // Bash, Read, Edit, Grep, Glob, or the server and tool of MCP: memory/read_graph
	args     args   // a relative file_path becomes absolute
	needs    []need // what the model must have read for an answer
}

// need is a part of an answer.
type need struct {
	pattern string // of the text; ^ and $ match at lines
	look    string // name or words that the model looks for if the text is not in the result
}

// wholeText is the look of a model that needs all of a result.
const wholeText = "!"

// kind returns the kind of the step's entries.
func (s step) kind() string {
	switch {
	case s.tool == "Bash":
		return kindBash
	case s.tool == "Read" || s.tool == "Edit":
		return kindRead
	case strings.HasPrefix(s.tool, "memory/"):
		return kindMemory
	case strings.HasPrefix(s.tool, "demo/"):
		return kindDemo
	}
	return kindSearch
}

// agent plays a script.
type agent struct {
	client
	ledger   *ledger
	sessions []*session
	hook     hookFunc // nil without mcpctl
}

// play plays the steps. Needs that are not met are added to the failures of the ledger.
func (a *agent) play(ctx context.Context, steps []step) error {
	for _, s := range a.sessions {
		if err := a.ledger.addDefinitions(s); err != nil {
			return err
		}
	}
	for i, s := range steps {
		if err := a.playStep(ctx, s); err != nil {
			return fmt.Errorf("step %d, %q: %w", i+1, s.question, err)
		}
	}
	return nil
}

func (a *agent) playStep(ctx context.Context, s step) error {
	fmt.Fprintf(&a.ledger.transcript, "=== %s\n", s.question)
	r, err := a.call(ctx, s)
	if err != nil {
		return err
	}
	if err := a.ledger.addCall(s.kind(), r.tool, r.args, r.text); err != nil {
		return err
	}
	d := newDrill(a, r)
	for _, n := range s.needs {
		pattern, err := regexp.Compile("(?m)" + n.pattern)
		if err != nil {
			return err
		}
		found, err := d.find(ctx, pattern, n.look)
		if err != nil {
			return err
		}
		if !found {
			a.ledger.fail(s, n)
			return d.readWhole()
		}
	}
	return nil
}

// reading is a call with its result.
type reading struct {
	tool  string // as the model names it
	args  args
	text  string // what the model reads
	whole string // the result without limits and without mcpctl; of a server behind mcpctl it is text
	file  string // that contains the whole text, if the model reads only the beginning
}

// call makes the call of a step.
func (a *agent) call(ctx context.Context, s step) (reading, error) {
	if server, tool, ok := strings.Cut(s.tool, "/"); ok {
		return a.callServer(server, tool, s.args)
	}
	in := args{}
	for k, v := range s.args {
		if k == "file_path" {
			v = a.absolute(fmt.Sprint(v))
		}
		in[k] = v
	}
	return a.callClient(ctx, s.tool, in)
}

// callServer calls a tool of an MCP server, which is behind mcpctl if a.hook is set.
func (a *agent) callServer(server, tool string, in args) (reading, error) {
	if in == nil {
		in = args{}
	}
	if a.hook != nil {
		server, tool = project, server+"__"+tool
	}
	for _, s := range a.sessions {
		if s.name != server {
			continue
		}
		whole, err := s.call(tool, in)
		if err != nil {
			return reading{}, err
		}
		text, err := a.limitMCP(whole)
		return reading{tool: s.shownName(tool), args: in, text: text, whole: whole, file: keptFile(text)}, err
	}
	return reading{}, fmt.Errorf("no server %q", server)
}

// callClient calls a tool of the client, and its hook.
func (a *agent) callClient(ctx context.Context, tool string, in args) (reading, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	o, err := a.run(ctx, tool, in)
	r := reading{tool: tool, args: in, text: o.plain, whole: o.plain, file: o.file}
	if err != nil || o.plain != "" {
		if r.file == "" {
			r.file = keptFile(r.text)
		}
		return r, err
	}
	if r.text, err = a.render(tool, o.response); err != nil {
		return r, err
	}
	if r.file == "" {
		r.file = keptFile(r.text)
	}
	r.whole = r.text
	if a.hook == nil {
		return r, nil
	}
	shown, err := a.callHook(ctx, tool, in, o.response)
	if err != nil {
		return r, err
	}
	if shown == nil {
		a.ledger.unchanged++
		a.ledger.unchangedTokens += a.count.Tokens(r.text)
		return r, nil
	}
	r.text, err = a.render(tool, shown)
	return r, err
}

// hookTries is how often a hook that fails is called again: it gives up after 2 s, and another
// program may use the processors.
const hookTries = 3

func (a *agent) callHook(ctx context.Context, tool string, in args, response []byte) (shown json.RawMessage, err error) {
	event, err := newEvent(tool, in, response)
	if err != nil {
		return nil, err
	}
	for range hookTries {
		if shown, err = a.hook(ctx, event); err == nil {
			return shown, nil
		}
	}
	return nil, err
}
