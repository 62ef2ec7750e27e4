package manage

import (
	"context"
	"encoding/json"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host/event"
)

// Events implements api.Service.
func (s *Service) Events(_ context.Context, q api.EventQuery) ([]api.Event, error) {
	if s.at.PID == 0 {
		return nil, problem.New(abi.ErrUnavailable, "no daemon runs, and only a daemon stores events").WithHint("mcpctl daemon start")
	}
	if q.Project != "" {
		if err := (studio{s}).requireProject(q.Project); err != nil {
			return nil, err
		}
	}
	match, err := s.h.Studio().Select(q.Query)
	if err != nil {
		return nil, err
	}
	list := []api.Event{}
	for _, e := range s.h.Events(q.After, event.Query{Project: q.Project, Limit: q.Limit, Match: match}) {
		b, err := json.Marshal(e)
		if err != nil {
			return nil, err
		}
		var out api.Event
		if err := json.Unmarshal(b, &out); err != nil {
			return nil, err
		}
		list = append(list, out)
	}
	return list, nil
}
