package stage

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/fixture"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/plugin"
	"github.com/mcpctl/mcpctl/host/lab"
)

// TestOptions are the arguments and flags of the command.
type TestOptions struct {
	F      *factory.Factory
	Dir    string
	Module string
	Update bool
	Output string
}

// testFormats are the values of -o of stage test.
var testFormats = []string{"table", "json", "yaml", "junit"}

// NewCmdTest makes the command; runF replaces its work in tests.
func NewCmdTest(f *factory.Factory, runF func(context.Context, *TestOptions) error) *cobra.Command {
	opts := &TestOptions{F: f}
	cmd := &cobra.Command{
		Use:        "test [DIR|FILE.wasm]",
		SuggestFor: []string{"stage build"},
		Short:      "Run the fixtures of a stage on its built module",
		Long: `Run every testdata/*.txtar of a plugin directory on its module, as the daemon would, with the LLM that the file scripts
and an empty cache. The module is built first if a source is newer. The result is compared with the expected one.

Each input is also checked against the laws of every stage: two runs give equal results, drill-down serves the exact
bytes of the original, an LLM that fails, is slow, answers nothing or lies changes nothing (a filter withholds the
content), and the defaults of plugin.yaml are valid. A line with MUST, REQUIRED or NEVER that the result omits is a
warning.

A file is a comment and parts, each after a line "-- NAME --": config, context, arguments (JSON), input, llm
("answer: TEXT", fails, slow, empty or lies), want (the output; without it the stage passes) or fail (the reason),
sections, meta. Content that a part cannot contain is in a separate file, named by input-file or want-file. For a
controller: tools, prompts, stored, answer, then hooks (initialize, list, call TOOL, result, close), each followed by
its want.

For a FILE.wasm without a plugin directory only the laws are checked, with an empty input, text, Markdown and JSON.

--update writes the actual results into the files; check the diff before you commit it. Exit status 7: a test failed.`,
		Example: `  mcpctl stage test shout
  mcpctl stage test shout --update
  mcpctl stage test ./shout.wasm
  mcpctl stage test shout --module shout/shout.wasm -o junit > report.xml`,
		Args:              factory.OptionalArg("[DIR|FILE.wasm]", &opts.Dir, "."),
		ValidArgsFunction: factory.DirOrModule,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !slices.Contains(testFormats, opts.Output) {
				return problem.Usagef("unknown output format %q", opts.Output).WithHint("mcpctl stage test %s -o junit", problem.Arg(opts.Dir))
			}
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return testRun(cmd.Context(), opts)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&opts.Module, "module", "", "module to test, instead of building the directory")
	fl.BoolVar(&opts.Update, "update", false, "write the actual results into the files")
	fl.StringVarP(&opts.Output, "output", "o", "table", "format: "+strings.Join(testFormats, ", "))
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(testFormats, cobra.ShellCompDirectiveNoFileComp)) // both fail only for an unknown flag
	_ = cmd.RegisterFlagCompletionFunc("module", modules)
	return cmd
}

// modules completes the name of a module file.
func modules(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"wasm"}, cobra.ShellCompDirectiveFilterFileExt
}

func testRun(ctx context.Context, opts *TestOptions) error {
	if strings.HasSuffix(opts.Dir, ".wasm") {
		return testFile(ctx, opts)
	}
	plug, err := plugin.Open(opts.Dir)
	if err != nil {
		return err
	}
	archives := fixture.Glob(plug.Dir)
	if len(archives) == 0 {
		p := problem.New(abi.ErrNotFound, "directory %s has no tests", plug.Dir)
		p.Cause = "a test is a file testdata/NAME.txtar with an input and the expected output"
		return p.WithHint("mcpctl stage test --help")
	}
	report := testReport{Dir: plug.Dir, Role: plug.Role().Name, Kind: plug.Role().Kind}
	start := time.Now()
	file, module, err := moduleOf(ctx, opts.F, plug, opts.Module)
	if err != nil {
		return err
	}
	report.Module.File, report.Build = file, time.Since(start)
	t, err := opts.F.Trial(ctx)
	if err != nil {
		return err
	}
	defer t.Close()
	if err := report.run(ctx, opts, t, module, archives); err != nil {
		return err
	}
	if err := report.print(opts); err != nil {
		return err
	}
	return report.err()
}

// moduleOf returns the module of a plugin: the given file, or that of the directory, which
// is rebuilt if a source is newer.
func moduleOf(ctx context.Context, f *factory.Factory, plug *plugin.Plugin, named string) (file string, module []byte, err error) {
	if named != "" {
		module, err = f.ReadFile(named)
		if err != nil {
			return "", nil, err
		}
		if info, err := lab.InspectModule(named, module); err != nil || info.HasManifest {
			return named, module, err
		}
		module, err = plug.Pack(module)
		return named, module, err
	}
	return plug.Fresh(ctx, f.Env, f.IO.Progress)
}

// run loads the module and runs all archives on it.
func (r *testReport) run(ctx context.Context, opts *TestOptions, t *lab.Trial, module []byte, archives []string) error {
	done := opts.F.IO.Progress("testing " + r.Role)
	defer done()
	start := time.Now()
	m, err := t.Load(ctx, r.Role, module)
	if err != nil && opts.Module != "" {
		return problem.FromFile(err, opts.Module)
	}
	if err != nil {
		return err
	}
	defer m.Close()
	r.Load = time.Since(start)
	r.Module.Hash, r.Module.Bytes, r.Language = m.Hash(), len(module), m.Info().Language
	role, ok := m.Manifest().Role(r.Role)
	if !ok {
		p := problem.New(abi.ErrNotFound, "module %s has no role %q", r.Module.File, r.Role)
		p.Cause = "plugin.yaml of " + r.Dir + " names it"
		return p.WithHint("mcpctl stage inspect %s", problem.Arg(r.Module.File)) // packing it could overwrite a third-party file
	}
	start = time.Now()
	for _, path := range archives {
		test, err := fixture.Run(ctx, m, role, path, opts.Update)
		if err != nil {
			return err
		}
		r.add(test)
	}
	r.Run = time.Since(start)
	return nil
}

func (r *testReport) add(test fixture.Test) {
	r.Tests = append(r.Tests, test)
	if test.Failed() {
		r.Failed++
	} else {
		r.Passed++
	}
}

// err returns the error that determines the exit status.
func (r *testReport) err() error {
	if r.Failed == 0 {
		return nil
	}
	p := problem.New(abi.ErrConfig, "%d of %d tests of %s failed", r.Failed, len(r.Tests), r.Dir)
	module := filepath.Join(r.Dir, r.Role+".wasm")
	if strings.HasSuffix(r.Dir, ".wasm") {
		module = r.Dir
	}
	hint := fmt.Sprintf("mcpctl stage run ./%s -o json < FILE", module)
	return p.WithHint("%s", cmp.Or(firstHint(r.Tests), hint))
}

// firstHint returns the hint of the first broken law, else of the first run that failed and should
// not, else of the first fault that has one.
func firstHint(tests []fixture.Test) string {
	var failed bool
	var ofFailed, ofOther string
	for _, t := range tests {
		for _, f := range t.Faults {
			switch {
			case f.Law != "":
				return f.Hint
			case f.Failed:
				failed, ofFailed = true, cmp.Or(ofFailed, f.Hint)
			default:
				ofOther = cmp.Or(ofOther, f.Hint)
			}
		}
	}
	if failed {
		return ofFailed
	}
	return ofOther
}
