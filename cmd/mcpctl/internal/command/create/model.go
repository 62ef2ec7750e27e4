package create

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
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

// ModelOptions are the arguments and flags for a proxymodel.
type ModelOptions struct {
	F           *factory.Factory
	Name        string
	Stages      []string
	Controllers []string // none: sessions are not steered
}

// NewCmdModel makes the command; runF replaces its work in tests.
func NewCmdModel(f *factory.Factory, runF func(context.Context, *ModelOptions) error) *cobra.Command {
	opts := &ModelOptions{F: f}
	cmd := &cobra.Command{
		Use:   "proxymodel NAME --stages A,B",
		Short: "Create a proxymodel from stages and controllers",
		Long: `Create a proxymodel that runs the named stages in order; filters come before the other stages. The named controllers
steer its sessions: each edits the results of those before it, so the gate comes last. Without --controllers sessions
are not steered. All config has defaults; edit the file to change it.`,
		Example: `  mcpctl create proxymodel loud --stages compress,section-split
  mcpctl create proxymodel lean --stages section-split --controllers dispatch,gate`,
		Args:              factory.OneArg("NAME", &opts.Name),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := opts.check(); err != nil {
				return err
			}
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return modelRun(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringSliceVar(&opts.Stages, "stages", nil, "stages in order, by comma")
	cmd.Flags().StringSliceVar(&opts.Controllers, "controllers", nil, "controllers in order, by comma")
	_ = cmd.RegisterFlagCompletionFunc("stages", factory.ListOf(f.Names("transformer"))) // both fail only for an unknown flag
	_ = cmd.RegisterFlagCompletionFunc("controllers", factory.ListOf(f.Names("controller")))
	return cmd
}

func (o *ModelOptions) check() error {
	if len(o.Stages) == 0 {
		return problem.Usagef("create proxymodel needs --stages").WithHint("mcpctl get stages")
	}
	for i, c := range o.Controllers {
		if slices.Contains(o.Controllers[:i], c) {
			return problem.Usagef("--controllers names %q twice", c).WithHint("mcpctl create proxymodel --help")
		}
	}
	return nil
}

func modelRun(ctx context.Context, o *ModelOptions) error {
	s, done, err := o.F.Service(ctx)
	if err != nil {
		return err
	}
	defer done()
	err = checkTypes(ctx, s, o)
	if errors.Is(err, abi.ErrNotFound) { // a module may have been copied into the home a moment ago
		if err := s.Reload(ctx); err != nil {
			return err
		}
		err = checkTypes(ctx, s, o)
	}
	if err != nil {
		return err
	}
	hides, err := checkFree(ctx, s, o.Name)
	if err != nil {
		return err
	}
	req := api.ApplyRequest{File: o.Name + ".yaml", YAML: modelYAML(o)}
	if err := checkModel(ctx, s, req); err != nil {
		return err
	}
	home, err := o.F.Home()
	if err != nil {
		return err
	}
	if err := schemafile.Write(home); err != nil {
		return err
	}
	applied, err := s.Apply(ctx, req)
	if err != nil {
		return err
	}
	report.Applied(o.F.IO, applied, false)
	if hides {
		fmt.Fprintf(o.F.IO.ErrOut, "warning: it hides the built-in %q; mcpctl delete proxymodel %s brings that back\n", o.Name, o.Name)
	}
	return report.Invalid(ctx, s, applied)
}

// checkModel returns an error if the proxymodel would be invalid. Unlike with apply, no
// stage of it can come later: checkTypes found them all.
func checkModel(ctx context.Context, s api.Service, req api.ApplyRequest) error {
	req.DryRun = true
	applied, err := s.Apply(ctx, req)
	if err != nil || applied[0].Invalid == "" {
		return err
	}
	p := problem.New(abi.ErrConfig, "proxymodel %q would be invalid, nothing was written", applied[0].Name)
	p.Cause = strings.Join(applied[0].Warning, "; ")
	return p.WithHint("mcpctl get stages")
}

// checkTypes returns an error for a stage or controller that is not loaded.
func checkTypes(ctx context.Context, s api.Service, o *ModelOptions) error {
	known, err := s.Stages(ctx)
	if err != nil {
		return err
	}
	if err := checkStages(known, o.Stages); err != nil {
		return err
	}
	return checkControllers(known, o.Controllers)
}

// checkFree returns an error if a local file with that name exists, because it may be
// written by hand. A built-in model is only hidden.
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
	p := problem.New(abi.ErrConflict, "proxymodel %q exists already", name)
	p.Cause = "its file is " + o.File
	return false, p.WithHint("mcpctl delete proxymodel %s", name)
}

// modelYAML is written as a person would, to be edited by one.
func modelYAML(o *ModelOptions) string {
	var b strings.Builder
	b.WriteString(schemafile.InHome(object.KindProxyModel.SchemaFile()))
	fmt.Fprintf(&b, "# mcpctl describe stage %s lists its config; omitted values have their defaults\n", o.Stages[0])
	fmt.Fprintf(&b, "kind: ProxyModel\nmetadata:\n  name: %s\nspec:\n", quoted(o.Name))
	if len(o.Controllers) == 0 {
		b.WriteString("  controller: none\n")
	} else {
		b.WriteString("  controller:\n")
		types(&b, o.Controllers)
	}
	b.WriteString("  stages:\n")
	types(&b, o.Stages)
	b.WriteString("  appliesTo: [prompts, toolResults, resources]\n  cacheable: true\n")
	return b.String()
}

func types(b *strings.Builder, names []string) {
	for _, n := range names {
		fmt.Fprintf(b, "    - type: %s\n", quoted(n))
	}
}

func quoted(name string) []byte {
	text, _ := json.Marshal(name) // a string always encodes
	return text
}
