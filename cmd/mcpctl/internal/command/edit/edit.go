// Package edit implements `mcpctl edit`, which opens an object in the user's editor.
package edit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/kinds"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/report"
)

// Options contains the arguments and flags.
type Options struct {
	F       *factory.Factory
	Kind    string
	Name    string
	Project string
}

// NewCmdEdit creates the command. If runF is not nil, it is called instead of the implementation.
func NewCmdEdit(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	opts := &Options{F: f}
	cmd := &cobra.Command{
		Use:   "edit KIND NAME",
		Short: "Change an object in your editor",
		Long: `Open an object in $VISUAL or $EDITOR and apply it when the editor exits. If the text is invalid, it is opened again with
the error above it; leaving it unchanged ends the command and keeps the text in a file. A prompt is edited as Markdown
with its fields at the top. Editing a prompt of the project mcpctl-system changes the texts of the gate; deleting it
restores the built-in text.`,
		Example: `  mcpctl edit prompt rules --project home
  mcpctl edit prompt gate-instructions
  mcpctl edit project home`,
		Args: func(_ *cobra.Command, args []string) error {
			kind, names, err := kinds.Named("edit", args)
			if err == nil && len(names) > 1 {
				err = problem.Usagef("edit takes one object, got %d", len(names)).WithHint("mcpctl edit %s %s", kind, names[0])
			}
			if err == nil {
				opts.Kind, opts.Name = kind, names[0]
			}
			return err
		},
		ValidArgsFunction: kinds.Complete(f),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if opts.Kind == "stage" {
				return problem.New(abi.ErrDenied, "a stage is a module without text").WithHint("mcpctl describe stage %s", opts.Name)
			}
			if runF != nil {
				return runF(cmd.Context(), opts)
			}
			return editRun(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringVarP(&opts.Project, "project", "p", "", "project of a prompt, if the name is not unique")
	_ = cmd.RegisterFlagCompletionFunc("project", f.Names("project")) // fails only for an unknown flag
	return cmd
}

func editRun(ctx context.Context, opts *Options) error {
	s, done, err := opts.F.Service(ctx)
	if err != nil {
		return err
	}
	defer done()
	home, err := opts.F.Home()
	if err != nil {
		return err
	}
	o, err := s.Object(ctx, opts.Kind, opts.Project, opts.Name)
	if errors.Is(err, abi.ErrConfig) { // its file is invalid and has never been valid
		d, err := draftOfFile(home, opts)
		if err != nil {
			return err
		}
		return loop(ctx, opts.F, s, d)
	}
	if err != nil {
		return err
	}
	if o.Source == "built-in" && o.Kind != "prompt" {
		return problem.New(abi.ErrDenied, "%s %q is built in", o.Kind, o.Name).
			WithHint("mcpctl get %s %s -o yaml > %s.yaml", o.Kind, o.Name, o.Name)
	}
	d, err := newDraft(home, o)
	if err != nil {
		return err
	}
	return loop(ctx, opts.F, s, d)
}

// loop opens the draft in the editor until it can be applied or is left unchanged.
func loop(ctx context.Context, f *factory.Factory, s api.Service, d *draft) error {
	dir, err := os.MkdirTemp("", "mcpctl-edit-") // mode 0700, because the text may contain credentials
	if err != nil {
		return err
	}
	file := d.path(dir)
	shown, last := d.text, error(nil)
	for {
		after, err := openEditor(ctx, f, file, shown)
		same := withoutErrors(after) == withoutErrors(shown)
		switch {
		case err != nil:
			return kept(err, file)
		case same && last == nil:
			fmt.Fprintln(f.IO.ErrOut, "edit cancelled: nothing changed")
			return os.RemoveAll(dir)
		case same:
			return kept(last, file)
		}
		applied, err := d.apply(ctx, s, after)
		if err == nil {
			report.Applied(f.IO, applied, false)
			return errors.Join(report.Invalid(ctx, s, applied), os.RemoveAll(dir))
		}
		if errors.Is(err, abi.ErrConflict) { // another attempt would overwrite the present object
			return kept(problem.From(err).WithHint("%s", d.compare(file)), file)
		}
		last, shown = err, d.withError(after, err)
	}
}

// kept adds the path of the edited text to an error.
func kept(err error, file string) error {
	p := *problem.From(err)
	note := "your text was saved in " + file
	if p.Cause != "" {
		note = p.Cause + "; " + note
	}
	p.Cause = note
	return &p
}

// openEditor opens a text in the user's editor and returns the edited text.
func openEditor(ctx context.Context, f *factory.Factory, file, text string) (string, error) {
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return "", err
	}
	editor := f.Env("VISUAL")
	if editor == "" {
		editor = f.Env("EDITOR")
	}
	if editor == "" {
		editor = "vi"
	}
	// The variable may contain flags, so a shell parses it, as in git and kubectl.
	cmd := exec.CommandContext(ctx, "sh", "-c", editor+` "$1"`, "sh", file)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = f.IO.Inherited(), f.IO.Out, f.IO.ErrOut
	if err := cmd.Run(); err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return "", problem.New(abi.ErrUnavailable, "editor %q exited with status %d", editor, exit.ExitCode()).WithHint("export EDITOR=vi")
		}
		return "", err
	}
	b, err := os.ReadFile(file)
	return string(b), err
}
