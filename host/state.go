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
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/proxy"
	"github.com/mcpctl/mcpctl/host/proxymodel"
	"github.com/mcpctl/mcpctl/host/wasm"
	"github.com/mcpctl/mcpctl/plugins"
)

// state is everything that follows from the objects and roles of one moment. It
// is never modified; a change makes a new one.
type state struct {
	snapshot *object.Snapshot
	problems []object.Problem
	plan     *proxymodel.Plan
	projects map[string]*proxy.Project
	secrets  object.Lookup
	stages   string // names the modules behind the roles
	epoch    uint64 // rises with every state that differs from the one before
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
	snapshot, problems := h.store.Load()
	roles, stages := h.roles()
	before := h.state.Load()
	secrets, err := object.LoadSecrets(string(h.opts.Home))
	if err != nil {
		problems = append(problems, object.Problem{File: object.SecretsFile, Err: err})
	}
	if before != nil && before.revision() == snapshot.Revision() && before.stages == stages {
		same := *before // projects stay the same pointers: nothing changed for sessions
		same.problems, same.secrets = problems, secrets.Lookup(os.LookupEnv)
		h.state.Store(&same)
		return
	}
	s := &state{snapshot: snapshot, problems: problems, plan: proxymodel.NewPlan(snapshot, roles),
		secrets: secrets.Lookup(os.LookupEnv), stages: stages, epoch: before.next()}
	s.projects = s.proxyProjects()
	h.state.Store(s)
	for _, p := range problems {
		h.log.Warn("file not loaded", "file", p.File, "kept", p.Kept, "error", p.Err)
	}
}

// roleTable is the roles of one moment, for a plan.
type roleTable map[string]abi.Role

// Role implements proxymodel.Roles.
func (r roleTable) Role(name string) (abi.Role, bool) {
	role, ok := r[name]
	return role, ok
}

// Names implements proxymodel.Roles.
func (r roleTable) Names() []string {
	names := make([]string, 0, len(r))
	for n := range r {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// roles lists the roles that exist, those of the built-in module before it is
// compiled as well, and names what plays them.
func (h *Host) roles() (roleTable, string) {
	table := make(roleTable)
	for _, r := range builtinManifest().Roles {
		table[r.Name] = r
	}
	var names strings.Builder
	for _, st := range h.modules.Status() {
		if role, ok := h.modules.Lookup(st.Name); ok {
			table[st.Name] = role
		}
		fmt.Fprintln(&names, st.Name, st.Source, st.Hash)
	}
	sum := sha256.Sum256([]byte(names.String()))
	return table, hex.EncodeToString(sum[:6])
}

// builtinManifest is what the embedded module says of itself.
func builtinManifest() abi.Manifest {
	info, err := wasm.Inspect("builtin", plugins.Builtin)
	if err != nil {
		return abi.Manifest{} // a broken build: every role of it is reported as missing
	}
	return info.Manifest
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
		Sections: plan.CanSection(), Models: models{plan},
	}
	for _, ref := range p.Spec.Servers {
		srv, ok := s.snapshot.Server(ref.Name)
		if !ok {
			continue // told in problems; it may come with the next file
		}
		out.Servers = append(out.Servers, proxy.Server{
			Name: string(ref.Name), Revision: srv.Revision(), Shared: srv.Spec.Shared,
			ToolsTTL: time.Duration(srv.Spec.ToolCacheTTL),
		})
	}
	return out
}

// models tells the endpoint what a project's proxymodels do.
type models struct{ project *proxymodel.Project }

// Model implements proxy.Models. A proxymodel that is broken runs: Transform
// then says what is wrong with it.
func (m models) Model(t abi.ContentType, source string) proxy.Model {
	model, err := m.project.Resolve(t, source)
	if err != nil {
		return proxy.Model{Runs: true, Transforms: true, Filters: true}
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

// server finds a server and how its references are filled in.
func (h *Host) server(name string) (*object.Server, object.Lookup, error) {
	s := h.state.Load()
	srv, ok := s.snapshot.Server(object.Name(name))
	if !ok {
		return nil, nil, fmt.Errorf("%w: server %q", abi.ErrNotFound, name)
	}
	return srv, s.secrets, nil
}
