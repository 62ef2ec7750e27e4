package host

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/controller"
	"github.com/mcpctl/mcpctl/host/event"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/proxy"
	"github.com/mcpctl/mcpctl/host/proxymodel"
	"github.com/mcpctl/mcpctl/host/registry"
	"github.com/mcpctl/mcpctl/host/secret"
	"github.com/mcpctl/mcpctl/host/store"
)

// state is everything that follows from the objects and roles of one moment. It
// is never modified; a change makes a new one.
type state struct {
	snapshot *store.Snapshot
	problems []store.Problem
	plan     *proxymodel.Plan
	projects map[string]*proxy.Project
	chains   map[string]*controller.Chain // of projects with controllers
	gates    map[string]bool              // projects whose sessions a gate opens
	filters  map[string]string            // by project, of those with filters: filterSets
	secrets  secret.Lookup
	stages   string // names the modules behind the roles
	rows     []registry.Status

	secretsErr error  // why secrets.yaml is not read
	epoch      uint64 // rises with every state that differs from the one before
	early      bool   // made before all modules were loaded for the first time
}

func (s *state) revision() string { return s.snapshot.Revision() }

// next is the epoch of the state that follows.
func (s *state) next() uint64 {
	if s == nil {
		return 0
	}
	return s.epoch + 1
}

// reload reads the objects and makes the state that follows from them and the
// modules that are loaded.
func (h *Host) reload() {
	h.reloading.Lock()
	defer h.reloading.Unlock()
	defer h.opts.Reloaded()
	snapshot, problems := h.store.Load()
	roles, rows, stages := h.roles()
	before := h.state.Load()
	early := !h.settled.Load()
	secrets, err := secret.Load(string(h.opts.Home))
	if err != nil {
		problems = append(problems, store.Problem{File: secret.FileName, Err: err})
	}
	problems = append(problems, h.reloadLLM()...)
	h.tellProblems(before, problems)
	if before != nil && before.revision() == snapshot.Revision() && before.stages == stages && before.early == early {
		same := *before // projects stay the same pointers: nothing changed for sessions
		same.problems, same.secrets, same.secretsErr, same.rows = problems, secrets.Lookup(os.LookupEnv), err, rows
		h.state.Store(&same)
		h.tellStages(before, rows)
		return
	}
	var kept *proxymodel.Kept // nil while a ProxyModel may seem invalid for modules that are not loaded yet
	if !early {
		kept = h.lastValid(before)
	}
	s := &state{snapshot: snapshot, problems: problems, plan: proxymodel.NewPlan(snapshot, roles, kept),
		secrets: secrets.Lookup(os.LookupEnv), secretsErr: err, stages: stages, rows: rows, epoch: before.next(), early: early}
	s.projects, s.chains, s.gates = s.proxyProjects(), s.projectChains(h.loaded, h.opts.Settings.calls()), s.gatedProjects()
	s.filters = s.filterSets(rows)
	h.state.Store(s)
	h.prompts.Update()
	h.tellStages(before, rows)
	if !early {
		h.reportBroken(before, s)
		h.keepValid(s.plan.Kept())
	}
	h.failures.Prune(func(role, module string) bool {
		return slices.ContainsFunc(rows, func(st registry.Status) bool { return st.Name == role && st.Hash == module })
	})
}

// tellProblems logs what is wrong with files, each once as long as it lasts.
func (h *Host) tellProblems(before *state, problems []store.Problem) {
	known := make(map[string]bool)
	if before != nil {
		for _, p := range before.problems {
			known[p.File+p.Err.Error()] = true
		}
	}
	for _, p := range problems {
		switch {
		case known[p.File+p.Err.Error()]:
		case p.Warning:
			h.log.Warn("file loaded with a warning", "file", p.File, "warning", p.Err)
		default:
			h.log.Warn("file not loaded", "file", p.File, "kept", p.Kept, "error", p.Err)
		}
	}
}

// tellStages makes an event of each module that cannot be loaded.
func (h *Host) tellStages(before *state, rows []registry.Status) {
	known := make(map[string]string) // what was wrong with a file, and which module served
	hash := make(map[string]string)
	if before != nil {
		for _, st := range before.rows {
			known[st.File+st.Name], hash[st.File+st.Name] = st.Why, st.Hash
		}
	}
	for _, st := range rows {
		key := st.File + st.Name
		if st.State != registry.StateFailed || known[key] == st.Why || hash[key] != st.Hash {
			continue // one that gave way was told when it did
		}
		h.events.Add(event.Event{Type: event.StageFailed, Change: &event.Change{Name: st.Name, From: hash[key], To: st.Hash, Reason: st.Why}})
	}
}

// roleTable is the roles of one moment, for a plan.
type roleTable struct {
	roles  map[string]abi.Role
	absent map[string]string // why a module that lies in stages/ has none, by its name
}

// Role implements proxymodel.Roles.
func (r roleTable) Role(name string) (abi.Role, bool) {
	role, ok := r.roles[name]
	return role, ok
}

// Absent implements proxymodel.Absences.
func (r roleTable) Absent(name string) string { return r.absent[name] }

// Names implements proxymodel.Roles.
func (r roleTable) Names() []string {
	names := make([]string, 0, len(r.roles))
	for n := range r.roles {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// roles lists the roles that exist, those of the built-in modules before they are
// compiled as well, with the rows behind them, and names what plays them.
func (h *Host) roles() (roleTable, []registry.Status, string) {
	table := roleTable{make(map[string]abi.Role), make(map[string]string)}
	for _, r := range builtinRoles() {
		table.roles[r.Name] = r
	}
	var names strings.Builder
	rows := h.modules.Status()
	for _, st := range rows {
		if role, ok := h.modules.Lookup(st.Name); ok {
			table.roles[st.Name] = role
		} else {
			table.absent[st.Name] = st.Why
		}
		fmt.Fprintln(&names, st.Name, st.Source, st.Hash, table.absent[st.Name])
	}
	sum := sha256.Sum256([]byte(names.String()))
	return table, rows, hex.EncodeToString(sum[:6])
}

// proxyProjects are the projects as the endpoint sees them.
func (s *state) proxyProjects() map[string]*proxy.Project {
	projects := make(map[string]*proxy.Project)
	for _, o := range s.snapshot.List(object.KindProject) {
		p := o.(*object.Project)
		if plan, err := s.plan.Project(string(p.Name())); err == nil {
			projects[string(p.Name())] = s.proxyProject(p, plan)
		}
	}
	return projects
}

func (s *state) proxyProject(p *object.Project, plan *proxymodel.Project) *proxy.Project {
	out := &proxy.Project{
		Name: string(p.Name()), Bare: p.Spec.ToolNames == object.NamesBare,
		Sections: plan.CanSection(), Models: models{plan, s.early},
	}
	for _, ref := range p.Spec.Servers {
		srv, ok := s.snapshot.Server(ref.Name)
		if !ok {
			continue // told in problems; it may come with the next file
		}
		out.Servers = append(out.Servers, proxy.Server{
			Name: string(ref.Name), Revision: srv.Revision(), Shared: srv.Spec.Shared,
			ToolsTTL: time.Duration(srv.Spec.ToolCacheTTL), Timeout: time.Duration(srv.Spec.Timeout),
		})
	}
	return out
}

// models tells the endpoint what a project's proxymodels do.
type models struct {
	project *proxymodel.Project
	early   bool // modules are still loaded for the first time: what seems broken may be fine
}

// Model implements proxy.Models. A proxymodel that is broken runs: Transform
// then says so in the place of the content.
func (m models) Model(t abi.ContentType, source string) proxy.Model {
	model, err := m.project.Resolve(t, source)
	if err != nil {
		broken := proxy.Model{Runs: true, Transforms: true, Filters: true}
		if !m.early {
			broken.Broken = err.Error()
		}
		return broken
	}
	return proxy.Model{Runs: len(model.Steps) > 0, Transforms: model.Transforms(), Filters: model.Filters()}
}

// Project implements proxy.Projects.
func (h *Host) Project(name string) (*proxy.Project, error) {
	if p, ok := h.state.Load().projects[name]; ok {
		return p, nil
	}
	return nil, fmt.Errorf("%w: no such project in this home", abi.ErrNotFound)
}

// server finds a server with its references filled in for a client in a directory, ""
// if the client has none.
//
// Errors: abi.ErrNotFound; abi.ErrConfig for a reference that leads nowhere, as a
// client may read it.
func (h *Host) server(name, clientDir string) (*object.Server, object.Endpoint, error) {
	s := h.state.Load()
	srv, ok := s.snapshot.Server(object.Name(name))
	if !ok {
		return nil, object.Endpoint{}, fmt.Errorf("%w: server %q", abi.ErrNotFound, name)
	}
	at, err := srv.ResolveFor(clientDir, s.secrets)
	if err != nil && srv.UsesClientDir() {
		return nil, object.Endpoint{}, &proxy.ConfigError{Why: forClient(err)}
	}
	if err != nil {
		return nil, object.Endpoint{}, unreachable(name, err)
	}
	if len(at.Command) > 0 && at.Cwd.Reveal() == "" {
		dir := h.opts.Home.Work(name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, object.Endpoint{}, fmt.Errorf("%w: working directory: %w", abi.ErrUnavailable, err)
		}
		at.Cwd = secret.New(dir)
	}
	return srv, at, nil
}
