package console

import (
	"bytes"
	"cmp"
	"context"
	"fmt"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/patch"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/studiomcp"
)

func (opts *Options) checkStudio() error {
	switch {
	case opts.Studio != "" && opts.Inspect != "":
		return problem.Usagef("--model-studio and --inspect exclude each other").WithHint("mcpctl console --help")
	case opts.Script != "":
		return problem.Usagef("--script excludes --model-studio and --inspect").WithHint("mcpctl console --help")
	case !opts.MCP:
		project := problem.Arg(cmp.Or(opts.Studio, opts.Inspect))
		return problem.Usagef("the terminal view of Model Studio is not part of this version").WithHint("mcpctl get events --project %s", project)
	}
	return nil
}

// studioRun serves Model Studio on stdio. It starts without a daemon, so that a client can
// keep it running; calls then fail with the command that starts one.
func studioRun(ctx context.Context, opts *Options) error {
	daemon, err := opts.F.Daemon()
	if err != nil {
		return err
	}
	home, err := opts.F.Home()
	if err != nil {
		return err
	}
	project := cmp.Or(opts.Studio, opts.Inspect)
	if daemon.Running(ctx) {
		if _, err := daemon.Object(ctx, "project", "", project); err != nil {
			return err
		}
	} else {
		fmt.Fprintln(opts.F.IO.ErrOut, "note: no daemon is running; the tools need one: mcpctl daemon start")
	}
	return studiomcp.Serve(ctx, studiomcp.Options{
		Service: daemon, Traffic: daemon.Studio(), Project: project, ReadOnly: opts.Inspect != "", Version: opts.F.Version, Home: home, Env: opts.F.Env,
		SwitchModel: func(ctx context.Context, model string) (string, error) {
			return switchModel(ctx, opts, daemon, project, model)
		},
	}, opts.F.IO.In, opts.F.IO.Out)
}

// switchModel sets the proxymodel of a project, like "mcpctl use", and returns the warnings.
// Standard output belongs to the MCP server.
func switchModel(ctx context.Context, opts *Options, s api.Service, project, model string) (warnings string, err error) {
	if _, err := s.Object(ctx, "proxymodel", "", model); err != nil {
		return "", err
	}
	o, err := s.Object(ctx, "project", "", project)
	if err != nil {
		return "", err
	}
	var out, errOut bytes.Buffer
	f := *opts.F
	f.IO = &iostreams.Streams{In: &bytes.Buffer{}, Out: &out, ErrOut: &errOut}
	err = patch.SetField(ctx, &f, s, o, "proxyModel", model, false)
	return errOut.String(), err
}
