package live

import (
	"context"
	"fmt"
	"os"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/proxy"
	"github.com/mcpctl/mcpctl/host/proxymodel"
	"github.com/mcpctl/mcpctl/host/secret"
)

// Resolve returns the proxymodel of a Content. If it seems invalid in an early state, it
// waits for the modules of the project. It implements transform.Plan.
func (c *Config) Resolve(ctx context.Context, project string, content flow.Content) (*proxymodel.Model, error) {
	model, err := c.state.Load().Plan.Resolve(project, content.Type, content.Source)
	if err == nil {
		return model, nil
	}
	if err := c.ReadyFor(ctx, project); err != nil {
		return nil, err
	}
	return c.state.Load().Plan.Resolve(project, content.Type, content.Source)
}

// Fallback returns the step that indexes answers above the limit of a project. In an
// early state it waits for the modules. It implements transform.Plan.
func (c *Config) Fallback(ctx context.Context) (proxymodel.Step, bool) {
	s := c.state.Load()
	if step, ok := s.Plan.Fallback(); ok || !s.Early {
		return step, ok
	}
	if c.Ready(ctx) != nil {
		return proxymodel.Step{}, false
	}
	return c.state.Load().Plan.Fallback()
}

// LLMIdentity implements transform.Plan.
func (c *Config) LLMIdentity(project string) string { return c.opts.LLMIdentity(project) }

// Epoch implements transform.Plan.
func (c *Config) Epoch() uint64 { return c.state.Load().Epoch }

// Owner returns the scope under which content is stored. In a project with filters it
// identifies them: a ref that was created under other filters, or other versions of
// them, is not found, because its content may contain text that the filters now remove.
// It implements transform.Plan.
func (c *Config) Owner(scope flow.Scope) flow.Scope {
	s := c.state.Load()
	if s.Early && !s.isUnfiltered(scope.Project) { // the versions of its filters are not known yet
		_ = c.ReadyFor(context.Background(), scope.Project) // fails only once the host is closed
		s = c.state.Load()
	}
	if filters := s.filters[scope.Project]; filters != "" {
		scope.Subject += "\x00filters " + filters
	}
	return scope
}

// Project returns a project. It implements proxy.Projects.
func (c *Config) Project(name string) (*proxy.Project, error) {
	s := c.state.Load()
	if p, ok := s.Projects[name]; ok {
		return p, nil
	}
	return nil, s.team.explainMissing(name, fmt.Errorf("%w: no such project in this home", abi.ErrNotFound))
}

// AnswerLimit returns the estimated tokens above which an answer of a project is replaced by
// an index; 0 means no limit.
func (c *Config) AnswerLimit(project string) int {
	if p, ok := c.state.Load().Projects[project]; ok {
		return p.MaxAnswerTokens
	}
	return 0
}

// Server returns a server of a file and its endpoint with all references resolved, for a
// client in a directory; "" if the directory is not known. It never resolves the references
// of a server of mcpd, which could contain any variable of this machine.
//
// Errors: abi.ErrNotFound; abi.ErrDenied for a server of mcpd; abi.ErrConfig for a reference
// without a value, with a text for clients.
func (c *Config) Server(name, clientDir string) (*object.Server, object.Endpoint, error) {
	s := c.state.Load()
	srv, ok := s.Snapshot.Server(object.Name(name))
	if !ok {
		return nil, object.Endpoint{}, fmt.Errorf("%w: server %q", abi.ErrNotFound, name)
	}
	if s.Snapshot.IsTeam(srv.Key()) {
		return nil, object.Endpoint{}, fmt.Errorf("%w: server %q is called through mcpd only", abi.ErrDenied, name)
	}
	at, err := srv.ResolveFor(clientDir, s.secrets)
	if err != nil && srv.UsesClientDir() {
		return nil, object.Endpoint{}, &proxy.ConfigError{Why: forClient(err)}
	}
	if err != nil {
		return nil, object.Endpoint{}, missingError(name, err)
	}
	if len(at.Command) > 0 && at.Cwd.Reveal() == "" {
		dir := c.opts.Home.Work(name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, object.Endpoint{}, fmt.Errorf("%w: working directory: %w", abi.ErrUnavailable, err)
		}
		at.Cwd = secret.New(dir)
	}
	return srv, at, nil
}

// Secret looks up a variable of the environment or of secrets.yaml.
func (c *Config) Secret(name string) (secret.Value, bool) {
	if s := c.state.Load(); s != nil {
		return s.secrets(name)
	}
	return secret.Value{}, false
}

// LLMChoice returns the llmProvider of a project, nil if it has none.
func (c *Config) LLMChoice(project string) *string {
	s := c.state.Load()
	if s == nil {
		return nil
	}
	o, ok := s.Snapshot.Get(object.Key{Kind: object.KindProject, Name: object.Name(project)})
	if p, is := o.(*object.Project); ok && is {
		return p.Spec.LLMProvider
	}
	return nil
}

// NoLLM returns why no LLM is available to a project although one may be configured;
// otherwise it is empty. It implements transform.Plan.
func (c *Config) NoLLM(project string) string {
	switch choice := c.LLMChoice(project); {
	case choice != nil && *choice == "none":
		return "the project's llmProvider is none"
	case c.opts.Offline && c.opts.LLM.Configured():
		return "no LLM is asked offline"
	}
	return ""
}
