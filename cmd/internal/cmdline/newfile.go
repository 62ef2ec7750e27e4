package cmdline

import (
	"errors"
	"io/fs"
	"os"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// CheckNewFile returns an error for a file that a command must not write: one that exists, unless
// force is set by the flag --force, and one that is not regular.
//
// Errors: abi.ErrConflict; *fs.PathError.
func CheckNewFile(file string, force bool) error {
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		p := problem.New(abi.ErrConflict, "%s exists and is not a regular file", file)
		p.Cause = "only a regular file is replaced"
		return p.WithHint("ls -ld %s", problem.Arg(file))
	case !force:
		p := problem.New(abi.ErrConflict, "%s exists", file)
		p.Cause = "a file is replaced only with --force"
		return p.WithHint("ls -l %s", problem.Arg(file))
	}
	return nil
}
