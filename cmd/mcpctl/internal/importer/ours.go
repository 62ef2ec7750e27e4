package importer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host/object"
)

// keepOurs gives a free name to each server whose name is that of another server of the
// home. It leaves out a server that was changed in the home since it was imported.
func (h *haul) keepOurs(ctx context.Context, s api.Service, project string) error {
	members, err := findMembers(ctx, s, project)
	if err != nil {
		return err
	}
	var kept []server
	for _, srv := range h.servers {
		name, ok, err := h.findName(ctx, s, srv, members)
		if err != nil {
			return err
		}
		if !ok {
			p := problem.New(abi.ErrConflict, "server %q is in this home already, and is not what entry %q says", name, srv.given)
			h.left = append(h.left, p.WithHint("mcpctl describe server %s", problem.Arg(name)))
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

// maxNames bounds the names that are tried for one server.
const maxNames = 20

// findName returns the name of the server in the home: its own, or a free one if its own
// is the name of another server. An equal server keeps its name. ok is false if none is
// free, or if the server of the returned name was changed in the home.
func (h *haul) findName(ctx context.Context, s api.Service, srv server, members []string) (name string, ok bool, err error) {
	for i, name := range srv.candidates() {
		if _, isTaken := h.taken[name]; isTaken && i > 0 {
			continue
		}
		have, err := srv.compare(ctx, s, name, slices.Contains(members, name))
		switch {
		case err != nil || have == changedServer:
			return name, false, err
		case have == noServer || have == equalServer:
			h.taken[name] = h.taken[srv.name]
			return name, true, nil
		}
	}
	return srv.name, false, nil
}

// candidates lists the names to try: the server's own, the one with the directory before
// it, and numbered ones.
func (srv server) candidates() []string {
	names := []string{srv.name}
	if srv.dir != "" {
		names = append(names, nameOf(filepath.Base(srv.dir)+"-"+srv.name))
	}
	for n := 2; len(names) < maxNames; n++ {
		suffix := fmt.Sprintf("-%d", n)
		names = append(names, srv.name[:min(len(srv.name), maxName-len(suffix))]+suffix)
	}
	return names
}

// likeness is how a server of the home compares with one that is imported.
type likeness int

const (
	noServer      likeness = iota // the home has none of the name
	equalServer                   // the same
	changedServer                 // imported before, and changed in the home or in the client
	otherServer                   // with the same name only
)

// compare compares the server with the one that has a name in the home. isMember is
// whether that one is in the project which gets the server: it is then another server only
// if it runs in another directory, else also if it runs another program.
func (srv server) compare(ctx context.Context, s api.Service, name string, isMember bool) (likeness, error) {
	there, err := s.Object(ctx, "server", "", name)
	if errors.Is(err, abi.ErrNotFound) {
		return noServer, nil
	}
	if err != nil {
		return noServer, err
	}
	doc, err := srv.spec.Manifest(name)
	if err != nil {
		return noServer, err
	}
	applied, err := s.Apply(ctx, api.ApplyRequest{File: "import", YAML: string(doc), DryRun: true})
	if err != nil || len(applied) != 1 || applied[0].Action == string(object.Unchanged) {
		return equalServer, err
	}
	is, errIs := readCall(there.Manifest)
	want, errWant := readCall(doc)
	switch {
	case errIs != nil || errWant != nil:
		return changedServer, errors.Join(errIs, errWant)
	case is.Cwd != want.Cwd:
		return otherServer, nil
	case !isMember && (is.URL != want.URL || !slices.Equal(is.Command, want.Command)):
		return otherServer, nil
	}
	return changedServer, nil
}

// call is what a server runs, and where.
type call struct {
	Command []string `json:"command"`
	URL     string   `json:"url"`
	Cwd     string   `json:"cwd"`
}

func readCall(manifest []byte) (call, error) {
	var m struct {
		Spec call `json:"spec"`
	}
	err := json.Unmarshal(manifest, &m)
	return m.Spec, err
}

// findMembers lists the servers of a project; one that does not exist has none.
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

// project is the manifest of the project with the servers added. One that is there
// keeps what it has: its servers, its proxymodel, its gate.
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
	if !ok { // a project may be without one
		kept = map[string]any{}
	}
	kept["servers"] = all
	manifest["spec"] = kept
	return json.Marshal(manifest)
}
