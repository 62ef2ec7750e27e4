package manage

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/prompt"
	"github.com/mcpctl/mcpctl/host/store"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

// Prompts implements api.Service.
func (s *Service) Prompts(_ context.Context, project string) ([]api.Prompt, error) {
	if _, ok := s.h.Snapshot().Project(object.Name(project)); !ok && project != string(object.SystemProject) {
		return nil, missingObject(s.h, "project", project)
	}
	return visiblePrompts(s.h, project), nil
}

func visiblePrompts(h *host.Host, project string) []api.Prompt {
	list := []api.Prompt{}
	for _, e := range h.Prompts().Index(project).Entries() {
		list = append(list, promptOf(h, e))
	}
	return list
}

// promptDetails returns Object.Details of a prompt, also for one of a missing project. The
// error is the reason why its link is dead.
func (s *Service) promptDetails(p *object.Prompt) (any, error) {
	e, ok := s.h.Prompts().Index(string(p.Key().Project)).Entry(string(p.Name()))
	if !ok {
		return nil, nil
	}
	return promptOf(s.h, e), linkProblem(s.h, p)
}

// linkProblem returns why the link of a prompt cannot be read, with who can change that.
func linkProblem(h *host.Host, p *object.Prompt) error {
	err := h.Prompts().LinkFault(p)
	if errors.Is(err, prompt.ErrNotGranted) {
		source, _, _, _ := p.Link()
		return fmt.Errorf("the link is not granted: whoever may edit the project %q can grant it with mcpctl link grant %s/%s --project %s", source, p.Key().Project, p.Name(), source)
	}
	return err
}

// linkStatus returns Prompt.LinkStatus of an entry of an index. A link to a project that may be
// on the team server, where the user cannot see it, is not dead.
func linkStatus(h *host.Host, e prompt.Entry) string {
	p, ok := h.Snapshot().Prompt(object.Name(e.Project), object.Name(e.Name))
	if !ok || e.Link == "" {
		return e.LinkStatus
	}
	source, _, _, _ := p.Link()
	_, isKnown := h.Snapshot().Project(source)
	switch err := h.Prompts().LinkFault(p); {
	case errors.Is(err, prompt.ErrNotGranted):
		return api.LinkPending
	case errors.Is(err, abi.ErrNotFound) && !isKnown && !host.Team(h).Settings().Login.IsZero():
		return prompt.Unknown
	}
	return e.LinkStatus
}

// requestDetails returns Object.Details of a prompt request, or nil.
func requestDetails(h *host.Host, r *object.PromptRequest) any {
	key := r.Key()
	if p, ok := h.Snapshot().Prompt(key.Project, key.Name); ok {
		if h.Snapshot().IsTeam(p.Key()) {
			return api.RequestDetails{Replaces: "the prompt of this name on the team server"}
		}
		return api.RequestDetails{Replaces: p.File()}
	}
	return nil
}

func promptOf(h *host.Host, e prompt.Entry) api.Prompt {
	return api.Prompt{Delivery: delivery(h, e), Name: e.Name, Project: e.Project, Priority: e.Priority, Summary: e.Summary, Chapters: e.Chapters,
		LinkTarget: e.Link, LinkStatus: linkStatus(h, e), Bytes: e.Bytes}
}

// delivery describes how a session without a gate gets the prompt. It returns "" for a
// gated project.
func delivery(h *host.Host, e prompt.Entry) string {
	switch {
	case e.Project == string(object.SystemProject), h.Prompts().IsGated(e.Project):
		return ""
	case e.Priority == object.MaxPriority:
		return "in the instructions, if it fits into 2,048 characters, and as a resource: the project has no gate"
	}
	return "as a resource only, which a client may not read: the project has no gate"
}

// maxRules is the approximate space for prompts of priority 10 in the instructions.
const maxRules = 1_600 // bytes

// ruleWarning returns a warning if the prompts of priority 10 of a project without a gate
// do not fit into its instructions, or "".
func ruleWarning(h *host.Host, project string) string {
	n := 0
	for _, e := range h.Prompts().Index(project).Entries() {
		if e.Priority == object.MaxPriority {
			n += e.Bytes
		}
	}
	if n <= maxRules || h.Prompts().IsGated(project) {
		return ""
	}
	return fmt.Sprintf("project %q has no gate, and its prompts of priority 10 take %d bytes: about %d fit into the instructions, sessions get the others as resources only; mcpctl patch project %s --set gated=true", project, n, maxRules, project)
}

// greeting returns the greeting of a gated project, for describe.
func greeting(h *host.Host, project string) string {
	p, ok := h.Snapshot().Prompt(object.SystemProject, object.SessionGreeting)
	if !ok {
		return ""
	}
	return strings.TrimSpace(strings.ReplaceAll(p.Spec.Content, "{{"+object.VarProjectName+"}}", project))
}

// Instructions implements api.Service.
func (s *Service) Instructions(ctx context.Context, project string) (api.Instructions, error) {
	if _, ok := s.h.Snapshot().Project(object.Name(project)); !ok {
		return api.Instructions{}, missingObject(s.h, "project", project)
	}
	i, err := s.h.Instructions(ctx, project)
	return api.Instructions{Characters: i.Characters(), Limit: i.Limit, Bytes: len(i.Text),
		Controllers: i.Controllers, Cut: i.Cut, Pending: i.Unheard}, err
}

// RegenerateSummary implements api.Service.
func (s *Service) RegenerateSummary(ctx context.Context, project, name string) error {
	key, err := s.find("prompt", project, name)
	if err != nil {
		return err
	}
	return s.h.Prompts().RegenerateSummary(ctx, string(key.Project), name)
}

// Approve implements api.Service.
func (s *Service) Approve(ctx context.Context, project, name string, dryRun bool) (api.Applied, error) {
	key, err := s.find("promptrequest", project, name)
	if err != nil {
		return api.Applied{}, err
	}
	if s.h.Snapshot().IsTeam(key) {
		return teamService{s.h}.approve(ctx, key, dryRun)
	}
	c, err := s.h.Prompts().Approve(string(key.Project), name, dryRun)
	if errors.Is(err, abi.ErrConfig) {
		err = problem.WithoutPositions(err) // they are in a text that nobody has written
	}
	return api.Applied{Kind: kindName(c.Key.Kind), Name: string(c.Key.Name), Project: string(c.Key.Project), Action: string(c.Action)}, err
}

// find is like keyOf, but the project may be empty if the name is unique.
//
// Errors: abi.ErrNotFound; problem.ErrUsage if the name is ambiguous.
func (s *Service) find(kind, project, name string) (object.Key, error) {
	key, err := keyOf(kind, project, name)
	if err != nil || !key.Kind.IsScoped() || project != "" {
		return key, err
	}
	var projects []string
	for _, o := range s.h.Snapshot().List(key.Kind) {
		if o.Key().Name == key.Name {
			projects = append(projects, string(o.Key().Project))
		}
	}
	return uniqueKey(key, s.h.Snapshot().Names(key.Kind), projects)
}

var _ api.Prompts = (*Service)(nil)

// missingProject returns a warning for a prompt of a project that does not exist, or "".
// It is not an error, because the prompts of a deleted project are kept.
func missingProject(snapshot *store.Snapshot, o object.Object) string {
	p, ok := o.(*object.Prompt)
	if !ok || p.Key().Project == object.SystemProject {
		return ""
	}
	project := p.Key().Project
	if _, ok := snapshot.Project(project); ok {
		return ""
	}
	w := fmt.Sprintf("prompt %q: project %q not found", p.Name(), project)
	if near := suggest.Nearest(string(project), snapshot.Names(object.KindProject)); near != "" {
		w += fmt.Sprintf(", did you mean %q?", near)
	}
	return w
}
