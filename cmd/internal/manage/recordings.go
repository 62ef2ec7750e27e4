package manage

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host"
	"github.com/mcpctl/mcpctl/host/object"
)

// Recordings implements api.Service.
func (s *Service) Recordings() api.Recordings { return recordings{s.h} }

// recordings implements api.Recordings with a Host.
type recordings struct{ h *host.Host }

// Start implements api.Recordings.
func (r recordings) Start(_ context.Context, project string, req api.StartRecording) error {
	until, err := req.Until(time.Now())
	if err != nil {
		return err
	}
	if err := r.projectExists(project); err != nil {
		return err
	}
	err = r.h.Storage().Recordings().Start(project, until)
	if errors.Is(err, abi.ErrUnavailable) {
		return problem.New(abi.ErrUnavailable, "no daemon runs, and only a daemon records sessions").WithHint("mcpctl daemon start")
	}
	return err
}

// Stop implements api.Recordings.
func (r recordings) Stop(ctx context.Context, project string) error {
	if err := r.projectExists(project); err != nil {
		return err
	}
	return r.h.Storage().Recordings().Stop(ctx, project)
}

func (r recordings) projectExists(name string) error {
	if slices.Contains(r.h.Snapshot().Names(object.KindProject), name) {
		return nil
	}
	return missingObject(r.h, "project", name)
}

// List implements api.Recordings.
func (r recordings) List(ctx context.Context, project string) ([]api.Recording, error) {
	files, err := r.h.Storage().Recordings().List(ctx, project)
	list := []api.Recording{}
	for _, f := range files {
		list = append(list, api.Recording{Name: f.Name, Project: f.Project, File: f.Path, Bytes: f.Bytes, Started: f.Started, Written: f.Written})
	}
	return list, err
}

// Read implements api.Recordings.
func (r recordings) Read(ctx context.Context, name string) ([]byte, error) {
	text, err := r.h.Storage().Recordings().Read(ctx, name)
	return text, r.explain(ctx, name, err)
}

// Delete implements api.Recordings.
func (r recordings) Delete(ctx context.Context, name string) error {
	return r.explain(ctx, name, r.h.Storage().Recordings().Remove(name))
}

// explain returns the error for a recording that does not exist, with similar names.
func (r recordings) explain(ctx context.Context, name string, err error) error {
	if !errors.Is(err, abi.ErrNotFound) {
		return err
	}
	files, _ := r.h.Storage().Recordings().List(ctx, "") // without them nothing is suggested
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
	}
	return notFound("recording", name, names)
}
