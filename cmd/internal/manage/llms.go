package manage

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/host/object"
)

// LLMProviders implements api.Service.
func (s *Service) LLMProviders(ctx context.Context) ([]api.LLMProvider, error) {
	list := []api.LLMProvider{}
	limit, spent, err := s.spentToday(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range s.h.LLM().Providers() {
		row := api.LLMProvider{
			Name: p.Name, Type: p.Type, Model: p.Model, Tiers: append([]string{}, p.Tiers...), State: p.State,
			Requests: p.Requests, Errors: p.Errors, TokensIn: p.TokensIn, TokensOut: p.TokensOut, Seconds: p.Time.Seconds(),
			LastError: p.LastError, LastLine: p.LastLine, DailyTokens: limit, Spent: spent[p.Name],
		}
		if s.at.PID == 0 && (p.State == "idle" || p.State == "cold") {
			row.State = "not running" // only a daemon sends requests
		}
		list = append(list, row)
	}
	return list, nil
}

// spentToday returns the token limit, and the tokens used today by provider.
func (s *Service) spentToday(ctx context.Context) (limit int, by map[string][]api.LLMSpent, err error) {
	spent, limit := s.h.LLM().Budget()
	if len(spent) == 0 {
		return limit, nil, nil
	}
	modules, err := s.moduleNames(ctx)
	if err != nil {
		return 0, nil, err
	}
	by = make(map[string][]api.LLMSpent)
	for _, sp := range spent {
		r, err := s.h.LLM().Resolve(sp.Project)
		if err != nil { // the provider of the project has changed since
			continue
		}
		asked := slices.Concat(r.Fast, r.Heavy)
		slices.Sort(asked)
		for _, p := range slices.Compact(asked) {
			by[p] = append(by[p], api.LLMSpent{Project: sp.Project, Module: sp.Module, By: modules[sp.Module], Tokens: sp.Tokens})
		}
	}
	return limit, by, nil
}

// moduleNames returns display names of modules, by their names in budgets.
func (s *Service) moduleNames(ctx context.Context) (map[string]string, error) {
	all, err := s.h.Stages(ctx)
	if err != nil {
		return nil, err
	}
	names := map[string]string{"host/prompt": "summaries of prompts"}
	for _, st := range all {
		switch {
		case st.File != "":
			names[st.Hash] = filepath.Base(st.File)
		case st.Kind == abi.KindController:
			names[st.Hash] = "built-in controllers"
		default:
			names[st.Hash] = "built-in stages"
		}
	}
	return names, nil
}

// ResolveLLM implements api.Service.
func (s *Service) ResolveLLM(_ context.Context, project string) (api.LLMResolution, error) {
	if _, ok := s.h.Snapshot().Project(object.Name(project)); !ok {
		return api.LLMResolution{}, missingObject(s.h, "project", project)
	}
	r, err := s.h.LLM().Resolve(project)
	return api.LLMResolution{Project: project, Source: r.Source, Fast: append([]string{}, r.Fast...), Heavy: append([]string{}, r.Heavy...)}, err
}
