package importer

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clientconfig"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/vault"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// server is an entry of a client's file that is being converted to a Server of mcpctl.
type server struct {
	name   string
	given  string // name in the client's file
	file   string
	spec   clients.Server
	plain  clients.Server // spec before hide was called
	hidden []string       // names of the references that replace credentials
	needed []string       // variables without a default, set by check

	dir     string   // directory of the file's project; "" for entries of all directories
	remarks []string // for the preview
}

// readServer reads an entry.
//
// Errors: *clients.EntryError; its text contains no credentials.
func readServer(e clientconfig.Entry, from clients.Source) (s server, err error) {
	s = server{name: nameOf(e.Name), given: e.Name, file: from.Place.File, dir: from.Place.Dir}
	s.spec, err = from.Client.Read(e, from.Place)
	return s, err
}

// renameCommand returns the command that imports the entry under a free name.
func (s server) renameCommand() string {
	return "mcpctl import " + problem.Arg(s.file) + " --rename " + problem.Arg(s.given+"="+numberName(s.name, 2))
}

// hide replaces the credentials of the server by references to a vault.
func (s *server) hide(v *vault.Vault) {
	s.plain = s.spec
	s.spec.Env, s.spec.Headers, s.spec.Args = maps.Clone(s.spec.Env), maps.Clone(s.spec.Headers), slices.Clone(s.spec.Args)
	hide := vault.Hider{Vault: v, Server: s.name}
	hide.Values(s.spec.Env)
	hide.Values(s.spec.Headers)
	hide.Arguments(s.spec.Args)
	s.spec.URL = hide.Arguments([]string{s.spec.URL})[0]
	s.hidden = hide.Names
}

// check validates the server like apply and sets the needed variables.
func (s *server) check() error {
	doc, err := s.spec.Manifest(s.name)
	if err != nil {
		return &clients.EntryError{Text: err.Error()}
	}
	objects, _, err := object.Decode("", doc)
	for _, o := range objects {
		s.needed = o.(*object.Server).RequiredVariables()
	}
	var all strictyaml.Errors
	if !errors.As(err, &all) || len(all) == 0 {
		return err
	}
	field := all[0].Path
	if strings.HasPrefix(field, "command[") && field != "command[0]" {
		field = "args"
	}
	field, _, _ = strings.Cut(field, ".")
	field, _, _ = strings.Cut(field, "[")
	return &clients.EntryError{Field: field, Text: strings.TrimSpace(all[0].Path + " " + all[0].Message)}
}

// maxName is the maximum length of a name in bytes.
const maxName = 63

var notName = regexp.MustCompile(`[^a-z0-9._+-]+`)

// nameOf converts a client's name to a valid name of mcpctl.
func nameOf(s string) string {
	s = notName.ReplaceAllString(strings.ToLower(s), "-")
	s = strings.TrimLeft(s, "._+-")
	if s == "" {
		s = "server"
	}
	return s[:min(len(s), maxName)]
}

// numberName appends a number to a name.
func numberName(name string, n int) string {
	suffix := fmt.Sprintf("-%d", n)
	return name[:min(len(name), maxName-len(suffix))] + suffix
}

// notes returns notes about an imported entry for the user. isSet reports whether a variable has a
// value.
func (s server) notes(isSet func(variable string) bool) []string {
	var list []string
	if s.name != s.given {
		list = append(list, fmt.Sprintf("entry %q is called %q in mcpctl", s.given, s.name))
	}
	if len(s.spec.Ignored) > 0 {
		list = append(list, fmt.Sprintf("entry %q: not imported: %s", s.given, strings.Join(s.spec.Ignored, ", ")))
	}
	for _, name := range s.needed {
		if isSet(name) {
			continue
		}
		why := "which is not set"
		if slices.Contains(s.spec.Inputs, name) {
			why = "for which its client prompted and which is not set"
		}
		list = append(list, fmt.Sprintf("entry %q needs %s, %s: mcpctl config set-secret %s", s.given, name, why, name))
	}
	return list
}
