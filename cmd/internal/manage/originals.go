package manage

import (
	"context"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// Original implements api.Service.
func (s *Service) Original(_ context.Context, project, ref string) (api.Original, error) {
	if s.at.PID == 0 {
		return api.Original{}, problem.New(abi.ErrUnavailable, "no daemon runs, and only a daemon serves originals").WithHint("mcpctl daemon start")
	}
	c, err := s.h.Storage().Original(project, ref)
	if err != nil {
		return api.Original{}, err
	}
	return api.Original{ContentType: c.Type, Source: c.Source, MIME: c.MIME, Hint: c.Hint, Text: string(c.Bytes)}, nil
}

// ClearOriginals implements api.Service.
func (s *Service) ClearOriginals(context.Context) (int, error) { return s.h.Storage().ClearOriginals() }
