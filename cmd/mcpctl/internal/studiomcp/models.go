package studiomcp

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

func (s *studio) addModels(m *server.MCPServer) {
	project := mcp.WithString("project", mcp.Description("Project; only the one that this server was started for is possible, and the default."))
	add(m, "get_active_model", "Describe the proxymodel that transforms the results of the project: its controllers, its stages in order with their effective config, and the sources for which another model is used.",
		s.activeModel, readOnly(), project)
	add(m, "list_models", "List the proxymodels that switch_model accepts, built-in and local, with their stages.", s.listModels, readOnly())
	if s.ReadOnly {
		return
	}
	add(m, "switch_model", "Set the proxymodel of the project, as \"mcpctl use\" does. It is written to the project's file; open sessions use it from their next call on. "+
		"The answer names the previous model, with which the change can be undone.",
		s.switchModel, project,
		mcp.WithReadOnlyHintAnnotation(false), mcp.WithDestructiveHintAnnotation(true), mcp.WithIdempotentHintAnnotation(true),
		mcp.WithString("model", mcp.Required(), mcp.Description("Name of a proxymodel, as list_models returns it."), mcp.MinLength(1)))
}

type projectArgs struct {
	Project string `json:"project"`
}

// checkProject refuses another project than that of the server: the user has admitted a
// second model to this one only.
func (s *studio) checkProject(name string) error {
	if name == "" || name == s.Project {
		return nil
	}
	p := problem.New(abi.ErrDenied, "this studio serves project %q, not %q", s.Project, name)
	return p.WithHint("mcpctl console --model-studio %s --stdin-mcp", problem.Arg(name))
}

// project returns the project's effective settings.
func (s *studio) project(ctx context.Context) (d api.ProjectDetails, err error) {
	o, err := s.Service.Object(ctx, "project", "", s.Project)
	if err != nil {
		return d, err
	}
	return d, json.Unmarshal(o.Details, &d)
}

func (s *studio) activeModel(ctx context.Context, a projectArgs) (*mcp.CallToolResult, error) {
	if err := s.checkProject(a.Project); err != nil {
		return nil, err
	}
	p, err := s.project(ctx)
	if err != nil {
		return nil, err
	}
	o, err := s.Service.Object(ctx, "proxymodel", "", p.ProxyModel)
	if err != nil {
		return nil, err
	}
	var model api.ModelDetails
	if err := json.Unmarshal(o.Details, &model); err != nil {
		return nil, err
	}
	return data(struct {
		Project     string           `json:"project"`
		Model       string           `json:"model"`
		Source      string           `json:"source"`
		Controllers []string         `json:"controllers,omitempty"`
		Stages      []api.ModelStage `json:"stages"`
		RequiresLLM string           `json:"requiresLLM,omitempty"`
		LLM         string           `json:"llm,omitempty"`
		Overrides   []api.Model      `json:"overrides,omitempty"`
		Problem     string           `json:"problem,omitempty"`
	}{s.Project, p.ProxyModel, o.Source, model.Controllers, model.Stages, model.RequiresLLM, p.LLM, p.Overrides, o.Problem})
}

// modelRow is a proxymodel in the result of list_models.
type modelRow struct {
	Name        string   `json:"name"`
	Source      string   `json:"source"`
	Active      bool     `json:"active,omitempty"`
	Controllers []string `json:"controllers,omitempty"`
	Stages      []string `json:"stages"`
	RequiresLLM string   `json:"requiresLLM,omitempty"`
	Problem     string   `json:"problem,omitempty"`
}

func (s *studio) listModels(ctx context.Context, _ struct{}) (*mcp.CallToolResult, error) {
	p, err := s.project(ctx)
	if err != nil {
		return nil, err
	}
	all, err := s.Service.Objects(ctx, "proxymodel", "")
	if err != nil {
		return nil, err
	}
	list := []modelRow{}
	for _, o := range all {
		r := modelRow{Name: o.Name, Source: o.Source, Active: o.Name == p.ProxyModel, Stages: []string{}, Problem: o.Problem}
		var d api.ModelDetails
		if json.Unmarshal(o.Details, &d) == nil { // an invalid model has none
			r.Controllers, r.RequiresLLM = d.Controllers, d.RequiresLLM
			for _, st := range d.Stages {
				r.Stages = append(r.Stages, st.Type)
			}
		}
		list = append(list, r)
	}
	return data(map[string]any{"models": list})
}

type switchArgs struct {
	Project string `json:"project"`
	Model   string `json:"model"`
}

func (s *studio) switchModel(ctx context.Context, a switchArgs) (*mcp.CallToolResult, error) {
	if err := s.checkProject(a.Project); err != nil {
		return nil, err
	}
	before, err := s.project(ctx)
	if err != nil {
		return nil, err
	}
	warnings, err := s.SwitchModel(ctx, a.Model)
	if err != nil {
		return nil, err
	}
	after, err := s.project(ctx)
	if err != nil {
		return nil, err
	}
	return data(struct {
		Project  string `json:"project"`
		Previous string `json:"previous"`
		Model    string `json:"model"`
		Warnings string `json:"warnings,omitempty"`
	}{s.Project, before.ProxyModel, after.ProxyModel, strings.TrimSpace(warnings)})
}
