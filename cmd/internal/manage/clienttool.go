package manage

import (
	"context"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host"
)

// ShowClientTool implements api.Service.
func (s *Service) ShowClientTool(ctx context.Context, project string, r api.ClientToolResult) (api.ShownText, error) {
	if s.at.PID == 0 {
		return api.ShownText{}, problem.New(abi.ErrUnavailable, "no daemon runs, and only a daemon stores originals").WithHint("mcpctl daemon start")
	}
	shown, err := s.h.ShowClientTool(ctx, project, host.ClientTool{Client: r.Client, Tool: r.Tool, Hint: r.Hint, Text: []byte(r.Text), OnlyFilters: r.OnlyFilters})
	if err != nil {
		return api.ShownText{}, err
	}
	return api.ShownText{Changed: shown.Changed, Blocked: shown.Blocked, Text: string(shown.Text), Ref: shown.Ref}, nil
}
