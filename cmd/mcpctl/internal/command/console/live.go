package console

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/patch"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/corrected"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/kinds"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/studio"
)

// isLive reports whether the screen is wanted, and not a script.
func (opts *Options) isLive() bool { return opts.Studio != "" || opts.Inspect != "" }

// live returns the project of the screen and the flag that names it.
func (opts *Options) live() (project, flag string) {
	if opts.Studio != "" {
		return kinds.Bare("project", opts.Studio), "--model-studio"
	}
	return kinds.Bare("project", opts.Inspect), "--inspect"
}

func (opts *Options) checkLive() error {
	_, flag := opts.live()
	switch {
	case opts.Studio != "" && opts.Inspect != "":
		return problem.Usagef("--model-studio and --inspect exclude each other").WithHint("mcpctl console --help")
	case opts.Script != "" || opts.Project != "" || opts.Model != "":
		p := problem.Usagef("%s cannot be combined with --script, --project or --proxy-model", flag)
		p.Cause = "it shows the sessions of real clients"
		return p.WithHint("mcpctl console --help")
	}
	return nil
}

// studioRun shows the screen until the user quits.
func studioRun(ctx context.Context, opts *Options) error {
	f := opts.F
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP, syscall.SIGTERM) // release what is held when the terminal is closed
	defer stop()
	project, flag := opts.live()
	if !f.IO.InTerminal || !f.IO.OutTerminal {
		p := problem.Usagef("%s needs a terminal", flag)
		p.Cause = "standard input or output is a file or a pipe"
		return p.WithHint("mcpctl get events --project %s", problem.Arg(project))
	}
	daemon, err := f.Daemon()
	if err != nil {
		return err
	}
	if !daemon.Running(ctx) {
		p := problem.New(abi.ErrUnavailable, "no daemon runs")
		p.Cause = "only a daemon has sessions to show"
		return p.WithHint("mcpctl daemon start")
	}
	if _, err := daemon.Object(ctx, "project", "", project); err != nil {
		return err
	}
	home, err := f.Home()
	if err != nil {
		return err
	}
	return studio.Run(ctx, studio.Options{
		Service: service{daemon, daemon.Studio()}, Project: project, ReadOnly: opts.Studio == "", Editor: editor(f.Env),
		SwitchModel: func(ctx context.Context, model string) error { return switchModel(ctx, home, daemon, project, model) },
		SaveTest: func(ctx context.Context, correction string) (string, error) {
			test, err := corrected.Write(ctx, daemon, correction, "", "")
			return test.File, err
		},
	}, f.IO.Inherited(), f.IO.Out, os.Environ())
}

// service is a daemon as the screen uses it.
type service struct {
	*api.Client
	api.Studio
}

func editor(env func(string) string) string {
	if e := env("VISUAL"); e != "" {
		return e
	}
	return env("EDITOR")
}

// switchModel writes the proxymodel into the file of the project, as "mcpctl use" does.
func switchModel(ctx context.Context, home string, s api.Service, project, model string) error {
	o, err := s.Object(ctx, "project", "", project)
	if err != nil {
		return err
	}
	var value any // null removes the field
	if model != "" {
		if _, err := s.Object(ctx, "proxymodel", "", model); err != nil {
			return err
		}
		value = model
	}
	_, err = patch.ChangeField(ctx, home, s, o, "proxyModel", value, false)
	return err
}
