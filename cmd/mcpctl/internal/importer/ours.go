package importer

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host/object"
)

// keepOurs leaves out what would overwrite a server of the home that is another one,
// or was changed since it was taken over.
func (h *haul) keepOurs(ctx context.Context, s api.Service) error {
	var kept []server
	for _, srv := range h.servers {
		differs, err := srv.differs(ctx, s)
		if err != nil {
			return err
		}
		if !differs {
			kept = append(kept, srv)
			continue
		}
		p := problem.New(abi.ErrConflict, "server %q is in this home already, and is not what entry %q says", srv.name, srv.given)
		h.left = append(h.left, p.WithHint("mcpctl describe server %s", problem.Arg(srv.name)))
	}
	h.servers = kept
	return nil
}

// differs reports whether the home has another server of the name.
func (srv server) differs(ctx context.Context, s api.Service) (bool, error) {
	_, err := s.Object(ctx, "server", "", srv.name)
	if errors.Is(err, abi.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	doc, err := srv.spec.Manifest(srv.name)
	if err != nil {
		return false, err
	}
	applied, err := s.Apply(ctx, api.ApplyRequest{File: "import", YAML: string(doc), DryRun: true})
	return len(applied) == 1 && applied[0].Action != string(object.Unchanged), err
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
