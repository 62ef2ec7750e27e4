package manage

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/install"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host"
)

// Stages implements api.Service.
func (s *Service) Stages(ctx context.Context) ([]api.Stage, error) {
	all, err := s.h.Stages(ctx)
	if err != nil {
		return nil, err
	}
	list := []api.Stage{}
	for _, st := range all {
		out := api.Stage{
			Name: st.Name, Kind: st.Kind, Source: st.Source, Status: st.String(), RequiresLLM: st.RequiresLLM,
			ABI: st.ABI, Hash: st.Hash, File: st.File,
		}
		if role, info, err := s.h.Role(ctx, st.Name, false); err == nil {
			out.Role, out.Language = &role, info.Language
			if !info.Native() {
				out.ABI = string(info.Format)
			}
			if out.Module, err = json.Marshal(info); err != nil {
				return nil, err
			}
		}
		if f, ok := s.h.StageFailure(st.Name, st.Hash); ok {
			out.LastError = &api.StageError{Cause: f.Cause, Count: f.Count, Time: f.Last.UTC(), Now: f.Now}
			if f.Now {
				if out.Status = "failed: " + f.Cause; f.Count > 1 {
					out.Status += fmt.Sprintf(" (%d in a row)", f.Count)
				}
			}
		}
		out.Plugin = pluginOf(s.h, st.File, st.Hash)
		list = append(list, out)
	}
	return list, nil
}

// pluginOf returns the plugin directory of a file in stages, or nil if it has no record. An
// invalid record is reported in Problem.
func pluginOf(h *host.Host, file, hash string) *api.PluginDir {
	if file == "" {
		return nil
	}
	r, ok, err := install.Of(stagesDir(h), file)
	switch {
	case err != nil:
		return &api.PluginDir{Problem: problem.From(err).Message}
	case !ok:
		return nil
	}
	return &api.PluginDir{Path: r.Dir, Installed: r.Time, Problem: r.Fault(hash)}
}

func stagesDir(h *host.Host) string { return filepath.Join(string(h.Home()), "stages") }
