// Package hook implements `mcpctl hook`: the command of a client's hook, which gives the results of
// the client's own tools to a project.
package hook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/daemon"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
)

// client is the first part of the sources of the tools, such as claude-code/Bash.
const client = "claude-code"

const (
	maxEvent = 64 << 20        // bytes of an event
	patience = 2 * time.Second // for all of it: the agent waits

	// grace is how long a request may take to end after patience.
	grace = 200 * time.Millisecond
)

// Options are the flags of the command.
type Options struct {
	F       *factory.Factory
	Project string
}

// NewCmdHook makes the command; runF replaces its work in tests.
func NewCmdHook(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "hook --project PROJECT",
		Short: "Transform the results of a client's own tools, as its hook",
		Long: `Run as the PostToolUse hook of Claude Code: read the result of a tool from standard input and print the result for the
model. The texts of Bash, Read, Grep, Glob, WebFetch and of MCP servers that are not behind mcpctl go through the
project's proxymodel, as results of "claude-code/Bash" and so on; texts below 8 KB only through its filters. The
read_section tool of the project opens every part of the original.

Lines that the model asked for (Read with offset or limit), images and interrupted commands pass unchanged, and so does
a text if mcpctl fails or needs more than 2 seconds; standard error then has the reason. If a filter withholds a text,
or the proxymodel is invalid, the reason replaces all texts of the result.`,
		Example: `  mcpctl hook --project home < event.json
  mcpctl get proxymodels && mcpctl hook --project home < event.json`,
		Args: factory.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if opts.Project == "" {
				return problem.Usagef("hook needs --project PROJECT").WithHint("mcpctl get projects")
			}
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return hookRun(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringVarP(&opts.Project, "project", "p", "", "project whose proxymodel is used")
	_ = cmd.RegisterFlagCompletionFunc("project", f.Names("project")) // fails only for an unknown flag
	return cmd
}

// hookRun reports a failure on standard error only: with another exit status the client would show
// it to the user at each call of a tool.
func hookRun(ctx context.Context, opts *Options) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	type ending struct {
		written bool
		err     error
	}
	done := make(chan ending, 1)
	go func() { // it may wait for standard input, a file or standard output, which nothing ends
		out, err := transform(ctx, opts)
		written := false
		if len(out) > 0 {
			_, failed := opts.F.IO.Out.Write(out)
			written, err = failed == nil, cmp.Or(failed, err)
		}
		done <- ending{written, err}
	}()
	var end ending
	select {
	case end = <-done:
	case <-ctx.Done():
		select {
		case end = <-done: // the request has ended too, and what was transformed before is printed
		case <-time.After(grace):
		}
	}
	if ctx.Err() != nil {
		end.err = fmt.Errorf("more than %v were needed", patience)
	}
	switch {
	case end.err == nil:
	case end.written:
		fmt.Fprintf(opts.F.IO.ErrOut, "mcpctl: a text in the result of the tool is unchanged: %v\n", end.err)
	default:
		fmt.Fprintf(opts.F.IO.ErrOut, "mcpctl: the result of the tool is unchanged: %v\n", end.err)
	}
	return nil
}

// transform reads an event and returns the hook's output, which is empty if the result is
// unchanged. With an error, the texts that were not transformed are unchanged.
func transform(ctx context.Context, opts *Options) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(opts.F.IO.In, maxEvent+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxEvent {
		return nil, fmt.Errorf("the event is over %d MiB", maxEvent>>20)
	}
	e, err := readEvent(b)
	if err != nil {
		return nil, err
	}
	pointers := e.texts(opts.Project)
	if len(pointers) == 0 {
		return nil, nil
	}
	home, err := opts.F.Home()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(home); err != nil { // a daemon would create it
		return nil, err
	}
	if err := daemon.Ensure(ctx, opts.F); err != nil {
		return nil, err
	}
	service, err := opts.F.Daemon()
	if err != nil {
		return nil, err
	}
	replaced, err := e.show(pointers, func(r api.ClientToolResult) (api.ShownText, error) {
		return service.ShowClientTool(ctx, opts.Project, r)
	})
	if len(replaced) == 0 {
		return nil, err
	}
	out := []byte(`{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":`)
	return append(append(out, e.replace(replaced)...), "}}\n"...), err
}

// show returns the texts that the model reads in place of those at pointers. transform transforms
// one of them.
//
// If a filter withholds one text, or the proxymodel is invalid, so that it is not known which
// filters apply, all texts of the result are withheld: one may repeat another. A text whose
// transformation fails otherwise is unchanged, and so are those after it; show then returns the
// error too.
func (e event) show(pointers []string, transform func(api.ClientToolResult) (api.ShownText, error)) (map[string]instead, error) {
	replaced := make(map[string]instead)
	for _, pointer := range pointers {
		t, err := e.read(pointer)
		if err != nil || len(t) == 0 {
			continue // not a text: nothing to show
		}
		isWhole, onlyFilters := false, false
		if e.isBeginning(pointer) {
			var whole []byte
			if whole, isWhole = e.complete(pointer, t); isWhole {
				t = whole
			}
			onlyFilters = !isWhole // an index of the beginning would be wrong about the rest
		}
		shown, err := transform(api.ClientToolResult{Client: client, Tool: e.tool, Hint: e.hint, OnlyFilters: onlyFilters, Text: string(t)})
		switch {
		case errors.Is(err, abi.ErrConfig):
			return e.withhold(pointers, err.Error()), nil
		case err != nil:
			return replaced, err
		case shown.Blocked != "":
			return e.withhold(pointers, shown.Blocked), nil
		case shown.Changed:
			replaced[pointer] = instead{[]byte(shown.Text), isWhole}
		}
	}
	return replaced, nil
}

// withhold returns the reason in place of each text.
func (e event) withhold(pointers []string, reason string) map[string]instead {
	replaced := make(map[string]instead)
	for _, pointer := range pointers {
		if t, err := e.read(pointer); err == nil && len(t) > 0 {
			replaced[pointer] = instead{[]byte("text withheld: " + reason), true}
		}
	}
	return replaced
}
