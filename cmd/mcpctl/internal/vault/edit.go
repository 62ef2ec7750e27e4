package vault

import (
	"errors"
	"path/filepath"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host/secret"
	"github.com/mcpctl/mcpctl/internal/atomicfile"
)

// Edit replaces the text of a home's secrets.yaml; see secret.Rewrite. Errors have the command
// that helps.
//
// Errors: abi.ErrDenied if other users can read the file, abi.ErrConfig for an invalid file or a
// dangling link, and those of edit. After an error the file is unchanged.
func Edit(home string, edit func(text []byte, known secret.Lookup) ([]byte, error)) error {
	path := filepath.Join(home, secret.FileName)
	file, err := atomicfile.Resolve(path)
	if err != nil {
		return problem.New(abi.ErrConfig, "%v", err).WithHint("ls -l %s", problem.Arg(path))
	}
	var editErr error
	err = secret.Rewrite(home, func(text []byte, known secret.File) ([]byte, error) {
		var edited []byte
		edited, editErr = edit(text, known.Lookup(nil))
		return edited, editErr
	})
	if editErr != nil && errors.Is(editErr, abi.ErrConfig) {
		return problem.From(editErr).WithHint("${EDITOR:-vi} %s", problem.Arg(file))
	}
	return err
}
