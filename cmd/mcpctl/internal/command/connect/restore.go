package connect

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clientconfig"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clients"
)

// restore restores the entries that connect removed, unless a remaining entry of the project serves
// them.
func (p *plan) restore() error {
	serving, isServed, err := p.findServing(p.places)
	if err != nil {
		return err
	}
	other, isOther := p.findOtherAccount(p.places)
	var kept, keptByOther []string
	for _, at := range p.places {
		switch {
		case isServed:
			kept = append(kept, p.removedAt(at)...)
		case isOther && at.Scope == clients.Project: // both accounts read this file
			keptByOther = append(keptByOther, p.removedAt(at)...)
		default:
			err = p.restoreAt(at)
		}
		if err != nil {
			return err
		}
	}
	p.explainKeptOut(kept, serving)
	p.explainKeptOut(keptByOther, other)
	if p.place.Scope == clients.User || p.opts.deleted {
		p.restoreElsewhere()
	}
	return nil
}

// restoreElsewhere restores the entries of other directories that the project's entry for all
// directories replaced.
func (p *plan) restoreElsewhere() {
	for _, at := range p.elsewhere() {
		left, err := p.isLeft(at)
		if err == nil && !left {
			err = p.restoreAt(at)
		}
		if err != nil {
			p.opts.warn("warning: the entries that connect removed from %s were not restored: %v", at.File, err)
		}
	}
}

func (p *plan) restoreAt(at clients.Place) error {
	f, err := p.file(at)
	if err != nil {
		return err
	}
	for _, c := range p.removedFrom(f, at) {
		isRestored, err := f.Restore(c)
		if err != nil {
			return clientconfig.InFile(at.File, err)
		}
		if !isRestored {
			p.opts.warn("note: entry %q is in %s again with other content; it was kept", c.Name, iostreams.Line(at.File))
		}
	}
	return nil
}

// removedFrom returns the entries that mcpctl removed from a place and has not restored. It omits
// entries of the project itself, which disconnect removed on purpose.
func (p *plan) removedFrom(f *clientconfig.File, at clients.Place) []clientconfig.Change {
	return slices.DeleteFunc(p.history.Removed(f, at.Path...), func(c clientconfig.Change) bool {
		e, ok := f.RemovedEntry(c)
		if !ok || c.Name != p.opts.Project {
			return false
		}
		s, err := p.opts.client.Read(e, at)
		return err == nil && s.Runs(p.opts.Project)
	})
}

// removedAt returns the names of the entries that connect removed from a place, quoted.
func (p *plan) removedAt(at clients.Place) (names []string) {
	f, err := p.file(at)
	if err != nil {
		return nil // none of its entries can be restored either
	}
	for _, c := range slices.Backward(p.removedFrom(f, at)) {
		names = append(names, iostreams.Line(fmt.Sprintf("%q", c.Name)))
	}
	return names
}

// elsewhere returns the client's places in other directories from which connect removed entries.
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

// isLeft reports whether an entry of the project serves a place in another directory, or the file
// of
// the place does not exist any more.
func (p *plan) isLeft(at clients.Place) (bool, error) {
	f, err := p.file(at)
	if err != nil || !f.Existed {
		return true, err
	}
	there := p.opts.env
	there.Dir = at.Dir
	if len(at.Path) == 3 { // the path of a local scope names the directory
		there.Dir = at.Path[1]
	}
	places := append([]clients.Place{at}, p.opts.client.Places(there)...)
	_, served, err := p.findServing(places)
	if err != nil || served {
		return true, err
	}
	_, served = p.findOtherAccount(places)
	return served && at.Scope == clients.Project, nil
}

// findServing returns an entry at one of the places that serves the project. It ignores entries
// that
// the pending change removes.
func (p *plan) findServing(places []clients.Place) (serving found, ok bool, err error) {
	for _, at := range places {
		list, err := p.entriesAt(at)
		if err != nil {
			return found{}, false, clientconfig.InFile(at.File, err)
		}
		i := slices.IndexFunc(list, func(e found) bool {
			isEntry := e.entry.Name == p.opts.Project && e.spec.Runs(p.opts.Project)
			return (e.written || isEntry) && !e.spec.Disabled
		})
		if i >= 0 {
			return list[i], true, nil
		}
	}
	return found{}, false, nil
}

// otherAccounts returns the places that the client uses with another value of its environment
// variable, if connect wrote the project to them.
func (p *plan) otherAccounts(places []clients.Place) []clients.Place {
	own, ok := p.opts.client.Place(p.opts.env, clients.User)
	if !ok || p.opts.client.DirVariable == "" {
		return nil
	}
	var list []clients.Place
	for _, file := range p.history.WrittenFiles() {
		if filepath.Base(file) != filepath.Base(own.File) || file == clientconfig.Resolve(own.File) {
			continue
		}
		for _, at := range places {
			if at.File == own.File {
				at.File = file
				list = append(list, at)
			}
		}
	}
	return list
}

// findOtherAccount returns an entry of the project in the file of another account. It ignores
// unreadable files.
func (p *plan) findOtherAccount(places []clients.Place) (found, bool) {
	for _, at := range p.otherAccounts(places) {
		if e, ok, err := p.findServing([]clients.Place{at}); ok && err == nil {
			return e, true
		}
	}
	return found{}, false
}

// explainKeptOut reports the entries that are not restored because an entry of the project still
// serves them.
func (p *plan) explainKeptOut(names []string, serving found) {
	if len(names) > 0 {
		p.opts.warn("note: the entries that connect removed were not restored (%s), because entry %s serves them\n  to restore them: %s",
			strings.Join(names, ", "), p.describe(serving), p.disconnectCommand(serving))
	}
}

// explainOtherAccount reports an entry of the project in the file of another account.
func (p *plan) explainOtherAccount() {
	if e, ok := p.findOtherAccount(p.places); ok {
		p.opts.warn("note: entry %s is in the file of another account\n  to remove it: %s", p.describe(e), p.disconnectCommand(e))
	}
}

// describe returns the name and the place of an entry.
func (p *plan) describe(e found) string {
	where := e.at.Scope
	if p.isOtherAccount(e.at) {
		where = "in " + e.at.File
	}
	return iostreams.Line(fmt.Sprintf("%q (%s)", e.entry.Name, where))
}

// disconnectCommand returns the command that removes an entry of the project.
func (p *plan) disconnectCommand(e found) string {
	command := fmt.Sprintf("mcpctl disconnect %s --project %s --scope %s", p.opts.Client, problem.Arg(p.opts.Project), e.at.Scope)
	if p.isOtherAccount(e.at) {
		command = p.opts.client.DirVariable + "=" + problem.Arg(filepath.Dir(e.at.File)) + " " + command
	}
	return command
}

func (p *plan) isOtherAccount(at clients.Place) bool {
	return !slices.ContainsFunc(p.places, func(o clients.Place) bool { return o.File == at.File })
}
