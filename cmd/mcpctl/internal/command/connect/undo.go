package connect

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clientconfig"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
)

func backups(f *factory.Factory) (clientconfig.Backups, error) {
	home, err := f.Home()
	return clientconfig.Backups{Dir: filepath.Join(home, "backups"), Now: time.Now}, err
}

// undoOptions contains the flags of undo.
type undoOptions struct {
	f           *factory.Factory
	restoreFile bool
	yes         bool
	dryRun      bool
	force       bool // flag of earlier versions that overwrote the file
}

// NewCmdUndo creates the command.
func NewCmdUndo(f *factory.Factory) *cobra.Command {
	opts := &undoOptions{f: f}
	cmd := &cobra.Command{
		Use:   "undo",
		Short: "Revert the last change of a client's configuration",
		Long: `Revert the last connect or disconnect: remove the entries that it wrote, and restore the entries that it removed. If a
file has not changed since, the result is identical to the original, byte for byte. Otherwise all later changes by the
client or by you are kept. Each further undo reverts the change before.
--restore-file restores the whole file from the copy instead. It shows the difference and asks for confirmation, because
later changes to the file are lost; the overwritten file is kept in the directory of the copy.`,
		Example: `  mcpctl undo
  mcpctl undo --dry-run
  mcpctl undo --restore-file --yes`,
		Args: factory.ExactArgs(),
		RunE: func(*cobra.Command, []string) error {
			b, err := backups(f)
			if err != nil {
				return err
			}
			r, err := b.Last()
			if errors.Is(err, abi.ErrNotFound) {
				return problem.From(err).WithHint("mcpctl connect --help")
			}
			if err != nil {
				return err
			}
			if opts.force && !opts.restoreFile {
				fmt.Fprintln(f.IO.ErrOut, "warning: --force has no effect: undo keeps changes by others; to overwrite them: mcpctl undo --restore-file")
			}
			if opts.restoreFile {
				return opts.restore(b, r)
			}
			return opts.revert(r)
		},
	}
	fl := cmd.Flags()
	fl.BoolVar(&opts.restoreFile, "restore-file", false, "restore the whole file from the copy")
	fl.BoolVarP(&opts.yes, "yes", "y", false, "do not ask (with --restore-file)")
	fl.BoolVar(&opts.dryRun, "dry-run", false, "show the change without writing it")
	fl.BoolVar(&opts.force, "force", false, "no effect; see --restore-file")
	_ = fl.MarkHidden("force") // fails only for an unknown flag
	return cmd
}

// revert reverts the changes of mcpctl and keeps all others.
func (opts *undoOptions) revert(r *clientconfig.Record) error {
	files, notes, err := r.Revert()
	if errors.Is(err, abi.ErrConflict) {
		return problem.From(err).WithHint("mcpctl undo --restore-file")
	}
	if err != nil {
		return err
	}
	for _, f := range files {
		printDiff(opts.f.IO, f)
	}
	for _, note := range notes {
		fmt.Fprintf(opts.f.IO.ErrOut, "note: %s\n", iostreams.Line(note.String()))
	}
	if err := opts.warnDoubled(r.Project, files, notes); err != nil {
		return err
	}
	if opts.dryRun {
		return nil
	}
	if err := r.Apply(files); err != nil {
		return err
	}
	for _, f := range files {
		fmt.Fprintf(opts.f.IO.Out, "%s %s\n", outcome(f), f.Name)
	}
	return nil
}

func outcome(f *clientconfig.File) string {
	switch {
	case !f.Changed():
		return "nothing to undo in"
	case !f.Exists:
		return "removed"
	}
	return "restored"
}

// restore restores whole files.
func (opts *undoOptions) restore(b clientconfig.Backups, r *clientconfig.Record) error {
	files, err := r.Restore()
	if errors.Is(err, abi.ErrNotFound) {
		return problem.From(err).WithHint("mcpctl undo")
	}
	if err != nil {
		return err
	}
	var names []string
	for _, f := range files {
		printDiff(opts.f.IO, f)
		names = append(names, f.Name)
	}
	if opts.dryRun {
		return nil
	}
	if ok, err := opts.f.Confirm(opts.yes, "Overwrite %s?", strings.Join(names, " and ")); !ok || err != nil {
		return err
	}
	kept, err := b.Keep(files)
	if err != nil {
		return err
	}
	if err := r.Apply(files); err != nil {
		return err
	}
	for _, f := range files {
		fmt.Fprintf(opts.f.IO.Out, "restored %s\n", f.Name)
	}
	for _, name := range kept {
		fmt.Fprintf(opts.f.IO.ErrOut, "the overwritten file is kept as %s\n", name)
	}
	return nil
}
