package manage

import (
	"context"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
)

// LLMProviders implements api.Service.
func (s *Service) LLMProviders(context.Context) ([]api.LLMProvider, error) {
	list := []api.LLMProvider{}
	for _, p := range s.h.LLMProviders() {
		row := api.LLMProvider{
			Name: p.Name, Type: p.Type, Model: p.Model, Tiers: append([]string{}, p.Tiers...), State: p.State,
			Requests: p.Requests, Errors: p.Errors, TokensIn: p.TokensIn, TokensOut: p.TokensOut, Seconds: p.Time.Seconds(),
			LastError: p.LastError, LastLine: p.LastLine,
		}
		if s.at.PID == 0 && (p.State == "idle" || p.State == "cold") {
			row.State = "not running" // it is the daemon that asks
		}
		list = append(list, row)
	}
	return list, nil
}
