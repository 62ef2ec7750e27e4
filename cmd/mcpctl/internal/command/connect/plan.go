package connect

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clientconfig"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/host/object"
)

// plan is a pending change of a client's files.
type plan struct {
	opts    *Options
	backups clientconfig.Backups
	history clientconfig.History
	places  []clients.Place
	place   clients.Place // of the project's entry
	files   []*clientconfig.File
	served  clients.Served
}

func newPlan(opts *Options) (*plan, error) {
	b, err := backups(opts.F)
	return &plan{opts: opts, backups: b, places: opts.client.Places(opts.env)}, err
}

// file returns a file with the pending changes. It reads each file once.
func (p *plan) file(at clients.Place) (*clientconfig.File, error) {
	for _, f := range p.files {
		if f.Name == at.File {
			return f, nil
		}
	}
	f, err := clientconfig.Read(at.File, at.Syntax)
	if err != nil {
		return nil, err
	}
	p.files = append(p.files, f)
	return f, nil
}

// found is an entry at a place.
type found struct {
	at    clients.Place
	entry clientconfig.Entry
	spec  clients.Server // zero if the entry cannot be read

	written bool // written by an earlier connect of the project
}

// entries returns the entries of all places.
func (p *plan) entries() ([]found, error) {
	var list []found
	for _, at := range slices.Clone(p.places) {
		more, err := p.entriesAt(at)
		if err != nil && p.opts.isOtherFile(at) {
			p.skip(at, err)
			continue
		}
		if err != nil {
			return nil, clientconfig.InFile(at.File, err)
		}
		list = append(list, more...)
	}
	return list, nil
}

// entriesAt returns the entries of a place, with the pending changes.
func (p *plan) entriesAt(at clients.Place) ([]found, error) {
	f, err := p.file(at)
	if err != nil {
		return nil, err
	}
	entries, err := f.Entries(at.Path...)
	if err != nil {
		return nil, err
	}
	written, err := p.history.Written(f, at.Path...)
	var list []found
	for _, e := range entries {
		spec, err := p.opts.client.Read(e, at)
		if err != nil {
			spec = clients.Server{}
		}
		list = append(list, found{at, e, spec, slices.Contains(written, e.Name)})
	}
	return list, err
}

// isOtherFile reports whether the user selected a scope and the place is in a different file.
func (o *Options) isOtherFile(at clients.Place) bool {
	if o.Scope == "" {
		return false
	}
	target, err := o.place(o.Scope)
	return err == nil && target.File != at.File
}

// skip ignores an invalid file, so that it does not prevent changes to the others.
func (p *plan) skip(at clients.Place, err error) {
	p.places = slices.DeleteFunc(p.places, func(o clients.Place) bool { return o.File == at.File })
	bad := clientconfig.InFile(at.File, err)
	p.opts.warn("warning: %s at %s; entries in this file are unchanged", bad.Message, bad.At)
}

// isConnected reports whether disconnect has anything to do: the project's entry is in a file of
// the
// client, or entries that connect removed are not restored.
func (p *plan) isConnected() (bool, error) {
	list, err := p.entries()
	if err != nil || slices.ContainsFunc(list, p.opts.isOfProject) {
		return err == nil, err
	}
	return p.isRecorded()
}

// isRecorded reports whether the records of this home contain changes to the client's files that
// disconnect can revert.
func (p *plan) isRecorded() (known bool, err error) {
	if p.history, err = p.backups.History(p.opts.Project); err != nil || len(p.history) == 0 {
		return false, err
	}
	list, err := p.entries()
	isRemoved := func(at clients.Place) bool { return len(p.removedAt(at)) > 0 }
	known = slices.ContainsFunc(list, func(e found) bool { return e.written }) ||
		slices.ContainsFunc(p.places, isRemoved) || slices.ContainsFunc(p.elsewhere(), isRemoved)
	return known, err
}

// isOfProject reports whether an entry runs the project, in the selected scope.
func (o *Options) isOfProject(e found) bool {
	scope := o.Scope
	return (scope == "" || e.at.Scope == scope) && e.entry.Name == o.Project && e.spec.Runs(o.Project)
}

// connect writes the project's entries. It removes the client's own entries of the same servers and
// the entries of an earlier connect.
func (p *plan) connect() (err error) {
	if p.history, err = p.backups.History(p.opts.Project); err != nil {
		return err
	}
	replaced, err := p.replaced()
	if err != nil {
		return err
	}
	if p.place, err = p.opts.place(p.connectScope(replaced)); err != nil {
		return err
	}
	if err := p.checkName(replaced); err != nil {
		return err
	}
	wanted, err := p.opts.entries(p.place)
	if err != nil {
		return err
	}
	isWanted := func(name string) bool {
		return slices.ContainsFunc(wanted, func(e entry) bool { return e.name == name })
	}
	for _, e := range replaced {
		switch {
		case p.isTarget(e.at) && isWanted(e.entry.Name):
		case !p.place.Covers(e.at):
			p.explainUncovered(e, isWanted(e.entry.Name))
		default:
			if err := p.remove(e.at, e.entry.Name); err != nil {
				return err
			}
		}
	}
	f, err := p.file(p.place)
	for _, e := range wanted {
		if err == nil {
			err = f.Set(e.name, e.value, p.place.Path...)
		}
	}
	if err != nil {
		return clientconfig.InFile(p.place.File, err)
	}
	return p.explainDoubled()
}

// isTarget reports whether a place is the place of the project's entry.
func (p *plan) isTarget(at clients.Place) bool {
	return at.File == p.place.File && slices.Equal(at.Path, p.place.Path)
}

// checkName returns an error if an entry with the project's name is neither an entry of mcpctl nor
// one
// that the project replaces.
func (p *plan) checkName(replaced []found) error {
	if p.opts.details.ProxyMode == object.ModeDirect {
		return nil // the entries have the names of servers
	}
	hasName := func(e found) bool { return e.entry.Name == p.opts.Project && p.isTarget(e.at) }
	list, err := p.entriesAt(p.place)
	if err != nil {
		return clientconfig.InFile(p.place.File, err)
	}
	i := slices.IndexFunc(list, hasName)
	if i < 0 || list[i].spec.IsMcpctl() || p.opts.isOfProject(list[i]) || slices.ContainsFunc(replaced, hasName) {
		return nil
	}
	return newForeignError(list[i], `rename it in the file, or add its server to the project with "mcpctl import"`)
}

// connectScope returns the selected scope; otherwise user if servers of the project were imported
// from
// there; otherwise the scope of the project's last connection; otherwise the client's default.
func (p *plan) connectScope(replaced []found) string {
	switch {
	case p.opts.Scope != "":
		return p.opts.Scope
	case slices.ContainsFunc(replaced, func(e found) bool { return e.at.Scope == clients.User }):
		return clients.User
	}
	for _, l := range p.history.Writings() {
		for _, at := range p.places {
			if clientconfig.Resolve(at.File) == l.File && slices.Equal(at.Path, l.Path) {
				return at.Scope
			}
		}
	}
	return p.places[0].Scope
}

// replaced returns the entries that the project's entry replaces.
func (p *plan) replaced() ([]found, error) {
	list, err := p.entries()
	if err != nil {
		return nil, err
	}
	servers, err := p.opts.servers()
	if err != nil {
		return nil, err
	}
	p.served = clients.NewServed(p.opts.Project, p.opts.Project, p.opts.details)
	var out []found
	for _, e := range list {
		if name, ok := servers.Match(e.spec, p.opts.details.Servers); ok {
			p.served.Servers[e.entry.Name] = name
		}
		imported := p.opts.details.ProxyMode != object.ModeDirect && !p.opts.Keep && !e.spec.IsMcpctl() && !e.spec.Disabled && p.opts.runsServer(servers, e.spec)
		if e.written || imported {
			out = append(out, e)
		}
	}
	return out, nil
}

func (p *plan) remove(at clients.Place, name string) error {
	f, err := p.file(at)
	if err == nil {
		err = f.Remove(name, at.Path...)
	}
	if errors.Is(err, clientconfig.ErrInline) {
		p.opts.warn("warning: entry %q of %s was kept because it is not a separate table: remove it manually, otherwise the client has its tools twice", name, at.File)
		return nil
	}
	if err != nil {
		return clientconfig.InFile(at.File, err)
	}
	return nil
}

// disconnect removes the project's entries and restores the entries that connect removed.
func (p *plan) disconnect() (err error) {
	if p.history, err = p.backups.History(p.opts.Project); err != nil {
		return err
	}
	list, err := p.entries()
	if err != nil {
		return err
	}
	if p.place, err = p.opts.place(p.disconnectScope(list)); err != nil {
		return err
	}
	servers, err := p.opts.servers()
	if err != nil {
		return err
	}
	for _, e := range list {
		if !p.isTarget(e.at) {
			continue
		}
		isDirect := p.opts.details.ProxyMode == object.ModeDirect && p.opts.runsServer(servers, e.spec)
		switch {
		case e.written || isDirect || p.opts.isOfProject(e):
			err = p.remove(e.at, e.entry.Name)
		case e.entry.Name == p.opts.Project:
			err = newForeignError(e, "connect did not write it, or it has changed since")
		}
		if err != nil {
			return err
		}
	}
	return p.restore()
}

// newForeignError returns the error for an entry with the project's name that runs something else.
func newForeignError(e found, cause string) error {
	err := problem.New(abi.ErrConflict, "entry %q of %s does not run mcpctl, nothing was changed", e.entry.Name, e.at.File)
	err.Cause = cause
	return err.WithHint("${EDITOR:-vi} %s", problem.Arg(e.at.File))
}

// disconnectScope returns the selected scope, otherwise that of the project's entry.
func (p *plan) disconnectScope(list []found) string {
	first := p.places[0].Scope
	for _, e := range slices.Backward(list) {
		if e.written || p.opts.isOfProject(e) {
			first = e.at.Scope
		}
	}
	return cmp.Or(p.opts.Scope, first)
}

// write shows the change, asks for confirmation, and writes the files.
func (p *plan) write() error {
	changed := slices.DeleteFunc(slices.Clone(p.files), func(f *clientconfig.File) bool { return !f.Changed() })
	switch {
	case len(changed) == 0 && p.opts.Remove:
		p.opts.warn("%s has no entry of %s: nothing to remove", p.opts.client.Title, p.opts.subject())
		if !p.opts.isExtra() {
			p.explainOtherAccount()
		}
		return nil
	case len(changed) == 0:
		p.opts.warn("%s is already up to date", p.place.File)
		if !p.opts.isExtra() {
			p.explainRules()
		}
		return nil
	}
	var names []string
	for _, f := range changed {
		if _, err := f.Target(); err != nil {
			return err
		}
		printDiff(p.opts.F.IO, f)
		names = append(names, f.Name)
	}
	if !p.opts.Remove && !p.opts.isExtra() {
		p.explainRemoved(changed)
		p.explainRules()
	}
	if p.opts.DryRun {
		return nil
	}
	all := strings.Join(names, " and ")
	if ok, err := p.opts.F.Confirm(p.opts.Yes, "Write %s?", all); !ok || err != nil {
		return err
	}
	if err := p.backups.Write(p.opts.owner(), changed...); err != nil {
		return problem.From(err).WithHint("%s", p.opts.command())
	}
	p.opts.warn("wrote %s; \"mcpctl undo\" reverts this change", all)
	return p.advise()
}
