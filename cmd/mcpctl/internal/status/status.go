// Package status is `mcpctl status`.
package status

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

// Options are what the command line said.
type Options struct {
	F      *factory.Factory
	Output string
}

// NewCmdStatus makes the command; runF replaces its work in tests.
func NewCmdStatus(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show the health of the daemon, its servers, LLM providers and projects",
		Long: `Show whether a daemon runs for this home, the state of each MCP server and each provider of LLM answers,
and the endpoint of each project.
Exit status 0 also when no daemon runs: that is an answer, not a failure.`,
		Example: `  mcpctl status
  mcpctl status -o json`,
		Args: factory.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := printer.Check(opts.Output); err != nil {
				return err
			}
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return statusRun(cmd.Context(), opts)
		},
	}
	printer.AddFlag(cmd, f.Env, &opts.Output)
	return cmd
}

func statusRun(ctx context.Context, opts *Options) error {
	client, err := opts.F.Daemon()
	if err != nil {
		return err
	}
	st, err := client.Status(ctx)
	if errors.Is(err, abi.ErrUnavailable) {
		home, herr := opts.F.Home()
		if herr != nil {
			return herr
		}
		st, err = api.Status{Home: home, Version: opts.F.Version, Mcpd: "not configured"}, nil
	}
	if err != nil {
		return err
	}
	settings, err := opts.F.Settings()
	if err != nil {
		return err
	}
	if u := settings.Get("mcpd-url"); u != "" {
		st.Mcpd = u + ", not contacted by this version"
	}
	switch opts.Output {
	case "json":
		return printer.JSON(opts.F.IO.Out, st)
	case "yaml":
		return printer.YAML(opts.F.IO.Out, st)
	case "name":
		for _, s := range st.Servers {
			fmt.Fprintln(opts.F.IO.Out, "server/"+s.Name)
		}
		for _, p := range st.LLM {
			fmt.Fprintln(opts.F.IO.Out, "llmprovider/"+p.Name)
		}
		for _, p := range st.Projects {
			fmt.Fprintln(opts.F.IO.Out, "project/"+p.Name)
		}
		return nil
	}
	return text(opts.F.IO, st, opts.Output == "wide")
}

// text prints the tables; wide ones wrap their cells where others cut them.
func text(io *iostreams.Streams, st api.Status, wide bool) error {
	table := func(header ...string) *iostreams.Table {
		if wide {
			return iostreams.NewTable(header...).Wrap(io.OutWidth)
		}
		return iostreams.NewTable(header...).Fit(io.OutWidth)
	}
	if !st.Running {
		fmt.Fprintf(io.Out, "mcplocal  %s\nhome      %s\nmcpd      %s\n", io.Paint(iostreams.Yellow, "not running"), st.Home, st.Mcpd)
		return nil
	}
	fmt.Fprintf(io.Out, "mcplocal  %s, version %s, pid %d, %s\nhome      %s\naddress   %s\nmcpd      %s\n",
		io.Paint(iostreams.Green, "running"), st.Version, st.PID, printer.Plural(st.Sessions, "session"), st.Home, st.Listening, st.Mcpd)
	for _, p := range st.Problems {
		fmt.Fprintf(io.Out, "problem   %s\n", iostreams.Clean(p))
	}
	for _, w := range st.Warnings {
		fmt.Fprintf(io.Out, "warning   %s\n", iostreams.Clean(w))
	}
	if len(st.Servers) > 0 {
		t := table("SERVER", "STATE", "CONNECTIONS", "RESTARTS", "ERROR")
		for _, s := range st.Servers {
			t.Row(s.Name, s.State, strconv.Itoa(s.Connections), strconv.Itoa(s.Restarts), s.Error)
		}
		fmt.Fprintln(io.Out)
		if err := t.Fprint(io.Out); err != nil {
			return err
		}
	}
	if len(st.LLM) > 0 {
		t := table("LLM-PROVIDER", "TYPE", "STATE", "REQUESTS", "ERRORS")
		for _, p := range st.LLM {
			t.Row(p.Name, p.Type, p.State, strconv.FormatInt(p.Requests, 10), strconv.FormatInt(p.Errors, 10))
		}
		fmt.Fprintln(io.Out)
		if err := t.Fprint(io.Out); err != nil {
			return err
		}
	}
	if len(st.Projects) == 0 {
		return nil
	}
	t := table("PROJECT", "PROXYMODEL", "SERVERS")
	for _, p := range st.Projects {
		t.Row(p.Name, p.ProxyModel, strings.Join(p.Servers, ","))
	}
	fmt.Fprintln(io.Out)
	return t.Fprint(io.Out)
}
