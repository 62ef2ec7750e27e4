package importer

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clientconfig"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/vault"
)

// haul is what the files of clients hold.
type haul struct {
	servers []server
	left    []*problem.Problem // files and entries that cannot be taken, each with its place
	notes   []string
}

// sources are the files to read: as named, else where Claude Code keeps them.
func (opts *Options) sources() []string {
	if len(opts.Files) > 0 {
		return opts.Files
	}
	return []string{filepath.Join(opts.Dir, ".mcp.json"), filepath.Join(opts.F.Env("HOME"), ".claude.json")}
}

// collect reads all sources. One file or entry that cannot be taken keeps no other
// from being taken; of two servers with one name the first counts, as with the client.
//
// Errors: abi.ErrNotFound for a file that was named and is not there.
func collect(opts *Options, v *vault.Vault) (haul, error) {
	var h haul
	for _, file := range opts.sources() {
		text, err := opts.F.ReadFile(file)
		switch {
		case errors.Is(err, fs.ErrNotExist) && len(opts.Files) == 0:
			continue
		case err != nil:
			return h, err
		}
		for _, path := range [][]string{{"mcpServers"}, {"projects", opts.Dir, "mcpServers"}} {
			entries, _, err := clientconfig.JSON.Entries(text, path)
			if err != nil {
				h.left = append(h.left, clientconfig.InFile(file, err))
				break // the other path would tell the same
			}
			for _, e := range entries {
				h.take(file, text, e, v)
			}
		}
	}
	return h, nil
}

// take adds one entry to what is imported or to what is left.
func (h *haul) take(file string, text []byte, e clientconfig.Entry, v *vault.Vault) {
	s, err := readServer(e, v)
	if s.isOurs() {
		return
	}
	leave := func(at int, why string) {
		p := problem.New(abi.ErrConfig, "entry %q %s", e.Name, why)
		p.At = file + ":" + clientconfig.Position(text, e.At+at)
		h.left = append(h.left, p)
	}
	var m *mistake
	switch {
	case errors.As(err, &m):
		leave(m.at, m.text)
		return
	case err != nil:
		leave(0, err.Error())
		return
	}
	at := slices.IndexFunc(h.servers, func(o server) bool { return o.name == s.name })
	switch {
	case at < 0:
		h.servers = append(h.servers, s)
	case h.servers[at].given != s.given:
		leave(0, fmt.Sprintf("would be called %q, like entry %q", s.name, h.servers[at].given))
	default:
		h.notes = append(h.notes, fmt.Sprintf("%s:%s: a second entry %q, the first counts", file, clientconfig.Position(text, e.At), e.Name))
	}
}
