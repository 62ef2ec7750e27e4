// Package hook implements `mcpctl hook`: the command of a client's hook, which gives the results of
// the client's own tools to a project.
package hook

import (
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
model. The texts of Bash, Read, Grep, WebFetch and of MCP servers that are not behind mcpctl go through the
project's proxymodel, as results of "claude-code/Bash" and so on; texts below 8 KB only through its filters. The
read_section tool of the project opens every part of the original.

Lines that the model asked for (Read with offset or limit), images and interrupted commands pass unchanged, and so does
a result if mcpctl fails or needs more than 2 seconds; standard error then has the reason. A text that a filter
withholds, or whose proxymodel is invalid, is replaced by the reason.`,
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
	done := make(chan error, 1)
	go func() { // it may wait for standard input, a file or standard output, which nothing ends
		out, err := transform(ctx, opts)
		if err == nil {
			_, err = opts.F.IO.Out.Write(out)
		}
		done <- err
	}()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		err = fmt.Errorf("more than %v were needed", patience)
	}
	if err != nil {
		fmt.Fprintf(opts.F.IO.ErrOut, "mcpctl: the result of the tool is unchanged: %v\n", err)
	}
	return nil
}

// transform reads an event and returns the hook's output, which is empty if the result is
// unchanged.
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
	texts := e.texts(opts.Project)
	if len(texts) == 0 {
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
	replaced := make(map[string]instead)
	for _, pointer := range texts {
		t, err := text(e.response, pointer)
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
		shown, err := service.ShowClientTool(ctx, opts.Project, api.ClientToolResult{Client: client, Tool: e.tool, Hint: e.hint, OnlyFilters: onlyFilters, Text: string(t)})
		switch {
		case errors.Is(err, abi.ErrConfig): // it is not known which filters apply
			replaced[pointer] = instead{fmt.Appendf(nil, "text withheld: %v", err), isWhole}
		case err != nil:
			return nil, err
		case shown.Blocked != "":
			replaced[pointer] = instead{[]byte("text withheld: " + shown.Blocked), isWhole}
		case shown.Changed:
			replaced[pointer] = instead{[]byte(shown.Text), isWhole}
		}
	}
	if len(replaced) == 0 {
		return nil, nil
	}
	out := []byte(`{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":`)
	return append(append(out, e.replace(replaced)...), "}}\n"...), nil
}
