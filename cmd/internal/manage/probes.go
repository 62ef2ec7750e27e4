package manage

import (
	"context"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
)

// ProbeServer implements api.Service.
func (s *Service) ProbeServer(ctx context.Context, name string) (api.ServerProbe, error) {
	tools, err := s.h.Servers().Probe(ctx, name)
	return api.ServerProbe{Tools: append([]string{}, tools...)}, err
}

// ProbeLLM implements api.Service.
func (s *Service) ProbeLLM(ctx context.Context, name string) error { return s.h.LLM().Probe(ctx, name) }
