package importer

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clientconfig"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/vault"
)

// haul is what the files of clients hold.
type haul struct {
	servers []server
	left    []*problem.Problem // files and entries that cannot be imported, each with its place
	notes   []string
	texts   map[string][]byte // of the files that were read
}

// sources are the places to read: of the files that are named, else of the client.
func (opts *Options) sources() ([]clients.Source, error) {
	env := clients.Env{Home: opts.F.Env("HOME"), Dir: opts.Dir, OS: runtime.GOOS, Var: opts.F.Env}
	var list []clients.Source
	for _, file := range opts.Files {
		if file == "-" {
			return nil, problem.Usagef("import reads files, not standard input").WithHint("mcpctl import FILE")
		}
		path := file
		if file != "" && !filepath.IsAbs(file) {
			path = filepath.Join(opts.Dir, file)
		}
		found := clients.SourcesOf(path, env)
		for i := range found {
			found[i].Place.File = file // as it was named
		}
		list = append(list, found...)
	}
	if len(opts.Files) > 0 {
		return list, nil
	}
	name := cmp.Or(opts.Client, clients.Names()[0])
	c, ok := clients.Find(name)
	if !ok {
		return nil, clients.Unknown(name, "import --client")
	}
	for _, p := range c.Places(env) {
		list = append(list, clients.Source{Client: c, Place: p})
	}
	slices.SortStableFunc(list, func(a, b clients.Source) int { return rank(a) - rank(b) })
	return list, nil
}

// rank orders places: a file of the project comes before those of the user, so that the
// narrower entry of two with one name counts, as in the clients.
func rank(s clients.Source) int {
	return slices.Index([]string{clients.Local, clients.Project, clients.User}, s.Place.Scope)
}

// collect reads all sources. An invalid file or entry does not keep the others from
// being imported; of two servers with one name the first counts, as in the client.
//
// Errors: abi.ErrNotFound for a file that was named and does not exist.
func collect(opts *Options, v *vault.Vault) (haul, error) {
	h := haul{texts: map[string][]byte{}}
	sources, err := opts.sources()
	if err != nil {
		return h, err
	}
	bad := map[string]bool{}
	for _, from := range sources {
		file := from.Place.File
		if bad[file] {
			continue // the other path would report the same
		}
		text, err := h.read(opts, file)
		switch {
		case errors.Is(err, fs.ErrNotExist) && len(opts.Files) == 0:
			continue
		case err != nil:
			return h, err
		}
		entries, _, err := from.Place.Syntax.Entries(text, from.Place.Path)
		if err != nil {
			h.left = append(h.left, clientconfig.InFile(file, err))
			bad[file] = true
			continue
		}
		for _, e := range entries {
			h.take(from, text, e, v)
		}
	}
	return h, nil
}

// read reads each file once.
func (h *haul) read(opts *Options, file string) ([]byte, error) {
	if text, ok := h.texts[file]; ok {
		return text, nil
	}
	text, err := clientconfig.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%w: %w", abi.ErrNotFound, err)
	case err != nil:
		return nil, err
	}
	h.texts[file] = text
	return text, nil
}

// take adds one entry to the imported or to the skipped ones.
func (h *haul) take(from clients.Source, text []byte, e clientconfig.Entry, v *vault.Vault) {
	file := from.Place.File
	s, err := readServer(e, from, v)
	if s.spec.IsOurs() {
		return
	}
	leave := func(at int, why string) {
		p := problem.New(abi.ErrConfig, "entry %q %s", e.Name, iostreams.Line(why))
		p.At = file + ":" + clientconfig.Position(text, e.At+at)
		h.left = append(h.left, p)
	}
	note := func(text string) { h.notes = append(h.notes, text) }
	var m *clients.EntryError
	switch {
	case err == nil && s.spec.Disabled:
		note(fmt.Sprintf("%s:%s: entry %q is disabled, it is not imported", file, clientconfig.Position(text, e.At), e.Name))
		return
	case errors.As(err, &m):
		leave(e.FieldAt(m.Field), m.Text)
		return
	case err != nil:
		leave(0, err.Error())
		return
	}
	at := slices.IndexFunc(h.servers, func(o server) bool { return o.name == s.name })
	switch {
	case at < 0:
		h.servers = append(h.servers, s)
		for _, n := range s.notes() {
			note(file + ": " + n)
		}
	case h.servers[at].given != s.given:
		leave(0, fmt.Sprintf("would be called %q, like entry %q", s.name, h.servers[at].given))
	default:
		note(fmt.Sprintf("%s:%s: a second entry %q, the first counts", file, clientconfig.Position(text, e.At), e.Name))
	}
}
