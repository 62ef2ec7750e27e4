package create

import (
	"context"
	"fmt"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/fixture"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/plugin"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/toolchain"
)

// buildAndInstall runs the steps that an author repeats, and prints the time of each.
func buildAndInstall(ctx context.Context, opts *StageOptions, home string, chain toolchain.Chain) error {
	plug, err := plugin.Open(opts.Dir)
	if err != nil {
		return err
	}
	var wasm, module []byte
	steps := []struct {
		name string
		run  func() error
	}{
		{"build", func() (err error) { wasm, err = plug.Compile(ctx, chain, false); return err }},
		{"pack", func() (err error) {
			if module, err = plug.Pack(wasm); err != nil {
				return err
			}
			return plug.Keep(module)
		}},
		{"test", func() error { return test(ctx, opts, plug, module) }},
		{"install", func() error {
			if err := plug.Install(home, module, time.Now()); err != nil {
				return err
			}
			return opts.F.ReloadDaemon(ctx)
		}},
	}
	for _, s := range steps {
		start := time.Now()
		done := opts.F.IO.Progress(s.name)
		err := s.run()
		done()
		if err != nil {
			return problem.From(err).WithHint("mcpctl stage test %s", problem.Arg(opts.Dir))
		}
		took := time.Since(start)
		opts.made.Steps = append(opts.made.Steps, madeStep{s.name, took.Nanoseconds()})
		fmt.Fprintf(opts.F.IO.ErrOut, "%-8s %.1fs\n", s.name, took.Seconds())
	}
	opts.made.Module = plug.Module()
	opts.printStep("stage/%s created\n", opts.Name)
	opts.F.WarnHeld(opts.Name, opts.F.Held(opts.Name, module))
	opts.next()
	return nil
}

// test runs the fixtures on the module, as stage test does.
func test(ctx context.Context, opts *StageOptions, plug *plugin.Plugin, module []byte) error {
	t, err := opts.F.Trial(ctx)
	if err != nil {
		return err
	}
	defer t.Close()
	m, err := t.Load(ctx, opts.Name, module)
	if err != nil {
		return err
	}
	defer m.Close()
	for _, path := range fixture.Glob(plug.Dir) {
		got, err := fixture.Run(ctx, m, plug.Role(), path, false)
		if err != nil {
			return err
		}
		if got.Failed() {
			p := problem.New(abi.ErrConfig, "test %s failed: %s", got.Name, got.Faults[0].Text)
			p.Cause = got.Faults[0].Help
			return p
		}
	}
	return nil
}

// next prints the next commands.
func (o *StageOptions) next() {
	dir := problem.Arg(o.Dir)
	try := "mcpctl stage run " + o.Name + " < FILE"
	if o.Kind == kindController {
		try = fmt.Sprintf("cd %s; mcpctl apply -f try.yaml; mcpctl console --script session.yaml --project %s", dir, o.Name)
	}
	fmt.Fprintf(o.F.IO.ErrOut, "next: %s; then mcpctl stage dev %s, and edit it\n", try, dir)
}
