// Package status implements `mcpctl status`.
package status

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/plugin"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

// Options contains the arguments and flags.
type Options struct {
	F      *factory.Factory
	Output string
}

// NewCmdStatus creates the command. If runF is not nil, it is called instead of the implementation.
func NewCmdStatus(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show the health of the daemon, its servers, LLM providers and projects",
		Long: `Show whether a daemon is running for this home, the state of each MCP server and each LLM provider, and the projects.
Also show the number of prompts proposed by models that wait for approval, and the number of tokens that clients have
saved since the daemon started. Without a daemon, the servers and projects are read from the files (exit status 0). If
config.yaml is invalid, the rest is shown and the exit status is that of the error.`,
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
		st, err = offline(ctx, opts)
		st.PID = opts.F.Holder()
	}
	if err != nil && st.Home == "" {
		return err
	}
	st.Warnings = append(st.Warnings, plugin.AllOutdated(st.Home)...)
	st.Warnings = append(st.Warnings, hookWarnings(opts.F, st)...)
	settings, settingsErr := opts.F.Settings()
	if u := settings.Get("mcpd-url"); u != "" && st.Mcpd == notConfigured { // the home has no objects yet
		st.Mcpd = u + ", not logged in" + loginHint + u
	}
	if settingsErr != nil { // the rest is still shown
		err = settingsErr
	}
	if err := opts.print(st); err != nil {
		return err
	}
	if next := nextStep(st); err == nil && next != "" && (opts.Output == "table" || opts.Output == "wide") {
		fmt.Fprintf(opts.F.IO.ErrOut, "next: %s\n", next)
	}
	return err
}

// notConfigured is Status.Mcpd of a home without a team server.
const notConfigured = "not configured"

// offline returns the status of a home without a daemon, with the servers and projects of its
// files. If
// the files cannot be read, it returns the status together with the error.
func offline(ctx context.Context, opts *Options) (api.Status, error) {
	home, err := opts.F.Home()
	if err != nil {
		return api.Status{}, err
	}
	bare := api.Status{Home: home, Version: opts.F.Version, Mcpd: notConfigured}
	if _, err := os.Stat(filepath.Join(home, "servers")); errors.Is(err, fs.ErrNotExist) {
		return bare, nil // reading must not create a home
	}
	s, done, err := opts.F.Service(ctx)
	if err != nil {
		return fromFileNames(bare), err
	}
	defer done()
	st, err := s.Status(ctx)
	if err != nil {
		return fromFileNames(bare), err
	}
	return st, nil
}

// fromFileNames adds servers and projects by the names of their files, for a home whose settings
// cannot be read.
func fromFileNames(st api.Status) api.Status {
	for _, name := range fileNames(st.Home, "servers") {
		st.Servers = append(st.Servers, api.ServerStatus{Name: name, State: "unknown"})
	}
	for _, name := range fileNames(st.Home, "projects") {
		st.Projects = append(st.Projects, api.ProjectStatus{Name: name})
	}
	return st
}

func fileNames(home, dir string) []string {
	files, _ := filepath.Glob(filepath.Join(home, dir, "*.y*ml")) // fails only for an invalid pattern
	for i, f := range files {
		files[i] = strings.TrimSuffix(filepath.Base(f), filepath.Ext(f))
	}
	return files
}

func (opts *Options) print(st api.Status) error {
	switch opts.Output {
	case "json":
		return printer.JSON(opts.F.IO.Out, st)
	case "yaml":
		return printer.YAML(opts.F.IO.Out, st)
	case "name":
		for _, s := range st.Servers {
			fmt.Fprintln(opts.F.IO.Out, iostreams.Line("server/"+s.Name))
		}
		for _, p := range st.LLM {
			fmt.Fprintln(opts.F.IO.Out, iostreams.Line("llmprovider/"+p.Name))
		}
		for _, p := range st.Projects {
			fmt.Fprintln(opts.F.IO.Out, iostreams.Line("project/"+p.Name))
		}
		return nil
	}
	return text(opts.F.IO, st, opts.Output == "wide")
}

// text prints the tables. Cells are wrapped if wide is set, otherwise truncated.
func text(io *iostreams.Streams, st api.Status, wide bool) error {
	table := func(header ...string) *iostreams.Table {
		if wide {
			return iostreams.NewTable(header...).Wrap(io.OutWidth)
		}
		return iostreams.NewTable(header...).Fit(io.OutWidth)
	}
	page := io.Page()
	head(io, page, st)
	for _, p := range st.Problems {
		fmt.Fprintf(page, "problem   %s\n", iostreams.Clean(p))
	}
	for _, w := range st.Warnings {
		fmt.Fprintf(page, "warning   %s\n", iostreams.Clean(w))
	}
	if err := page.Close(); err != nil {
		return err
	}
	if len(st.Servers) > 0 {
		t := table("SERVER", "STATE", "CONNECTIONS", "RESTARTS", "ERROR")
		for _, s := range st.Servers {
			t.Row(s.Name, s.State, strconv.Itoa(s.Connections), strconv.Itoa(s.Restarts), lastError(s))
		}
		fmt.Fprintln(io.Out)
		if err := t.Fprint(io.Out); err != nil {
			return err
		}
		if err := printStderr(io, st.Servers, table("SERVER", "STANDARD ERROR")); err != nil {
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

// lastError returns the error of a server. For a server that has recovered, it returns the reason
// of
// the restart.
func lastError(s api.ServerStatus) string {
	if s.Error == "" && s.LastError != "" {
		return "restarted: " + s.LastError
	}
	return s.Error
}

// printStderr prints a table with the line of standard error that explains each failed server. The
// describe command shows more lines.
func printStderr(io *iostreams.Streams, servers []api.ServerStatus, t *iostreams.Table) error {
	for _, s := range servers {
		if s.State == "failed" && s.ErrorLine != "" {
			t.Row(s.Name, s.ErrorLine)
		}
	}
	if len(t.Rows()) == 0 {
		return nil
	}
	fmt.Fprintln(io.Out)
	return t.Fprint(io.Out)
}
