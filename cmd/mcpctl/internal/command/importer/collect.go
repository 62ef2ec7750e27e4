package importer

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clientconfig"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/vault"
)

// haul is the set of servers and problems found in client files.
type haul struct {
	servers   []server
	left      []*problem.Problem // files and entries that cannot be imported, with positions
	notes     []string
	texts     map[string][]byte // contents of the files, by path
	taken     map[string]int    // indexes into servers, by name
	equal     map[string]string // names of entries, by manifest
	connected []string          // descriptions of existing mcpctl entries

	renames map[string]string // new names of entries, by entry
	renamed map[string]bool   // entries of renames that were found
}

// readApprovals reads the entries of a place that the user rejected. Unreadable files are reported.
func (h *haul) readApprovals(opts *Options, from clients.Source) clients.Approvals {
	home, err := opts.F.UserHome()
	if err != nil {
		home = "" // the decisions of the directory apply without it
	}
	approvals, skipped := from.Client.ReadApprovals(clients.Env{Home: home, Dir: opts.Dir, OS: runtime.GOOS, Var: opts.F.Env}, from.Place)
	for _, err := range skipped {
		p := problem.From(err)
		h.notes = append(h.notes, fmt.Sprintf("%s: %s; cannot determine which servers are disabled there", p.At, p.Message))
	}
	return approvals
}

// sources returns the places to read: those of the given files, otherwise those of the client.
func (opts *Options) sources() ([]clients.Source, error) {
	home, err := opts.F.UserHome()
	if err != nil && len(opts.Files) == 0 {
		return nil, err
	}
	env := clients.Env{Home: home, Dir: opts.Dir, OS: runtime.GOOS, Var: opts.F.Env}
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
			found[i].Place.File = file // as written on the command line
		}
		list = append(list, found...)
	}
	if len(opts.Files) > 0 {
		return distinct(list), nil
	}
	name := cmp.Or(opts.Client, clients.Names()[0])
	c, ok := clients.Find(name)
	if !ok {
		return nil, clients.Unknown(name, "import --client")
	}
	for _, p := range c.Places(env) {
		list = append(list, clients.Source{Client: c, Place: p})
	}
	list = distinct(list)
	slices.SortStableFunc(list, func(a, b clients.Source) int { return rank(a) - rank(b) })
	return list, nil
}

// distinct removes duplicate places: in the home directory, the user's file of some clients is also
// the project's file. The first source of a place is kept.
func distinct(list []clients.Source) (out []clients.Source) {
	for _, s := range list {
		isListed := slices.ContainsFunc(out, func(o clients.Source) bool {
			return clientconfig.Resolve(o.Place.File) == clientconfig.Resolve(s.Place.File) && slices.Equal(o.Place.Path, s.Place.Path)
		})
		if !isListed {
			out = append(out, s)
		}
	}
	return out
}

// rank returns the sort order of a place. Project files precede user files, so that the narrower
// one
// of two entries with the same name takes precedence, as in the clients.
func rank(s clients.Source) int {
	return slices.Index([]string{clients.Local, clients.Project, clients.User}, s.Place.Scope)
}

// collect reads all sources. Invalid files and entries do not prevent the import of others. If two
// servers have the same name, the first one takes precedence, as in the clients.
//
// Errors: abi.ErrNotFound if a given file does not exist.
func collect(opts *Options, v *vault.Vault) (haul, error) {
	h := haul{texts: map[string][]byte{}, taken: map[string]int{}, equal: map[string]string{}, renamed: map[string]bool{}}
	sources, err := opts.sources()
	if err != nil {
		return h, err
	}
	if h.renames, err = opts.readRenames(); err != nil {
		return h, err
	}
	bad := map[string]bool{}
	for _, from := range sources {
		file := from.Place.File
		if bad[file] {
			continue // already reported for another path
		}
		text, err := h.read(file)
		switch {
		case errors.Is(err, fs.ErrNotExist) && len(opts.Files) == 0:
			continue
		case err != nil:
			return h, err
		}
		in := intake{haul: &h, from: from, text: text, vault: v, project: opts.Project, approvals: h.readApprovals(opts, from)}
		if err := in.takeAll(); err != nil {
			h.left = append(h.left, clientconfig.InFile(file, err))
			bad[file] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(h.renames)) {
		if !h.renamed[name] {
			return h, problem.New(abi.ErrNotFound, "the files contain no entry %q to rename", name).WithHint("mcpctl import --dry-run")
		}
	}
	return h, nil
}

// readRenames parses the flag --rename. The last "=" separates the names, because only names of
// entries can contain one.
func (opts *Options) readRenames() (map[string]string, error) {
	names := make(map[string]string)
	for _, pair := range opts.Rename {
		i := strings.LastIndexByte(pair, '=')
		if i <= 0 || i == len(pair)-1 {
			return nil, problem.Usagef("--rename %s is not ENTRY=NAME", pair).WithHint("mcpctl import --rename memory=memory-2")
		}
		names[pair[:i]] = pair[i+1:]
	}
	return names, nil
}

// read returns the content of a file, which it reads only once.
func (h *haul) read(file string) ([]byte, error) {
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
