package manage

import (
	"context"
	"encoding/json"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
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
		if role, info, err := s.h.Role(ctx, st.Name); err == nil {
			out.Role, out.Language = &role, info.Language
			if out.Module, err = json.Marshal(info); err != nil {
				return nil, err
			}
		}
		list = append(list, out)
	}
	return list, nil
}
