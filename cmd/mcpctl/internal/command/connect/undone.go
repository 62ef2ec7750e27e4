package connect

import (
	"fmt"
	"os"
	"runtime"
	"slices"

	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clientconfig"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/studiomcp"
)

// warnDoubled warns if undo restores entries while a changed entry of the project is kept.
func (opts *undoOptions) warnDoubled(project string, files []*clientconfig.File, notes []clientconfig.Note) error {
	i := slices.IndexFunc(notes, func(n clientconfig.Note) bool { return n.Entry == project && n.IsNew })
	isRestored := slices.ContainsFunc(files, (*clientconfig.File).Changed)
	if i < 0 || !isRestored || project == studiomcp.Name || project == hookOwner { // Model Studio replaces no entries
		return nil
	}
	client, scope, err := opts.findPlace(notes[i].Location)
	if err != nil || scope == "" {
		return err // another directory or account: no command here removes the entry
	}
	fmt.Fprintf(opts.f.IO.ErrOut, "warning: entry %q exists in addition to the restored entries: if it still runs mcpctl, the client has their tools twice\nnext: mcpctl disconnect %s --project %s --scope %s\n",
		iostreams.Line(project), client, problem.Arg(project), scope)
	return nil
}

// findPlace returns the client and the scope of a location, in this directory and environment. Both
// are empty if no client uses the location.
func (opts *undoOptions) findPlace(where clientconfig.Location) (client, scope string, err error) {
	home, err := opts.f.UserHome()
	if err != nil {
		return "", "", err
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", "", err
	}
	env := clients.Env{Home: home, Dir: dir, OS: runtime.GOOS, Var: opts.f.Env}
	for _, c := range clients.All() {
		for _, at := range c.Places(env) {
			if clientconfig.Resolve(at.File) == where.File && slices.Equal(at.Path, where.Path) {
				return c.Name, at.Scope, nil
			}
		}
	}
	return "", "", nil
}
