package connect

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clientconfig"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/studiomcp"
)

// studioPlan is a pending change of the entry of Model Studio.
type studioPlan struct{ *plan }

// connect writes the entry of Model Studio. A client has one at most: the entry
// replaces that of another project. Unlike the entry of a project it replaces no servers.
func (p studioPlan) connect() error {
	list, err := p.entries()
	if err != nil {
		return err
	}
	if p.place, err = p.opts.place(p.scope(list)); err != nil {
		return err
	}
	for _, e := range list {
		switch {
		case p.isTarget(e.at) && !e.spec.IsStudio():
			return newForeignError(e, "rename it in the file")
		case p.isTarget(e.at) || !e.spec.IsStudio():
		case p.place.Covers(e.at):
			err = p.remove(e.at, e.entry.Name)
		default:
			p.opts.warn("note: entry %q (%s) was kept because other directories use it", e.entry.Name, e.at.Scope)
		}
		if err != nil {
			return err
		}
	}
	return p.set()
}

func (p studioPlan) set() error {
	s, err := p.opts.ownEntry(p.place, "console", "--model-studio", p.opts.Project, "--stdin-mcp")
	if err != nil {
		return err
	}
	value, err := p.opts.client.Write(s)
	if err != nil {
		return problem.From(err).WithHint("%s", p.opts.command())
	}
	f, err := p.file(p.place)
	if err == nil {
		err = f.Set(studiomcp.Name, value, p.place.Path...)
	}
	if err != nil {
		return clientconfig.InFile(p.place.File, err)
	}
	return nil
}

// disconnect removes the entry of Model Studio and writes the file.
func (p studioPlan) disconnect() error {
	list, err := p.entries()
	if err != nil {
		return err
	}
	if p.place, err = p.opts.place(p.scope(list)); err != nil {
		return err
	}
	for _, e := range list {
		if !p.isTarget(e.at) {
			continue
		}
		if !e.spec.IsStudio() {
			return newForeignError(e, "connect did not write it, or it has changed since")
		}
		if err := p.remove(e.at, e.entry.Name); err != nil {
			return err
		}
	}
	return p.write()
}

// entries returns the entries with the name of Model Studio.
func (p studioPlan) entries() ([]found, error) {
	list, err := p.plan.entries()
	return slices.DeleteFunc(list, func(e found) bool { return e.entry.Name != studiomcp.Name }), err
}

// scope returns the selected scope, otherwise that of the present entry, otherwise the
// default of the client.
func (p studioPlan) scope(list []found) string {
	first := p.places[0].Scope
	if i := slices.IndexFunc(list, func(e found) bool { return e.spec.IsStudio() }); i >= 0 {
		first = list[i].at.Scope
	}
	return cmp.Or(p.opts.Scope, first)
}

// isExtra reports whether the command is about an entry beside that of the project.
func (opts *Options) isExtra() bool { return opts.Studio || opts.Hook }

// owner returns the name under which changes are recorded: the project, Model Studio or the hook.
// Their entries are separate, so that a disconnect of the project does not remove them.
func (opts *Options) owner() string {
	switch {
	case opts.Studio:
		return studiomcp.Name
	case opts.Hook:
		return hookOwner
	}
	return opts.Project
}

// subject returns the name of the entry, for messages.
func (opts *Options) subject() string {
	switch {
	case opts.Studio:
		return "Model Studio"
	case opts.Hook:
		return "the hook"
	}
	return fmt.Sprintf("project %q", opts.Project)
}

// command returns the command line that repeats the command.
func (opts *Options) command() string {
	text := fmt.Sprintf("mcpctl %s %s", opts.verb(), opts.Client)
	if opts.Project != "" {
		text += " --project " + problem.Arg(opts.Project)
	}
	if opts.Studio {
		text += " --studio"
	}
	if opts.Hook {
		text += " --hook"
	}
	return text
}
