package live

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/controller"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/proxy"
	"github.com/mcpctl/mcpctl/host/proxy/choice"
	"github.com/mcpctl/mcpctl/host/proxymodel"
	"github.com/mcpctl/mcpctl/host/registry"
	"github.com/mcpctl/mcpctl/host/secret"
	"github.com/mcpctl/mcpctl/host/store"
)

// State is the configuration that follows from the objects and roles of one moment. It
// is immutable.
type State struct {
	Snapshot *store.Snapshot
	Plan     *proxymodel.Plan
	Projects map[string]*proxy.Project
	Chains   map[string]*controller.Chain // of projects with controllers
	Epoch    uint64                       // increases with every state that differs from the previous one

	// Early is true before all modules have been loaded for the first time. A
	// proxymodel may then seem invalid because of a module that is not loaded yet.
	Early bool

	team       teamObjects
	gated      map[string]bool   // projects whose sessions begin with begin_session
	filters    map[string]string // by project: identifies its filters, see filterSets
	problems   []store.Problem   // of files
	secrets    secret.Lookup
	secretsErr error  // why secrets.yaml was not read
	stages     string // identifies the modules of all roles
	rows       []registry.Status
}

func (s *State) revision() string { return s.Snapshot.Revision() }

// nextEpoch returns the epoch of the state after s, which may be nil.
func (s *State) nextEpoch() uint64 {
	if s == nil {
		return 0
	}
	return s.Epoch + 1
}

// IsGated reports whether the sessions of a project begin with begin_session.
func (s *State) IsGated(project string) bool { return s.gated[project] }

// Stages identifies the modules of all roles.
func (s *State) Stages() string { return s.stages }

// Secret looks up a variable of the environment or of secrets.yaml.
func (s *State) Secret(name string) (secret.Value, bool) { return s.secrets(name) }

// newProjects returns the projects as the endpoint uses them.
func (s *State) newProjects() map[string]*proxy.Project {
	projects := make(map[string]*proxy.Project)
	for _, o := range s.Snapshot.List(object.KindProject) {
		p := o.(*object.Project)
		if plan, err := s.Plan.Project(string(p.Name())); err == nil {
			projects[string(p.Name())] = s.newProject(p, plan)
		}
	}
	return projects
}

func (s *State) newProject(p *object.Project, plan *proxymodel.Project) *proxy.Project {
	out := &proxy.Project{
		Name: string(p.Name()), Bare: p.Spec.ToolNames == object.NamesBare,
		Protocol: p.PinnedProtocol(), Tools: newToolChoice(p.Spec.Tools), MaxAnswerTokens: p.AnswerLimit(), Questions: plan.ReadsArguments(),
	}
	bounded := out.MaxAnswerTokens > 0
	out.Sections, out.Models = bounded || plan.CanSection(), models{plan, s.Early, bounded}
	for _, ref := range p.Spec.Servers {
		srv, ok := s.Snapshot.Server(ref.Name)
		if !ok {
			continue // reported as a problem; the file may follow
		}
		out.Servers = append(out.Servers, proxy.Server{
			Name: string(ref.Name), Revision: s.revisionOf(srv), Shared: srv.Spec.Shared,
			ToolsTTL: time.Duration(srv.Spec.ToolCacheTTL), Timeout: time.Duration(srv.Spec.Timeout),
		})
	}
	return out
}

func newToolChoice(t object.ToolChoice) (out choice.Tools) {
	for _, p := range t.Allow {
		out.Allow = append(out.Allow, p.Text)
	}
	for _, p := range t.Deny {
		out.Deny = append(out.Deny, p.Text)
	}
	return out
}

// models describes the proxymodels of a project for the endpoint.
type models struct {
	project *proxymodel.Project
	early   bool // as State.Early
	bounded bool // any answer may be replaced by an index
}

// Model implements proxy.Models. An invalid proxymodel counts as one that runs, because
// Transform then returns the error in place of the content.
func (m models) Model(t abi.ContentType, source string) proxy.Model {
	model, err := m.project.Resolve(t, source)
	if err != nil {
		broken := proxy.Model{Runs: true, Transforms: true, Filters: true}
		if !m.early {
			broken.Broken = err.Error()
		}
		return broken
	}
	return proxy.Model{Runs: len(model.Steps) > 0, Transforms: m.bounded || model.Transforms(), Filters: model.Filters(), Arguments: model.ReadsArguments()}
}

// FiltersOf identifies the filters that a prompt of a project goes through; "" if there
// are none.
//
// Errors: those of proxymodel.Plan.Resolve.
func (s *State) FiltersOf(project string, p *object.Prompt) (string, error) {
	model, err := s.Plan.Resolve(project, abi.Prompt, string(p.Name()))
	if err != nil {
		return "", err
	}
	var filters []proxymodel.Step
	for _, step := range model.Steps {
		if step.Kind == abi.KindFilter {
			filters = append(filters, step)
		}
	}
	if len(filters) == 0 {
		return "", nil
	}
	return fmt.Sprintf("%s %+v", s.stages, filters), nil
}

// filterSets returns a string for each project with filters that identifies them, their
// config and their modules.
func (s *State) filterSets(rows []registry.Status) map[string]string {
	modules := make(map[string]string)
	for _, st := range rows {
		if st.Kind == abi.KindFilter {
			modules[st.Name] += st.Hash
		}
	}
	sets := make(map[string]string)
	for _, o := range s.Snapshot.List(object.KindProject) {
		plan, err := s.Plan.Project(string(o.Key().Name))
		if err != nil {
			continue
		}
		var filters []string
		for _, f := range plan.Filters() {
			filters = append(filters, fmt.Sprintf("%q %s %s %q", f.Type, f.Config, f.OnFailure, modules[f.Type]))
		}
		slices.Sort(filters)
		if filters = slices.Compact(filters); len(filters) > 0 {
			sum := sha256.Sum256(fmt.Append(nil, filters))
			sets[plan.Name] = hex.EncodeToString(sum[:])
		}
	}
	return sets
}

// rolesOf returns the names of the roles in the proxymodels of a project, whether they exist
// or not.
func (s *State) rolesOf(project string) (names []string) {
	o, ok := s.Snapshot.Get(object.Key{Kind: object.KindProject, Name: object.Name(project)})
	p, is := o.(*object.Project)
	if !ok || !is {
		return nil
	}
	for _, ref := range p.ModelRefs() {
		m, ok := s.Snapshot.ProxyModel(ref.Name)
		if !ok {
			continue
		}
		for _, e := range slices.Concat(m.Spec.Controllers, m.Spec.Stages) {
			names = append(names, string(e.Type.Name))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// isValid reports whether all proxymodels of a project are valid.
func (s *State) isValid(project string) bool {
	plan, err := s.Plan.Project(project)
	return err == nil && plan.IsValid()
}

// isUnfiltered reports whether a project is known to have no filters. In an early state it is
// not while a proxymodel of the project seems invalid.
func (s *State) isUnfiltered(project string) bool {
	plan, err := s.Plan.Project(project)
	return err == nil && plan.IsValid() && len(plan.Filters()) == 0
}
