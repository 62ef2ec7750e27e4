package console

import (
	"context"
	"fmt"

	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/studiomcp"
)

// mcpRun serves Model Studio on stdio. It starts without a daemon, so that a client can
// keep it running; calls then fail with the command that starts one.
func mcpRun(ctx context.Context, opts *Options) error {
	daemon, err := opts.F.Daemon()
	if err != nil {
		return err
	}
	home, err := opts.F.Home()
	if err != nil {
		return err
	}
	project, _ := opts.live()
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
			return "", switchModel(ctx, home, daemon, project, model)
		},
	}, opts.F.IO.In, opts.F.IO.Out)
}
