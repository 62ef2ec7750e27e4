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

// plan is a change of a client's files before it is written.
type plan struct {
	opts    *Options
	backups clientconfig.Backups
	history clientconfig.History
	places  []clients.Place
	place   clients.Place // of the project's entry
	files   []*clientconfig.File
}

func newPlan(opts *Options) (*plan, error) {
	b, err := backups(opts.F)
	return &plan{opts: opts, backups: b, places: opts.client.Places(opts.env)}, err
}

// file reads each file once, with the changes so far.
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

// found is an entry of a place.
type found struct {
	at    clients.Place
	entry clientconfig.Entry
	spec  clients.Server // zero if the entry cannot be read

	written bool // an earlier connect of the project wrote it
}

// entries lists the entries of all places.
func (p *plan) entries() ([]found, error) {
	var list []found
	for _, at := range slices.Clone(p.places) {
		f, err := p.file(at)
		if err != nil {
			return nil, err
		}
		entries, err := f.Entries(at.Path...)
		if err != nil && p.isOtherFile(at) {
			p.skip(at, err)
			continue
		}
		if err != nil {
			return nil, clientconfig.InFile(at.File, err)
		}
		written, err := p.history.Written(f, at.Path...)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			spec, err := p.opts.client.Read(e, at)
			if err != nil {
				spec = clients.Server{}
			}
			list = append(list, found{at, e, spec, slices.Contains(written, e.Name)})
		}
	}
	return list, nil
}

// isOtherFile reports whether a place is in another file than that of the scope which is
// given.
func (p *plan) isOtherFile(at clients.Place) bool {
	if p.opts.Scope == "" {
		return false
	}
	target, err := p.opts.place(p.opts.Scope)
	return err == nil && target.File != at.File
}

// skip leaves an invalid file out: it does not keep the project out of the others.
func (p *plan) skip(at clients.Place, err error) {
	p.places = slices.DeleteFunc(p.places, func(o clients.Place) bool { return o.File == at.File })
	bad := clientconfig.InFile(at.File, err)
	p.opts.warn("warning: %s at %s; entries in this file stay", bad.Message, bad.At)
}

// hasEntry reports whether the project's entry is in a file of the client.
func (p *plan) hasEntry() (bool, error) {
	list, err := p.entries()
	return slices.ContainsFunc(list, p.isOfProject), err
}

func (p *plan) isOfProject(e found) bool {
	scope := p.opts.Scope
	return (scope == "" || e.at.Scope == scope) && e.entry.Name == p.opts.Project && e.spec.Runs(p.opts.Project)
}

// connect writes the project's entries, and removes the client's own entries of the same
// servers and those that an earlier connect wrote.
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
	wanted, err := p.opts.entries(p.place)
	if err != nil {
		return err
	}
	isWanted := func(name string) bool {
		return slices.ContainsFunc(wanted, func(e entry) bool { return e.name == name })
	}
	for _, e := range replaced {
		switch {
		case e.at.File == p.place.File && slices.Equal(e.at.Path, p.place.Path) && isWanted(e.entry.Name):
		case !p.place.Covers(e.at):
			p.opts.warn("warning: entry %q stays, for other directories use it; here the client has its tools twice\n"+
				"  in all directories the project replaces it: mcpctl connect %s --project %s --scope user", e.entry.Name, p.opts.Client, p.opts.Project)
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
	return nil
}

// connectScope is the scope that is given; else user, if servers of the project were
// imported from there; else the client's first one.
func (p *plan) connectScope(replaced []found) string {
	first := p.places[0].Scope
	if p.opts.Scope == "" && slices.ContainsFunc(replaced, func(e found) bool { return e.at.Scope == clients.User }) {
		first = clients.User
	}
	return cmp.Or(p.opts.Scope, first)
}

// replaced lists the entries that the project's entry replaces.
func (p *plan) replaced() ([]found, error) {
	list, err := p.entries()
	if err != nil {
		return nil, err
	}
	servers, err := p.opts.servers()
	if err != nil {
		return nil, err
	}
	var out []found
	for _, e := range list {
		imported := p.opts.details.ProxyMode != object.ModeDirect && !p.opts.Keep && !e.spec.IsOurs() && !e.spec.Disabled && p.opts.runsServer(servers, e.spec)
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
		p.opts.warn("warning: entry %q of %s stays, since it is not a table of its own: remove it by hand, else the client has its tools twice", name, at.File)
		return nil
	}
	if err != nil {
		return clientconfig.InFile(at.File, err)
	}
	return nil
}

// disconnect removes the project's entries, and puts back those that connect removed.
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
		if e.at.File != p.place.File || !slices.Equal(e.at.Path, p.place.Path) {
			continue
		}
		isDirect := p.opts.details.ProxyMode == object.ModeDirect && p.opts.runsServer(servers, e.spec)
		switch {
		case e.written || isDirect || p.isOfProject(e):
			err = p.remove(e.at, e.entry.Name)
		case e.entry.Name == p.opts.Project:
			err = p.foreign(e)
		}
		if err != nil {
			return err
		}
	}
	return p.putBack()
}

// foreign is the error for an entry with the project's name that runs something else.
func (p *plan) foreign(e found) error {
	err := problem.New(abi.ErrConflict, "entry %q of %s does not run mcpctl, nothing was changed", e.entry.Name, e.at.File)
	err.Cause = "connect did not write it, or it was changed since"
	return err.WithHint("mcpctl connect %s --project %s --dry-run", p.opts.Client, p.opts.Project)
}

// disconnectScope is the scope that is given; else that of the project's entry.
func (p *plan) disconnectScope(list []found) string {
	first := p.places[0].Scope
	for _, e := range slices.Backward(list) {
		if e.written || p.isOfProject(e) {
			first = e.at.Scope
		}
	}
	return cmp.Or(p.opts.Scope, first)
}

// putBack restores the entries that connect removed, unless an entry of the project that
// replaces them is left.
func (p *plan) putBack() error {
	for _, at := range p.places {
		if p.opts.Scope != "" && !p.place.Covers(at) {
			continue
		}
		if err := p.putBackAt(at); err != nil {
			return err
		}
	}
	if p.place.Scope != clients.User {
		return nil
	}
	for _, at := range p.elsewhere() { // in other directories, which the entry served as well
		left, err := p.isLeft(at)
		if err == nil && !left {
			err = p.putBackAt(at)
		}
		if err != nil {
			p.opts.warn("warning: the entries that connect removed from %s are not restored: %v", at.File, err)
		}
	}
	return nil
}

func (p *plan) putBackAt(at clients.Place) error {
	f, err := p.file(at)
	if err != nil {
		return err
	}
	for _, c := range p.history.Removed(f, at.Path...) {
		if err := f.Restore(c); err != nil {
			return clientconfig.InFile(at.File, err)
		}
	}
	return nil
}

// elsewhere lists the places of the client in other directories from which connect has
// removed entries.
func (p *plan) elsewhere() []clients.Place {
	var list []clients.Place
	for _, removal := range p.history.Removals() {
		isHere := slices.ContainsFunc(p.places, func(at clients.Place) bool {
			return clientconfig.Resolve(at.File) == removal.File && slices.Equal(at.Path, removal.Path)
		})
		sources := clients.SourcesOf(removal.File, p.opts.env)
		i := slices.IndexFunc(sources, func(s clients.Source) bool { return s.Client.Name == p.opts.client.Name })
		if isHere || i < 0 {
			continue
		}
		at := sources[i].Place
		at.Path = removal.Path
		list = append(list, at)
	}
	return list
}

// isLeft reports whether the project has an entry at a place, or the file of the place is
// gone.
func (p *plan) isLeft(at clients.Place) (bool, error) {
	f, err := p.file(at)
	if err != nil || !f.Existed {
		return true, err
	}
	entries, err := f.Entries(at.Path...)
	return slices.ContainsFunc(entries, func(e clientconfig.Entry) bool { return e.Name == p.opts.Project }), err
}

// write shows the change, asks, and writes.
func (p *plan) write() error {
	changed := slices.DeleteFunc(slices.Clone(p.files), func(f *clientconfig.File) bool { return !f.Changed() })
	switch {
	case len(changed) == 0 && p.opts.Remove:
		p.opts.warn("%s has no entry of project %q: nothing to remove", p.opts.client.Title, p.opts.Project)
		return nil
	case len(changed) == 0:
		p.opts.warn("%s is as wanted already", p.place.File)
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
	if !p.opts.Remove {
		p.explainRemoved(changed)
	}
	if p.opts.DryRun {
		return nil
	}
	all := strings.Join(names, " and ")
	if ok, err := p.opts.F.Confirm(p.opts.Yes, "Write %s?", all); !ok || err != nil {
		return err
	}
	if err := p.backups.Write(p.opts.Project, changed...); err != nil {
		return problem.From(err).WithHint("mcpctl %s %s --project %s", p.opts.verb(), p.opts.Client, p.opts.Project)
	}
	p.opts.warn("wrote %s; \"mcpctl undo\" takes this change back", all)
	return p.advise()
}
