// Package diff implements `mcpctl diff`, which shows the changes that apply would make.
package diff

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/apply"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/textdiff"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/store"
)

// ErrDifferent is the result of a diff with differences: exit status 1, no message.
var ErrDifferent = errors.New("there are differences")

// Options are the values of the command line.
type Options struct {
	F     *factory.Factory
	Files []string
}

// NewCmdDiff creates the command. If runF is not nil, it is called instead of the implementation.
func NewCmdDiff(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "diff -f FILE",
		Short: "Show the changes that apply would make",
		Long: `Compare objects in YAML (a file, a directory of files, or - for standard input) with the objects of the home, without
changing them. Defaults are filled in on both sides, so that only semantic differences count. Values that may be
credentials are masked; differences in them are reported without the values. Files with errors are reported, and the
others are compared. The exit status is 0 without differences, 1 with differences, and greater than 1 for an error.`,
		Example: `  mcpctl diff -f project.yaml
  mcpctl get all -o yaml | mcpctl diff -f -`,
		Args: factory.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(opts.Files) == 0 {
				return problem.Usagef("diff needs -f FILE").WithHint("mcpctl diff -f project.yaml")
			}
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return diffRun(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringArrayVarP(&opts.Files, "filename", "f", nil, "file, directory or - for standard input (repeatable)")
	_ = cmd.MarkFlagFilename("filename", "yaml", "yml") // fails only for an unknown flag
	return cmd
}

func diffRun(ctx context.Context, opts *Options) error {
	requests, err := apply.Read(opts.F, opts.Files)
	if err != nil {
		return err
	}
	s, done, err := opts.F.Service(ctx)
	if err != nil {
		return err
	}
	defer done()
	total, different := 0, false
	failed := apply.EachFile(ctx, opts.F, requests, "compared", opts.F.Env("MCPCTL_OUTPUT"), func(req api.ApplyRequest) error {
		objects, changed, err := opts.compareFile(ctx, s, req)
		total += objects
		different = different || changed
		return err
	})
	switch {
	case failed != nil:
		return failed
	case total == 0:
		return problem.New(abi.ErrConfig, "no object in %s", requests[0].File).WithHint("mcpctl get projects -o yaml")
	case different:
		return ErrDifferent
	}
	return nil
}

// compareFile prints the differences of one file and returns the number of its objects.
func (opts *Options) compareFile(ctx context.Context, s api.Service, req api.ApplyRequest) (objects int, different bool, err error) {
	req.DryRun, req.Base = true, api.AnyRevision
	applied, err := s.Apply(ctx, req)
	if err != nil {
		return 0, false, err
	}
	wanted, _, err := object.Decode(req.File, []byte(req.YAML))
	if err != nil {
		return 0, false, err
	}
	for i, a := range applied {
		if a.Action == string(store.Unchanged) {
			continue
		}
		different = true
		if err := opts.printDiff(ctx, s, req.File, a, wanted[i]); err != nil {
			return 0, false, err
		}
	}
	return len(applied), different, nil
}

// printDiff prints the differences between an object of the home and the same object of a file.
func (opts *Options) printDiff(ctx context.Context, s api.Service, file string, a api.Applied, wanted object.Object) error {
	before := ""
	now, err := s.Object(ctx, a.Kind, a.Project, a.Name)
	if err == nil && (now.Source != "built-in" || a.Action != string(store.Created)) {
		before, err = manifestText(now.Manifest)
	} else if errors.Is(err, abi.ErrNotFound) {
		err = nil
	}
	if err != nil {
		return err
	}
	manifest, err := object.EncodeJSON(wanted)
	if err != nil {
		return err
	}
	after, err := manifestText(manifest)
	if err != nil {
		return err
	}
	name := a.Kind + "/" + a.Name
	text := textdiff.Lines(name+" (home)", name+" ("+file+")", before, after)
	if text == "" {
		fmt.Fprintf(opts.F.IO.Out, "%s differs in values that are not shown\n", name)
		return nil
	}
	textdiff.Print(opts.F.IO, text, "", strings.Count(text, "\n"))
	return nil
}

func manifestText(manifest []byte) (string, error) {
	var b strings.Builder
	err := printer.YAML(&b, json.RawMessage(manifest))
	return b.String(), err
}
