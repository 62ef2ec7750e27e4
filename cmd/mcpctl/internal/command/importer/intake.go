package importer

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clientconfig"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/vault"
)

// intake adds the entries of one place to a haul.
type intake struct {
	*haul
	from    clients.Source
	text    []byte // content of the place's file
	vault   *vault.Vault
	project string
	at      *clientconfig.Locator

	approvals clients.Approvals
}

// takeAll adds all entries of the place. Entries that the client itself ignores are reported.
//
// Errors: abi.ErrConfig if the text is invalid.
func (in *intake) takeAll() error {
	syntax, path := in.from.Place.Syntax, in.from.Place.Path
	entries, _, err := syntax.Entries(in.text, path)
	if err != nil {
		return err
	}
	shadowed, err := syntax.Shadowed(in.text, path)
	if err != nil {
		return err
	}
	in.at = clientconfig.NewLocator(in.text)
	for _, e := range shadowed {
		in.note(e, "is skipped: clients use the last one of duplicate keys")
	}
	for _, e := range entries {
		in.take(e)
	}
	return nil
}

// take imports, skips or rejects one entry.
func (in *intake) take(e clientconfig.Entry) {
	s, err := readServer(e, in.from)
	if name, ok := in.renames[e.Name]; ok {
		s.name, in.renamed[e.Name] = nameOf(name), true
	}
	at, isTaken := in.taken[s.name]
	var m *clients.EntryError
	switch {
	case s.spec.IsMcpctl():
		in.addConnection(s)
	case s.spec.IsStudio():
		in.note(e, "is Model Studio of mcpctl and is not imported")
	case in.approvals.IsRefused(e.Name):
		in.note(e, "is disabled in Claude Code (disabledMcpjsonServers) and is not imported")
	case err == nil && s.spec.Disabled:
		in.note(e, "is disabled and is not imported")
	case errors.As(err, &m):
		in.leave(e, m.Field, m.Text)
	case isTaken && in.servers[at].given != s.given:
		in.leave(e, "", fmt.Sprintf("would be called %q, like entry %q", s.name, in.servers[at].given))
	case isTaken:
		in.noteSecond(e, s, in.servers[at])
	default:
		in.add(e, s)
	}
}

// addConnection records that an entry of mcpctl connects the file to a project.
func (in *intake) addConnection(s server) {
	project := fmt.Sprintf("project %q", s.spec.Project())
	if home := s.spec.Env["MCPCTL_HOME"]; home != "" {
		project += " of the home " + home
	}
	text := fmt.Sprintf("%s is already connected to %s", s.file, project)
	if !slices.Contains(in.connected, text) {
		in.connected = append(in.connected, text)
	}
}

// add moves the credentials of a server to the vault and adds the server.
func (in *intake) add(e clientconfig.Entry, s server) {
	call := s.spec
	if !call.Fixed {
		call.Cwd = "" // the result does not depend on the directory
	}
	runs, err := call.Manifest("entry")
	if err != nil {
		in.leave(e, "", err.Error())
		return
	}
	if first, ok := in.equal[string(runs)]; ok {
		in.note(e, fmt.Sprintf("is equal to entry %q, which is imported", first))
		return
	}
	if in.approvals.IsPending(e.Name) {
		s.remarks = append(s.remarks, "not approved in Claude Code yet")
	}
	s.hide(in.vault)
	var m *clients.EntryError
	switch err := s.check(); {
	case errors.As(err, &m):
		in.leave(e, m.Field, m.Text)
		return
	case err != nil:
		in.leave(e, "", err.Error())
		return
	}
	in.equal[string(runs)] = e.Name
	in.taken[s.name] = len(in.servers)
	in.servers = append(in.servers, s)
}

// noteSecond reports an entry that is skipped because an entry of a narrower scope has the same
// name,
// which the clients use.
func (in *intake) noteSecond(e clientconfig.Entry, s, first server) {
	where := "the entry of this name in " + first.file
	fields := clients.Differences(s.spec, first.plain)
	if len(fields) == 0 {
		in.note(e, "is equal to "+where+", which is imported")
		return
	}
	remedy := "to import both, rename one of them there"
	if s.file != first.file {
		remedy = "to import it as well: " + s.renameCommand() + " --project " + problem.Arg(in.project)
	}
	in.note(e, fmt.Sprintf("differs from %s (%s), which is imported; this one is skipped; %s", where, strings.Join(fields, ", "), remedy))
}

// leave reports an entry that cannot be imported, at the position of the field.
func (in *intake) leave(e clientconfig.Entry, field, why string) {
	p := problem.New(abi.ErrConfig, "entry %q %s", e.Name, iostreams.Line(why))
	p.At = in.from.Place.File + ":" + in.at.Position(e.At+e.FieldAt(field))
	in.left = append(in.left, p)
}

func (in *intake) note(e clientconfig.Entry, text string) {
	in.notes = append(in.notes, fmt.Sprintf("%s:%s: entry %q %s", in.from.Place.File, in.at.Position(e.At), e.Name, text))
}
