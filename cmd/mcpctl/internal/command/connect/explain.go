package connect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clientconfig"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/host/object"
)

// explainRemoved reports the removed entries and the reason.
func (p *plan) explainRemoved(changed []*clientconfig.File) {
	for _, f := range changed {
		removed := removedNames(f.Changes)
		if len(removed) == 0 {
			continue
		}
		p.explainWidened(f)
		if p.place.Scope != clients.Project && p.isShared(f) {
			p.explainShared(f, removed)
		}
		p.opts.warn("removed from %s, because project %q replaces them: %s (--keep keeps the client's own entries)",
			iostreams.Line(f.Name), p.opts.Project, strings.Join(removed, ", "))
	}
}

// explainWidened warns that the project's entry for all directories replaces entries of this
// directory.
func (p *plan) explainWidened(f *clientconfig.File) {
	local, ok := p.opts.client.Place(p.opts.env, clients.Local)
	if !ok || p.place.Scope != clients.User {
		return
	}
	narrow := slices.DeleteFunc(slices.Clone(f.Changes), func(c clientconfig.Change) bool {
		return f.Name != local.File || !slices.Equal(c.Path, local.Path)
	})
	if names := removedNames(narrow); len(names) > 0 {
		p.opts.warn("warning: %s has %s only for this directory, but project %q will serve all of its servers in all directories; use --scope local to connect only this directory",
			iostreams.Line(f.Name), strings.Join(names, ", "), p.opts.Project)
	}
}

// explainShared warns that servers are removed from a shared file.
func (p *plan) explainShared(f *clientconfig.File, removed []string) {
	where := "in this directory"
	if p.place.Scope == clients.User {
		where = "in all directories"
	}
	p.opts.warn("warning: %s, which may be shared with others, loses %s: project %q will serve them %s, but only to you; use --keep to leave the file unchanged, or --scope project to add the project to it",
		iostreams.Line(f.Name), strings.Join(removed, ", "), p.opts.Project, where)
}

// isShared reports whether a file contains entries of a directory for all users.
func (p *plan) isShared(f *clientconfig.File) bool {
	return slices.ContainsFunc(p.places, func(at clients.Place) bool { return at.File == f.Name && at.Scope == clients.Project })
}

// removedNames returns the names of removed entries, quoted.
func removedNames(changes []clientconfig.Change) (names []string) {
	for _, c := range changes {
		if c.New == nil {
			names = append(names, iostreams.Line(fmt.Sprintf("%q", c.Name)))
		}
	}
	return names
}

// explainUncovered reports an entry for all directories that is kept, because the project's entry
// is
// only for this directory.
func (p *plan) explainUncovered(e found, isWanted bool) {
	if isWanted && p.opts.client.OneByName {
		p.opts.warn("note: entry %q (%s) was kept because other directories use it; in this one %s uses only entry %q (%s)",
			e.entry.Name, e.at.Scope, p.opts.client.Title, e.entry.Name, p.place.Scope)
		return
	}
	p.opts.warn("warning: entry %q was kept because other directories use it; here the client has its tools twice\n"+
		"  to replace it in all directories: mcpctl connect %s --project %s --scope user", e.entry.Name, p.opts.Client, problem.Arg(p.opts.Project))
}

// explainRules reports the permission rules for the client's own entries, which do not apply to the
// tools of the project.
func (p *plan) explainRules() {
	opts := p.opts
	if opts.details.ProxyMode == object.ModeDirect {
		return
	}
	stale, skipped := opts.client.StaleRules(opts.env, p.served)
	for _, err := range skipped {
		bad := problem.From(err)
		opts.warn("warning: %s", iostreams.Line(fmt.Sprintf("permission rules in %s are not checked: %s", bad.At, bad.Message)))
	}
	if len(stale) == 0 {
		return
	}
	opts.warn("warning: permission rules of %s do not apply to the tools of project %q, which have different names; mcpctl does not change these files, add the rules yourself:", opts.client.Title, opts.Project)
	for _, r := range stale {
		opts.warn("  %s", iostreams.Line(fmt.Sprintf("%s: for %s add %s (%s)", r.List, r.Text, r.New, r.File)))
	}
}

// explainDoubled warns about remaining entries that may give the client tools twice: servers with
// the
// same names but other settings, and other projects with the same servers.
func (p *plan) explainDoubled() error {
	list, err := p.entries()
	if err != nil {
		return err
	}
	servers, err := p.opts.servers()
	if err != nil {
		return err
	}
	home, err := p.opts.F.Home()
	if err != nil {
		return err
	}
	for _, e := range list {
		if e.spec.Disabled {
			continue
		}
		p.explainDiffering(e, servers)
		other, ok := p.opts.others[e.spec.Project()]
		if ok && other.ProxyMode != object.ModeDirect && e.spec.Home(e.at, p.opts.env, home) == home {
			p.explainSharing(e, other)
		}
	}
	return nil
}

// explainDiffering warns about an entry with the name of a server of the project but other
// settings.
func (p *plan) explainDiffering(e found, servers *clients.Servers) {
	if p.opts.Keep || p.opts.details.ProxyMode == object.ModeDirect || e.spec.IsMcpctl() || !slices.Contains(p.opts.details.Servers, e.entry.Name) {
		return
	}
	if fields := servers.Differences(e.spec, e.entry.Name); len(fields) > 0 {
		p.opts.warn("warning: entry %q was kept in %s because it differs from server %s of project %q (%s): the client may have its tools twice\n"+
			"  remove it there if the project should serve it; to have both in the project: mcpctl import %s --rename %s --project %s",
			e.entry.Name, iostreams.Line(e.at.File), e.entry.Name, p.opts.Project, iostreams.Line(strings.Join(fields, ", ")),
			problem.Arg(e.at.File), problem.Arg(e.entry.Name+"="+e.entry.Name+"-2"), problem.Arg(p.opts.Project))
	}
}

// explainSharing warns about an entry of another project that shares servers with this one.
func (p *plan) explainSharing(e found, other api.ProjectDetails) {
	if shared := clients.SharedServers(p.opts.details, other); shared != "" {
		project := e.spec.Project()
		p.opts.warn("warning: %s in project %q and in project %q, to which entry %q (%s) connects: %s has these tools twice\n"+
			"  to have them once: mcpctl disconnect %s --project %s --scope %s",
			shared, p.opts.Project, project, e.entry.Name, e.at.Scope, p.opts.client.Title, p.opts.Client, problem.Arg(project), e.at.Scope)
	}
}
