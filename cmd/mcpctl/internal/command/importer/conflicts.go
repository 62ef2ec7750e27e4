package importer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/host/store"
)

// renameConflicts renames each server whose name is in use by another server of the home. It skips servers
// that were changed in the home since they were imported, and entries that are hidden by a server
// of
// this directory.
func (h *haul) renameConflicts(ctx context.Context, s api.Service, opts *Options, ours *clients.Servers) error {
	members, err := findMembers(ctx, s, opts.Project)
	if err != nil {
		return err
	}
	var kept []server
	for _, srv := range h.servers {
		name, have, err := h.findName(ctx, s, &srv, members, opts.Dir)
		if err != nil {
			return err
		}
		if !slices.Contains(members, name) && h.reportMember(srv, members, opts, ours) {
			continue
		}
		if have != noServer && have != equalServer {
			h.reportTaken(srv, name, have, members, opts, ours)
			continue
		}
		if name != srv.name {
			srv.remarks = append(srv.remarks, fmt.Sprintf("renamed: %s is another server of this home", srv.name))
			srv.name = name
		}
		kept = append(kept, srv)
	}
	h.servers = kept
	return nil
}

// reportMember reports an entry that is already a server of the project under another name. Entries
// given to --rename are imported anyway.
func (h *haul) reportMember(srv server, members []string, opts *Options, ours *clients.Servers) bool {
	if h.renamed[srv.given] {
		return false
	}
	name, ok := ours.Match(srv.plain, members)
	if ok {
		opts.noteMember(srv, name)
	}
	return ok
}

// noteMember reports an entry that is already a server of the project.
func (opts *Options) noteMember(srv server, name string) {
	opts.note(fmt.Sprintf("%s: entry %q is already server %s of project %q", srv.file, srv.given, name, opts.Project))
}

// reportTaken reports an entry that is not imported because another server has its name. have
// describes that server.
func (h *haul) reportTaken(srv server, name string, have likeness, members []string, opts *Options, ours *clients.Servers) {
	// Match ignores the timeout, so it cannot detect whether the server of this name was changed.
	if equal, ok := ours.Match(srv.plain, members); ok && (equal != name || have == hidingServer) {
		opts.noteMember(srv, equal)
		return
	}
	if have == hidingServer {
		opts.note(fmt.Sprintf("%s: entry %q differs from server %s of project %q (%s), which was imported from this directory; this one is skipped; to import it as well: %s --project %s",
			srv.file, srv.given, name, opts.Project, strings.Join(ours.Differences(srv.plain, name), ", "), srv.renameCommand(), problem.Arg(opts.Project)))
		return
	}
	p := problem.New(abi.ErrConflict, "this home already has a server %q, which differs from entry %q", name, srv.given)
	h.left = append(h.left, p.WithHint("%s --project %s", srv.renameCommand(), problem.Arg(opts.Project)))
}

// maxNames is the maximum number of names tried for one server.
const maxNames = 20

// findName returns the name of the server in the home: its own, or a free one if another server has
// its name. An equal server keeps its name. If the likeness is noServer or equalServer, the server
// can
// be written under the name; otherwise the likeness describes the server that has the name. dir is
// the
// working directory.
func (h *haul) findName(ctx context.Context, s api.Service, srv *server, members []string, dir string) (name string, have likeness, err error) {
	for i, name := range srv.candidates() {
		if _, isTaken := h.taken[name]; isTaken && i > 0 {
			continue
		}
		have, err := srv.compare(ctx, s, name, slices.Contains(members, name), dir)
		if err != nil || have == changedServer || have == hidingServer {
			return name, have, err
		}
		if have == noServer || have == equalServer {
			h.taken[name] = h.taken[srv.name]
			return name, have, nil
		}
	}
	return srv.name, otherServer, nil
}

// candidates returns the names to try: the server's own name, the name with the directory as a
// prefix,
// and numbered names.
func (srv server) candidates() []string {
	names := []string{srv.name}
	if srv.dir != "" {
		names = append(names, nameOf(filepath.Base(srv.dir)+"-"+srv.name))
	}
	for n := 2; len(names) < maxNames; n++ {
		names = append(names, numberName(srv.name, n))
	}
	return names
}

// likeness is the result of comparing an imported server with the home's server of the same name.
type likeness int

const (
	noServer      likeness = iota // the home has no server of this name
	equalServer                   // the servers are equal
	changedServer                 // imported before, then changed in the home or in the client
	otherServer                   // only the name is the same
	hidingServer                  // imported from this directory: the client uses it instead of the entry
)

// compare compares the server with the one called name in the home. isMember means that the latter
// is
// in the target project; a different server there counts as another server only if it runs in
// another
// directory. A server that does not depend on its directory adopts the directory of an equal
// server.
func (srv *server) compare(ctx context.Context, s api.Service, name string, isMember bool, dir string) (likeness, error) {
	there, err := s.Object(ctx, "server", "", name)
	if errors.Is(err, abi.ErrNotFound) {
		return noServer, nil
	}
	if err != nil {
		return noServer, err
	}
	var is struct {
		Spec struct{ Cwd string }
	}
	if err := json.Unmarshal(there.Manifest, &is); err != nil {
		return noServer, err
	}
	wanted := srv.spec
	if wanted.Command != "" && !wanted.Fixed {
		wanted.Cwd = is.Spec.Cwd
	}
	doc, err := wanted.Manifest(name)
	if err != nil {
		return noServer, err
	}
	applied, err := s.Apply(ctx, api.ApplyRequest{File: "import", YAML: string(doc), DryRun: true})
	if err != nil || len(applied) != 1 || applied[0].Action == string(store.Unchanged) {
		srv.spec = wanted
		return equalServer, err
	}
	switch isHere := is.Spec.Cwd == clients.EscapeDir(dir); {
	case isMember && srv.dir == "" && isHere && srv.spec.Cwd != is.Spec.Cwd:
		return hidingServer, nil
	case !isMember || is.Spec.Cwd != srv.spec.Cwd:
		return otherServer, nil
	}
	return changedServer, nil
}

// findMembers returns the servers of a project, or nil if the project does not exist.
func findMembers(ctx context.Context, s api.Service, project string) ([]string, error) {
	there, err := s.Object(ctx, "project", "", project)
	if errors.Is(err, abi.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var details api.ProjectDetails
	err = json.Unmarshal(there.Details, &details)
	return details.Servers, err
}

// project returns the manifest of the project with the servers added. An existing project keeps its
// servers, its proxymodel and its gate.
func (opts *Options) project(ctx context.Context, s api.Service, servers []string) ([]byte, error) {
	spec := map[string]any{"servers": servers, "gated": false, "proxyModel": opts.Model}
	manifest := map[string]any{"kind": "Project", "metadata": map[string]any{"name": opts.Project}, "spec": spec}
	there, err := s.Object(ctx, "project", "", opts.Project)
	if errors.Is(err, abi.ErrNotFound) {
		return json.Marshal(manifest)
	}
	if err != nil {
		return nil, err
	}
	manifest = nil
	if err := json.Unmarshal(there.Manifest, &manifest); err != nil {
		return nil, err
	}
	var details api.ProjectDetails
	if err := json.Unmarshal(there.Details, &details); err != nil {
		return nil, err
	}
	all := details.Servers
	for _, name := range servers {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	kept, ok := manifest["spec"].(map[string]any)
	if !ok { // the spec is optional
		kept = map[string]any{}
	}
	kept["servers"] = all
	manifest["spec"] = kept
	return json.Marshal(manifest)
}
