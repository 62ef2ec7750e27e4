package clients

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clientconfig"
)

// Approvals is the set of entries of a shared file that a user of Claude Code has rejected or
// approved. The zero value contains no decisions.
type Approvals struct {
	refused, approved []string
	all               bool // the user approved all entries
}

// IsRefused reports whether the user rejected an entry.
func (a Approvals) IsRefused(name string) bool { return slices.Contains(a.refused, name) }

// IsPending reports whether the user approved other entries but not this one.
func (a Approvals) IsPending(name string) bool {
	return !a.all && len(a.approved) > 0 && !slices.Contains(a.approved, name)
}

// ReadApprovals reads the decisions about the entries of a place. Only Claude Code has them, for
// .mcp.json: in its own file and in its settings files. It returns the errors of the files that it
// skipped.
func (c Client) ReadApprovals(e Env, at Place) (a Approvals, skipped []error) {
	if c.Name != "claude-code" || filepath.Base(at.File) != ".mcp.json" {
		return a, nil
	}
	e.Dir = at.Dir
	sources := []clientconfig.Location{
		{File: filepath.Join(e.Dir, ".claude", "settings.json")},
		{File: filepath.Join(e.Dir, ".claude", "settings.local.json")},
	}
	if e.Home != "" || e.Var(c.DirVariable) != "" {
		sources = append(sources,
			clientconfig.Location{File: filepath.Join(e.directory(c.DirVariable, e.Home), ".claude.json"), Path: []string{"projects", e.Dir}},
			clientconfig.Location{File: filepath.Join(e.directory(c.DirVariable, filepath.Join(e.Home, ".claude")), "settings.json")})
	}
	for _, from := range sources {
		if err := a.add(from); err != nil {
			skipped = append(skipped, clientconfig.InFile(from.File, err))
		}
	}
	return a, skipped
}

// add reads the decisions of one file. It ignores a file that does not exist.
func (a *Approvals) add(from clientconfig.Location) error {
	text, err := clientconfig.ReadFile(from.File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	settings, _, err := clientconfig.JSON.Entries(text, from.Path)
	if err != nil {
		return err
	}
	for _, s := range settings {
		var names []string
		var all bool
		switch s.Name {
		case "disabledMcpjsonServers":
			err = json.Unmarshal(s.Raw, &names)
			a.refused = append(a.refused, names...)
		case "enabledMcpjsonServers":
			err = json.Unmarshal(s.Raw, &names)
			a.approved = append(a.approved, names...)
		case "enableAllProjectMcpServers":
			err = json.Unmarshal(s.Raw, &all)
			a.all = a.all || all
		}
		if err != nil {
			return fmt.Errorf("%w: %s has a wrong type", abi.ErrConfig, s.Name)
		}
	}
	return nil
}
