package stage

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/fixture"
)

// testFile checks the laws of every stage on a module without its plugin directory.
func testFile(ctx context.Context, opts *TestOptions) error {
	if opts.Module != "" || opts.Update {
		return problem.Usagef("--module and --update are for a plugin directory, %s is a module", opts.Dir).WithHint("mcpctl stage test --help")
	}
	module, err := opts.F.ReadFile(opts.Dir)
	if err != nil {
		return err
	}
	t, err := opts.F.Trial(ctx)
	if err != nil {
		return err
	}
	defer t.Close()
	done := opts.F.IO.Progress("testing " + opts.Dir)
	defer done()
	start := time.Now()
	name := strings.TrimSuffix(filepath.Base(opts.Dir), ".wasm")
	m, err := t.Load(ctx, name, module)
	if err != nil {
		return problem.FromFile(err, opts.Dir)
	}
	defer m.Close()
	report := testReport{Dir: opts.Dir, Role: name, Kind: abi.KindStage, Language: m.Info().Language, Load: time.Since(start)}
	report.Module.File, report.Module.Hash, report.Module.Bytes = opts.Dir, m.Hash(), len(module)
	start = time.Now()
	for _, role := range m.Manifest().Roles {
		if role.Kind == abi.KindController {
			continue
		}
		report.Role, report.Kind = role.Name, role.Kind
		for _, s := range fixture.Samples {
			test, err := fixture.CheckLaws(ctx, m, role, s, opts.Dir)
			if err != nil {
				return err
			}
			if len(m.Manifest().Roles) > 1 {
				test.Name = role.Name + "/" + test.Name
			}
			report.add(test)
		}
	}
	if len(report.Tests) == 0 {
		p := problem.New(abi.ErrConfig, "module %s has no stage", opts.Dir)
		p.Cause = "a controller is tested by the sessions of its plugin directory"
		return p.WithHint("mcpctl stage inspect %s", problem.Arg(opts.Dir))
	}
	report.Run = time.Since(start)
	done()
	if err := report.print(opts); err != nil {
		return err
	}
	return report.err()
}
