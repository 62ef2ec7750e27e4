// Package create is `mcpctl create`: objects, and scaffolds of stages.
package create

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
	"github.com/mcpctl/mcpctl/cmd/internal/schemafile"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/host/object"
)

// NewCmdCreate makes the group.
func NewCmdCreate(f *factory.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "create",
		Short: "Make a project, a prompt, a stage or a proxymodel",
		Long: `Make a project over servers, a prompt of a project, a new stage with everything it needs to build and test, or a
proxymodel over stages that exist.`,
		Example: `  mcpctl create stage shout --lang go
  mcpctl create proxymodel loud --stages shout,section-split
  mcpctl create prompt rules --project home --priority 8 --content-file rules.md`,
	}
	cmd.AddCommand(NewCmdStage(f, nil), newModel(f), NewCmdProject(f, nil), NewCmdPrompt(f, nil))
	return cmd
}

func newModel(f *factory.Factory) *cobra.Command {
	var stages []string
	cmd := &cobra.Command{
		Use:   "proxymodel NAME --stages A,B",
		Short: "Make a proxymodel over stages",
		Long:  "Write a proxymodel that runs the named stages in order. Their config has defaults; edit the file to change them.",
		Example: `  mcpctl create proxymodel loud --stages shout
  mcpctl create proxymodel loud --stages redact,section-split`,
		Args: factory.ExactArgs("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(stages) == 0 {
				return problem.Usagef("create proxymodel needs --stages").WithHint("mcpctl get stages")
			}
			return createModel(cmd.Context(), f, args[0], stages)
		},
	}
	cmd.Flags().StringSliceVar(&stages, "stages", nil, "stages in order, by comma")
	_ = cmd.RegisterFlagCompletionFunc("stages", factory.ListOf(f.Names("stage"))) // fails only for an unknown flag
	return cmd
}

func createModel(ctx context.Context, f *factory.Factory, name string, stages []string) error {
	s, done, err := f.Service(ctx)
	if err != nil {
		return err
	}
	defer done()
	known, err := s.Stages(ctx)
	if err != nil {
		return err
	}
	if err := checkStages(known, stages); err != nil {
		return err
	}
	hides, err := checkFree(ctx, s, name)
	if err != nil {
		return err
	}
	home, err := f.Home()
	if err != nil {
		return err
	}
	if err := schemafile.Write(home); err != nil {
		return err
	}
	applied, err := s.Apply(ctx, api.ApplyRequest{File: name + ".yaml", YAML: modelYAML(name, stages)})
	if err != nil {
		return err
	}
	report.Applied(f.IO, applied, false)
	if hides {
		fmt.Fprintf(f.IO.ErrOut, "warning: it hides the built-in %q; mcpctl delete proxymodel %s brings that back\n", name, name)
	}
	return nil
}

// checkFree asks that there is nothing to lose: a local file of that name may hold
// what somebody wrote by hand. A built-in is only hidden.
func checkFree(ctx context.Context, s api.Service, name string) (hides bool, err error) {
	o, err := s.Object(ctx, "proxymodel", "", name)
	switch {
	case errors.Is(err, abi.ErrNotFound):
		return false, nil
	case err != nil:
		return false, err
	case o.Source == "built-in":
		return true, nil
	}
	p := problem.New(abi.ErrConflict, "proxymodel %q is there already", name)
	p.Cause = "its file is " + o.File
	return false, p.WithHint("mcpctl delete proxymodel %s", name)
}

// modelYAML is written as a person would, to be edited by one.
func modelYAML(name string, stages []string) string {
	var b strings.Builder
	quoted, _ := json.Marshal(name) // a string always encodes
	b.WriteString(schemafile.InHome(object.KindProxyModel.SchemaName()))
	fmt.Fprintf(&b, "# mcpctl describe stage %s tells which config it takes; the defaults hold for what is left out\n", stages[0])
	fmt.Fprintf(&b, "kind: ProxyModel\nmetadata:\n  name: %s\nspec:\n  controller: none\n  stages:\n", quoted)
	for _, st := range stages {
		quoted, _ := json.Marshal(st)
		fmt.Fprintf(&b, "    - type: %s\n", quoted)
	}
	b.WriteString("  appliesTo: [prompts, toolResults, resources]\n  cacheable: true\n")
	return b.String()
}
