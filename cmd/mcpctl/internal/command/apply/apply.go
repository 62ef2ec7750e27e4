// Package apply implements `mcpctl apply`, which writes objects from YAML.
package apply

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/report"
)

// Options contains the arguments and flags.
type Options struct {
	F      *factory.Factory
	Files  []string
	DryRun bool
	Team   bool
	Local  bool

	Prune    bool
	Projects []string // that are pruned

	Output  string
	results *report.Results
}

// NewCmdApply creates the command. If runF is not nil, it is called instead of the implementation.
func NewCmdApply(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "apply -f FILE",
		Short: "Create or change objects from YAML",
		Long: `Create or change servers, projects, proxymodels and prompts from YAML: a file, a directory of files, or - for standard
input. A file may contain several documents. Files with errors are reported and skipped; the others are applied. Without a
daemon, the files of the home are written directly; a running daemon writes them itself, and the command returns when
they are in effect.

A proxymodel that refers to a missing stage is written, because the stage may be added later. Until then its last valid
version is used, and the command fails.

An object of the team server is changed there; new objects are files, unless --team is given.

With --team --prune --project NAME, all files are applied together or not at all, and the prompts of the project that no
file has are deleted. This needs the right to delete each of them; prompts that you may not see are left.

-o json prints a list with the kind, name, project, action and warnings of each object. The action is created, configured,
unchanged or deleted.`,
		Example: `  mcpctl apply -f project.yaml
  mcpctl apply -f prompts/ -o json
  mcpctl get project home -o yaml | mcpctl apply -f -
  mcpctl apply --team -f prompts/ --prune --project web --dry-run`,
		Args: factory.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := printer.Check(opts.Output); err != nil {
				return err
			}
			if len(opts.Files) == 0 {
				return problem.Usagef("apply needs -f FILE").WithHint("mcpctl apply -f project.yaml")
			}
			if opts.Team && opts.Local {
				return problem.Usagef("--team and --local exclude each other")
			}
			if opts.Prune && (!opts.Team || len(opts.Projects) == 0) || !opts.Prune && len(opts.Projects) > 0 {
				p := problem.Usagef("--prune needs --team and --project")
				p.Cause = "it deletes the prompts of these projects of the team server that no file has"
				return p.WithHint("mcpctl apply --team -f DIR --prune --project NAME --dry-run")
			}
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return applyRun(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringArrayVarP(&opts.Files, "filename", "f", nil, "file, directory or - for standard input (repeatable)")
	cmd.Flags().BoolVar(&opts.DryRun, "dry-run", false, "report the changes without writing them")
	cmd.Flags().BoolVar(&opts.Team, "team", false, "write all objects to the team server, also new ones")
	cmd.Flags().BoolVar(&opts.Local, "local", false, "write all objects to files, also those of the team server")
	cmd.Flags().BoolVar(&opts.Prune, "prune", false, "with --team: delete prompts of --project that no file has")
	cmd.Flags().StringArrayVarP(&opts.Projects, "project", "p", nil, "project whose prompts are pruned (repeatable)")
	printer.AddFlag(cmd, f.Env, &opts.Output)
	_ = cmd.MarkFlagFilename("filename", "yaml", "yml")               // fails only for an unknown flag
	_ = cmd.RegisterFlagCompletionFunc("project", f.Names("project")) // fails only for an unknown flag
	return cmd
}

func applyRun(ctx context.Context, opts *Options) error {
	requests, err := Read(opts.F, opts.Files)
	if err != nil {
		return err
	}
	s, done, err := opts.F.Service(ctx)
	if err != nil {
		return err
	}
	defer done()
	opts.results = &report.Results{IO: opts.F.IO, Format: opts.Output, DryRun: opts.DryRun}
	if opts.Prune {
		return pruneRun(ctx, s, opts, requests)
	}
	return opts.results.Finish(applyFiles(ctx, s, opts, requests))
}

// applyFiles applies one file after the other.
func applyFiles(ctx context.Context, s api.Service, opts *Options, requests []api.ApplyRequest) error {
	var all []api.Applied
	var doubtful []api.ApplyRequest // files with warnings that later files may resolve
	failed := EachFile(ctx, opts.F, requests, "applied", opts.Output, func(req api.ApplyRequest) error {
		req.DryRun, req.To = opts.DryRun, opts.target()
		applied, err := s.Apply(ctx, req)
		if err != nil {
			return err
		}
		all = append(all, applied...)
		if len(requests) > 1 && !opts.DryRun && slices.ContainsFunc(applied, hasWarning) {
			doubtful = append(doubtful, req)
			applied = withoutWarnings(applied)
		}
		opts.results.Add(applied...)
		return nil
	})
	for _, req := range doubtful {
		req.DryRun = true
		applied, err := s.Apply(ctx, req)
		if err != nil {
			return err
		}
		opts.results.Warn(applied...)
	}
	switch {
	case failed != nil:
		return failed
	case len(all) == 0:
		return problem.New(abi.ErrConfig, "no object in %s", requests[0].File).WithHint("mcpctl get projects -o yaml")
	case opts.DryRun:
		return nil
	}
	return report.Invalid(ctx, s, all)
}

// pruneRun applies all files as one request.
func pruneRun(ctx context.Context, s api.Service, opts *Options, requests []api.ApplyRequest) error {
	req := requests[0]
	for _, more := range requests[1:] {
		req.More = append(req.More, api.ApplyFile{File: more.File, YAML: more.YAML})
	}
	req.DryRun, req.To, req.Prune = opts.DryRun, api.ToTeam, opts.Projects
	applied, err := s.Apply(ctx, req)
	if err != nil {
		return err
	}
	opts.results.Add(applied...)
	return opts.results.Finish(nil)
}

// target returns the value of ApplyRequest.To.
func (opts *Options) target() string {
	switch {
	case opts.Team:
		return api.ToTeam
	case opts.Local:
		return api.ToFiles
	}
	return ""
}

func hasWarning(a api.Applied) bool { return len(a.Warning) > 0 || a.Invalid != "" }

func withoutWarnings(applied []api.Applied) []api.Applied {
	out := slices.Clone(applied)
	for i := range out {
		out[i].Warning, out[i].Invalid = nil, ""
	}
	return out
}

// Read reads the YAML of files and directories before anything is written.
func Read(f *factory.Factory, args []string) ([]api.ApplyRequest, error) {
	var requests []api.ApplyRequest
	for _, arg := range args {
		files, err := expand(arg)
		if err != nil {
			return nil, err
		}
		for _, name := range files {
			b, err := f.ReadFile(name)
			if err != nil {
				return nil, err
			}
			requests = append(requests, api.ApplyRequest{File: factory.Shown(name), YAML: string(b)})
		}
	}
	return requests, nil
}

// existingDir returns the absolute path of the directory of a file, or the closest one above it that
// exists.
func existingDir(file string) string {
	dir, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return filepath.Dir(file)
	}
	for filepath.Dir(dir) != dir {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			break
		}
		dir = filepath.Dir(dir)
	}
	return dir
}

// expand returns the YAML files of a directory, or the file itself.
func expand(arg string) ([]string, error) {
	if arg == "-" || arg == "" { // ReadFile rejects an empty name
		return []string{arg}, nil
	}
	info, err := os.Stat(arg)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, problem.From(fmt.Errorf("%w: %w", abi.ErrNotFound, err)).WithHint("ls %s", problem.Arg(existingDir(arg)))
	}
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{arg}, nil
	}
	entries, err := os.ReadDir(arg)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); !e.IsDir() && (ext == ".yaml" || ext == ".yml") && !strings.HasPrefix(e.Name(), ".") {
			file := filepath.Join(arg, e.Name())
			if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
				return nil, problem.New(abi.ErrConfig, "%s is not a regular file", file).WithHint("ls -l %s", problem.Arg(file))
			}
			files = append(files, file)
		}
	}
	if len(files) == 0 {
		return nil, problem.New(abi.ErrNotFound, "no .yaml files in %s", arg).WithHint("ls %s", problem.Arg(arg))
	}
	return files, nil
}
